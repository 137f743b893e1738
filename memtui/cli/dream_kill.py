"""Ending a dream from outside, and clearing a lock that nobody holds."""

from collections.abc import Iterator

import click

from memtui.base.errors import NotFound
from memtui.cli.call import Call
from memtui.cli.context import Command, pass_call
from memtui.cli.dream_data import pick, run_data, runs
from memtui.cli.output import Line, iso


@click.command("kill", cls=Command, short_help="End a dream, and put back what it held.")
@click.argument("run", required=False, metavar="[RUN]")
@click.option("--clear-stale-lock", is_flag=True, help="Remove a lock that nobody holds any more.")
@pass_call
def kill(call: Call, run: str | None, clear_stale_lock: bool) -> None:
    """End a dream of ours: asked first, killed after 5 seconds; then its lock is put back. What it drafted is kept.

    Only a process that a dream of ours wrote down is signalled. --clear-stale-lock removes a lock whose process is
    gone, or that is no lock.
    """
    if clear_stale_lock or call.asked.read_only:
        call.may_write()
    if clear_stale_lock:
        _clear(call)
        return
    from memtui.dream.kill import kill as end_run
    from memtui.dream.runs import state_of

    if run is None:
        found = next((one for one in runs(call) if state_of(one).word != "ended"), None)
        if found is None:
            raise NotFound("no dream of ours is under way", hint="memtui dream status tells who holds the lock")
    else:
        found = pick(call, run)
    if call.asked.dry_run:
        call.out.answer("kill", run_data(call, found), [f"would end the dream {found.id} (pid {found.process.pid})"])
        return
    done = end_run(found, call.dirs, call.workspace)
    data = {"by": done.by or None, "ended_in": round(done.seconds, 3), "run": run_data(call, found)}

    def text() -> Iterator[Line]:
        how = f"{done.by}, {done.seconds:.1f} s" if done.by else "was gone already"
        yield f"process ended     {how}"
        yield f"last-dream time   {done.end.lock or 'as it was'}"
        if done.end.version:
            yield f"memory folder     adopted before it ended; memtui undo {done.end.version[:8]} takes it back"
        else:
            kept = f"{done.end.drafted} drafted change{'s' * (done.end.drafted != 1)} kept aside for 14 days"
            yield f"memory folder     untouched; {kept if done.end.drafted else 'nothing was drafted'}"

    call.out.answer("kill", data, text())


def _clear(call: Call) -> None:
    from memtui.dream.gates import lock_gate
    from memtui.dream.lock import clear_stale_lock as clear
    from memtui.dream.lock import seen_lock

    lock = seen_lock(call.place.folder, call.dirs)
    gate = lock_gate(lock, call.now())
    if lock.kind == "none":
        raise NotFound("there is no lock", hint="memtui dream status")
    then = "after that nothing says when the last dream was, and the time gate is open"
    if call.asked.dry_run or not call.out.ask(f"Remove the lock ({gate.reason})? {then}."):
        call.out.answer("lock", {"removed": False, "reason": gate.reason}, ["the lock stays"])
        return
    was = clear(call.place.folder, call.dirs, call.now())
    data = {"removed": True, "reason": gate.reason, "pid": was.pid, "time": iso(was.at)}
    call.out.answer("lock", data, [f"the lock is removed ({gate.reason})"])
