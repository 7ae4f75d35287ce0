"""Every metric's name, unit and help: a counter that is not in this table cannot be made."""

from __future__ import annotations

from typing import NamedTuple


class Metric(NamedTuple):
    """What a number means."""

    name: str
    unit: str
    labels: tuple[str, ...]
    help: str


METRICS = {
    metric.name: metric
    for metric in (
        Metric("requests", "requests", ("api",), "Requests taken from connections."),
        Metric("request_bytes", "bytes", ("api",), "Bytes of those requests, without their length prefix."),
        Metric("answer_bytes", "bytes", ("api",), "Bytes of the answers, with their length prefix."),
        Metric("request_errors", "requests", ("api",), "Requests whose handler failed unexpectedly."),
        Metric("connections_accepted", "connections", (), "Connections taken since the start."),
        Metric("connections_refused", "connections", (), "Connections refused because a limit was reached."),
        Metric("connections_closed", "connections", ("cause",), "Connections that the broker closed, by cause."),
        Metric("produced_bytes", "bytes", (), "Bytes of record batches appended for producers."),
        Metric("produced_batches", "batches", (), "Record batches appended for producers."),
        Metric("fetched_bytes", "bytes", (), "Bytes of record batches handed to consumers."),
    )
}
