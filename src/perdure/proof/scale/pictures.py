"""A scale test as text and as a picture."""

from collections.abc import Sequence

from perdure.proof.scale.bars import lines
from perdure.proof.scale.scaletest import Report

WIDTH, HEIGHT, MARGIN = 720, 180, 56


def table(report: Report) -> str:
    """Bars first, then everything else."""
    width = max((len(figure.name) for figure in report.figures), default=0)
    return "\n".join([*lines(report.bars), "", *(f"{each.name:<{width}}  {each.value}" for each in report.figures)])


def against(report: Report, earlier: Report) -> str:
    """What was measured before, and now, where it differs."""
    then = {bar.name: f"{bar.value:.2f} {bar.unit}".strip() for bar in earlier.bars}
    then |= {figure.name: figure.value for figure in earlier.figures}
    now = {bar.name: f"{bar.value:.2f} {bar.unit}".strip() for bar in report.bars}
    now |= {figure.name: figure.value for figure in report.figures}
    moved = [(name, then[name], value) for name, value in now.items() if then.get(name, value) != value]
    width = max((len(name) for name, _, _ in moved), default=0)
    return "\n".join(f"{name:<{width}}  {before}  ->  {after}" for name, before, after in moved)


def markdown(report: Report) -> str:
    rows = ["| bar | measured | limit | |", "|---|---|---|---|"]
    rows += [
        f"| {bar.name} | {bar.value:.2f} {bar.unit} | {bar.sign} {bar.limit:g} | {bar.verdict} |" for bar in report.bars
    ]
    rows += ["", "| | |", "|---|---|", *(f"| {figure.name} | {figure.value} |" for figure in report.figures)]
    return "\n".join(rows)


def plot(report: Report) -> str:
    """Throughput over time above, time to rest below, as SVG."""
    times = [row[0] for row in report.series]
    rate = _panel("turns per second", times, {"turns/s": [row[1] for row in report.series]}, 0)
    rests = {"p50": [row[2] for row in report.series], "p95": [row[3] for row in report.series]}
    latency = _panel("seconds until the turn rests", times, rests, HEIGHT + MARGIN)
    height = 2 * (HEIGHT + MARGIN) + MARGIN // 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + 2 * MARGIN}" height="{height}" '
        'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>'
        f"{rate}{latency}</svg>\n"
    )


_COLOURS = ("#2563eb", "#dc2626")


def _panel(title: str, times: Sequence[float], lines: dict[str, list[float]], top: int) -> str:
    highest = max((value for line in lines.values() for value in line), default=0.0) or 1.0
    last = max(times, default=0.0) or 1.0
    base = top + MARGIN // 2 + HEIGHT
    drawn = [
        f'<text x="{MARGIN}" y="{top + 18}">{title}</text>',
        f'<path d="M{MARGIN} {top + MARGIN // 2}V{base}H{MARGIN + WIDTH}" fill="none" stroke="#999"/>',
        f'<text x="{MARGIN - 6}" y="{top + MARGIN // 2 + 6}" text-anchor="end">{highest:.3g}</text>',
        f'<text x="{MARGIN - 6}" y="{base}" text-anchor="end">0</text>',
        f'<text x="{MARGIN + WIDTH}" y="{base + 16}" text-anchor="end">{last:.0f} s</text>',
    ]
    for number, (name, line) in enumerate(lines.items()):
        points = " ".join(
            f"{MARGIN + at / last * WIDTH:.1f},{base - value / highest * HEIGHT:.1f}"
            for at, value in zip(times, line, strict=True)
        )
        colour = _COLOURS[number]
        drawn.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        drawn.append(
            f'<text x="{MARGIN + WIDTH - 60 * number}" y="{top + 18}" fill="{colour}" text-anchor="end">{name}</text>'
        )
    return "".join(drawn)
