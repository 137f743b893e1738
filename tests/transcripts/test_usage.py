from typing import Any

from memtui.transcripts.stats import TokenUsage, collect_stats


def row(identity: str, output: object, *, model: str = "m", **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 3, "output_tokens": output, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 7}
    return {"type": "assistant", "message": {"id": identity, "model": model, "usage": usage}, **more}


def test_an_answer_counts_once_with_its_last_row() -> None:
    count = collect_stats([row("a", 1), row("a", 9), row("b", 2, model="n")]).usage
    assert count.total == TokenUsage(sent=6, received=11, cached=10, stored=14, answers=2)
    assert count.by_model["n"] == TokenUsage(3, 2, 5, 7, 1)


def test_without_an_id_the_request_tells() -> None:
    assert collect_stats([row("", 1, requestId="r"), row("", 4, requestId="r")]).usage.total.received == 4


def test_what_the_client_wrote_itself_and_what_is_no_number_counts_nothing() -> None:
    assert collect_stats([row("a", 1, model="<synthetic>")]).usage.total == TokenUsage()
    assert collect_stats([row("a", "many"), row("b", float("inf")), row("c", -1)]).usage.total.received == 0
    assert (
        collect_stats([{"type": "assistant", "message": {"id": "x", "usage": None}}, {"type": "assistant"}]).usage.total
        == TokenUsage()
    )
