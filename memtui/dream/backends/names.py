"""The backends by name, and the stages that those with a model report: what a list of runs shows of them."""

OFFLINE, ANTHROPIC, CLIENT = "offline", "anthropic", "client"
BACKENDS = (OFFLINE, ANTHROPIC, CLIENT)
MODEL_BACKENDS = (ANTHROPIC, CLIENT)  # those in which a model works, turn by turn
STAGES = ("orient", "gather", "consolidate", "prune")
"""The stages of a dream, in order; the last one is prune and index."""
