"""What a figure has to reach, and whether it does."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Gate:
    """One row of the targets: its number, what is measured, and the largest value that is good enough."""

    row: int
    what: str
    most: float
    unit: str = ""


def table(gates: list[tuple[Gate, float]]) -> str:
    """The rows with what was measured and the verdict; "-" where nothing was."""
    lines = [f"{'row':>3}  {'what':58} {'measured':>9} {'gate':>9}"]
    for gate, value in gates:
        unit = gate.unit
        verdict = "ok" if value <= gate.most else "MISSED"
        lines.append(
            f"{gate.row:>3}  {gate.what:58} {value:>8.3g}{unit:1} {'<= ' + f'{gate.most:g}{unit}':>9}  {verdict}"
        )
    return "\n".join(lines)


def missed(gates: list[tuple[Gate, float]]) -> bool:
    """Whether one isn't reached."""
    return any(value > gate.most for gate, value in gates)
