"""When dreams start by themselves, and how the system's scheduler is told.

- `cron`   the schedule of a memory folder, kept in `<state>/schedules/<hash>.json`; our line in the user's crontab
- `units`  the command that a schedule starts, as a line for cron or as a systemd timer and service

Invariants: every byte of the crontab but our own line stays; a crontab that can't be read is never written; no key and
no token is ever put into a schedule.
"""
