"""Something that looks like a secret. The fix removes text, so a person sees it first."""

from collections.abc import Iterator

from memtui.memory.checks.base import ANY, Check, CheckedFile, Fix, FixContext, Problem, TextHit
from memtui.util.errors import MemtuiError


def find_in_text(text: str) -> tuple[TextHit, ...]:
    from memtui.secrets.scanner import scan  # 30 ms: its patterns are compiled then

    return tuple(TextHit(one.line, one.column, one.masked, one.rule, one.fingerprint) for one in scan(text))


def find(file: CheckedFile) -> Iterator[Problem]:
    for hit in file.hits("secret"):
        message = f"looks like a secret ({hit.rule.replace('-', ' ')}): {hit.words}"
        yield file.problem("secret", "error", message, hit.line, hit.column, fix="take it out", subject=hit.fingerprint)


def fix(problem: Problem, context: FixContext) -> Fix:
    return redact(problem.file, context.read(problem.file), problem.subject)


def redact(name: str, text: str, fingerprint: str | None = None) -> Fix:
    """Replace what looks like a secret by "[removed]"; `fingerprint` chooses one value."""
    from memtui.secrets import scanner  # as above

    findings = [finding for finding in scanner.scan(text) if fingerprint in (None, finding.fingerprint)]
    if not findings:
        raise MemtuiError(f"nothing in {name} looks like that secret any more", hint="look again")
    count = len(findings)
    notes = (
        f"{count} {'value is' if count == 1 else 'values are'} replaced by [removed]",
        "memtui's own history keeps the old text: change the password or token as well",
    )
    return Fix({name: scanner.redact(text, findings)}, f"take secrets out of {name}", notes)


CHECK = Check(("secret",), ANY, find, fix, find_in_text=find_in_text, order=130)
