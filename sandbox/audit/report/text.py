"""An audit for a terminal."""

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from sandbox.audit.findings import Audit, Finding, Severity

STYLES = {
    Severity.CRITICAL: "bold white on red",
    Severity.HIGH: "bold red",
    Severity.MEDIUM: "yellow",
    Severity.LOW: "cyan",
    Severity.INFO: "dim",
}
_LONGEST_PROOF = 12  # lines of a proof's program that are worth a terminal


def show(audit: Audit, console: Console, *, lowest: Severity = Severity.INFO) -> None:
    """Print `audit` on `console`, findings below `lowest` only as a number."""
    console.print(Text(f"{audit.kind} audit of {audit.subject}", style="bold"))
    if audit.figures:
        figures = ", ".join(f"{name} {value}" for name, value in audit.figures.items())
        console.print(Text(figures, style="dim"))
    shown = audit.at_least(lowest)
    for finding in shown:
        console.print()
        for part in _lines(audit, finding):
            console.print(part)
    console.print()
    hidden = len(audit.findings) - len(shown)
    counts = ", ".join(f"{number} {label}" for label, number in audit.counts().items() if number)
    tail = f" ({hidden} below {lowest.label} not shown)" if hidden else ""
    verdict = f"{audit.verdict}: " if audit.verdict else ""
    console.print(Text(f"{verdict}{counts or 'nothing found'}{tail}", style="bold"))


def _lines(audit: Audit, finding: Finding) -> list[Text | Padding]:
    head = Text(f"{finding.severity.label:<8}", style=STYLES[finding.severity])
    head.append(f" {finding.rule}  ", style="bold")
    head.append(finding.path)
    if where := place(finding):
        head.append(f"  ({where})", style="dim")
    lines: list[Text | Padding] = [head]
    lines += [_indented(audit.rule(finding).title, "dim"), _indented(finding.explanation)]
    lines.append(_indented(f"Fix: {finding.fix}", "green"))
    if finding.proof is not None:
        program = finding.proof.program.rstrip().splitlines()[:_LONGEST_PROOF]
        lines.append(_indented("Proof, a program that was run:", "bold"))
        lines.append(Padding(Text("\n".join(program)), (0, 0, 0, 4)))
        said = finding.proof.output.strip()[:300] or "nothing"
        lines.append(_indented(f"{finding.proof.status}, printed: {said}"))
        if finding.proof.control:
            lines.append(_indented(f"Control printed: {finding.proof.control.strip()[:300]}"))
    return lines


def _indented(text: str, style: str = "") -> Padding:
    return Padding(Text(text, style=style), (0, 0, 0, 2))


def place(finding: Finding) -> str:
    """Return `file:line:column` as far as it is known, else the empty text."""
    parts = (finding.file, finding.line, finding.column if finding.line else None)
    return ":".join(str(part) for part in parts if part is not None)
