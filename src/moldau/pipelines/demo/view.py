"""How a snapshot looks on the screen of a terminal, and the same as a picture in a file.

Called by `run`. Only draws; knows nothing of brokers or Spark.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Self

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from moldau.pipelines.demo import ORDERS, REJECTED, REVENUE
from moldau.pipelines.demo.report import money
from moldau.pipelines.demo.snapshot import Snapshot

CHART_MINUTES = 40
CHART_ROWS = 6
BLOCKS = " ▁▂▃▄▅▆▇█"
PICTURE_WIDTH = 100
ACCENT = "cyan"


class Screen:
    """The dashboard in the terminal, drawn anew with each snapshot, from `with` to the end of the block."""

    def __init__(self) -> None:
        self._live = Live(auto_refresh=False, transient=False)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, snapshot: Snapshot) -> None:
        self._live.update(screen(snapshot), refresh=True)


def screen(snapshot: Snapshot) -> RenderableType:
    """The whole dashboard."""
    return Panel(
        Group(
            _headline(snapshot),
            Text(),
            Columns([_flow(snapshot), _regions(snapshot)], equal=True, expand=True),
            Text(),
            _chart(snapshot),
            Text(),
            _try_now(snapshot),
        ),
        title="[bold]Moldau[/bold]  a shop's orders through Spark",
        subtitle="Ctrl-C ends it",
        border_style=ACCENT,
        padding=(1, 2),
    )


def save_picture(snapshot: Snapshot, file: Path) -> None:
    """The dashboard as SVG."""
    console = Console(
        record=True, width=PICTURE_WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(screen(snapshot))
    console.save_svg(str(file), title="moldau demo")


def _headline(snapshot: Snapshot) -> Text:
    text = Text()
    text.append(snapshot.stage, style=f"bold {ACCENT}")
    text.append(f"   {snapshot.elapsed_s:,.0f} s", style="dim")
    if snapshot.ready_s is not None:
        text.append(f"   broker ready after {snapshot.ready_s:.2f} s", style="dim")
    if snapshot.first_result_s is not None:
        text.append(f"   first result after {snapshot.first_result_s:.1f} s", style="dim")
    return text


def _flow(snapshot: Snapshot) -> RenderableType:
    table = Table(box=None, show_header=False, padding=(0, 1))
    table.add_column(style="dim")
    table.add_column(justify="right", style="bold")
    table.add_column(justify="right")
    table.add_row(ORDERS, f"{snapshot.records_in:,}", f"{snapshot.rate_in:,.0f}/s")
    table.add_row("read by Spark", f"{snapshot.records_read:,}", f"{snapshot.rate_out:,.0f}/s")
    table.add_row("lag", f"{snapshot.lag:,}", "")
    table.add_row(REVENUE, f"{snapshot.updates:,}", "")
    table.add_row(REJECTED, f"{snapshot.rejected:,}", "", style="yellow" if snapshot.rejected else "")
    return table


def _regions(snapshot: Snapshot) -> RenderableType:
    cents: dict[str, int] = {}
    orders: dict[str, int] = {}
    for (_, region), amount in snapshot.sums.cents.items():
        cents[region] = cents.get(region, 0) + amount
    for (_, region), count in snapshot.sums.orders.items():
        orders[region] = orders.get(region, 0) + count
    table = Table(box=None, padding=(0, 1), header_style="dim")
    table.add_column("region")
    table.add_column("orders", justify="right")
    table.add_column("revenue", justify="right", style="bold")
    for region in sorted(cents):
        table.add_row(region, f"{orders[region]:,}", money(cents[region]))
    return table if cents else Text("sums appear here when Spark is up", style="dim")


def _chart(snapshot: Snapshot) -> RenderableType:
    minutes: dict[str, int] = {}
    for (minute, _), amount in snapshot.sums.cents.items():
        minutes[minute] = minutes.get(minute, 0) + amount
    shown = sorted(minutes)[-CHART_MINUTES:]
    if not shown:
        return Text()
    highest = max(max(minutes[minute] for minute in shown), 1)
    text = Text(f"revenue per minute of the shop's day, up to {money(highest)}\n", style="dim")
    text.append(bars([minutes[minute] / highest for minute in shown], CHART_ROWS) + "\n", style=ACCENT)
    first, last = shown[0][-5:], shown[-1][-5:]
    text.append(first + " " * max(1, 2 * len(shown) - len(first) - len(last)) + last, style="dim")
    return text


def bars(shares: list[float], rows: int) -> str:
    """Columns of a chart, each a share of the full height; two characters for each column."""
    steps = len(BLOCKS) - 1
    heights = [round(share * rows * steps) for share in shares]
    drawn = []
    for row in reversed(range(rows)):
        drawn.append("".join(BLOCKS[min(max(height - row * steps, 0), steps)] + " " for height in heights).rstrip())
    return "\n".join(drawn)


def _try_now(snapshot: Snapshot) -> Text:
    if not snapshot.bootstrap:
        return Text()
    text = Text("in another terminal:  ", style="dim")
    text.append(f"moldau consume {REVENUE} --bootstrap {snapshot.bootstrap}", style="bold")
    return text
