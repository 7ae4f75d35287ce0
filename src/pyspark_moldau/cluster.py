"""What a read has to know of the cluster before it starts: which partitions there are and how far they reach.

Called by the readers, in Spark's planning processes. One request for each topic and end.
"""

from __future__ import annotations

from pyspark_moldau.connections import connect
from pyspark_moldau.options import EARLIEST, LATEST, OptionError, Options, PartitionOffsets
from pyspark_moldau.ranges import Offsets

ENDS = {EARLIEST: "earliest", LATEST: "latest"}


def offsets_at(options: Options, end: str) -> Offsets:
    """The first or last offset (`earliest`, `latest`) of every partition that is read."""
    kafka = connect(options.bootstrap)
    found: Offsets = {}
    for topic in _topics(options):
        for partition, offset in kafka.list_offsets(topic, end).items():
            found[topic, partition] = offset
    if not options.assigned:
        return found
    missing = [f"{topic}-{partition}" for topic, partition in options.assigned if (topic, partition) not in found]
    if missing:
        raise OptionError(f"option 'assign' names partitions that are not there: {', '.join(missing)}")
    return {pair: found[pair] for pair in options.assigned}


def wanted(options: Options, name: str, given: str | PartitionOffsets) -> Offsets:
    """What `startingOffsets` or `endingOffsets` means now, for every partition that is read."""
    if isinstance(given, str):
        return offsets_at(options, given)
    ends = {offset: offsets_at(options, ENDS[offset]) for offset in ENDS if _names(given, offset)}
    there = next(iter(ends.values()), None) or offsets_at(options, "latest")
    told = {
        (topic, partition): offset for topic, partitions in given.items() for partition, offset in partitions.items()
    }
    if told.keys() != there.keys():
        differing = ", ".join(f"{topic}-{partition}" for topic, partition in sorted(told.keys() ^ there.keys()))
        raise OptionError(f"option '{name}' has to name exactly the partitions that are read; not so for: {differing}")
    return {pair: ends[offset][pair] if offset in ends else offset for pair, offset in told.items()}


def _topics(options: Options) -> list[str]:
    return sorted({topic for topic, _ in options.assigned} | set(options.topics))


def _names(given: PartitionOffsets, offset: int) -> bool:
    return any(offset in partitions.values() for partitions in given.values())
