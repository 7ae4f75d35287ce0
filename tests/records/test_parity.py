"""The native core and its twin give the same bytes, the same records and the same refusals."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moldau.records import Codec, InvalidBatch, Record, twin
from tests.records.samples import (
    CODECS,
    FOLDING,
    NOW,
    RECORDS,
    ROOM,
    Work,
    covers,
    decoded,
    flat,
    records,
    sealed,
    verdict,
)

quick = settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

READS: dict[str, Callable[[Any, bytearray], Any]] = {
    "validate": lambda core, buffer: core.validate(buffer, **ROOM),
    "validate keyed": lambda core, buffer: core.validate(buffer, **ROOM, require_keys=True),
    "decode": lambda core, buffer: core.decode(buffer, 1, max_decompressed_bytes=1 << 24),
    "columns": lambda core, buffer: flat(core.decode_columns(buffer, 1, max_decompressed_bytes=1 << 24)),
    "headers": lambda core, buffer: core.read_headers(buffer),
    "verified": lambda core, buffer: core.verified_headers(buffer),
    "stamp": lambda core, buffer: core.stamp(buffer, 0, 7, 7),
    "append time": lambda core, buffer: core.stamp_append_time(buffer, 0, 7),
}


def agree(native: Any, buffer: bytes | bytearray) -> None:
    """Both say the same of the buffer and leave the same behind."""
    for name, read in READS.items():
        ours, theirs = bytearray(buffer), bytearray(buffer)
        assert verdict(read, native, ours) == verdict(read, twin, theirs), name
        assert ours == theirs


def test_the_same_names_and_parameters(native: Any) -> None:
    assert sorted(native.__all__) == sorted(twin.__all__)
    for name in twin.__all__:
        if name != "BatchBuilder":
            parameters = inspect.signature(getattr(twin, name)).parameters
            assert list(inspect.signature(getattr(native, name)).parameters) == list(parameters), name


@quick
@given(records=records, cover=covers)
def test_the_same_bytes_and_the_same_records(native: Any, records: list[Record], cover: dict[str, Any]) -> None:
    batch = native.build(records, **cover)
    assert batch == twin.build(records, **cover)
    growing = native.BatchBuilder(Codec.NONE, 1 << 30)
    assert all(growing.append(*record) for record in records)
    assert growing.finish() == native.build(records)
    first = cover.get("base_offset", 0)
    expected = [] if cover.get("control") else decoded(records, first)
    for core in (native, twin):
        assert core.decode(batch) == expected
    agree(native, batch)


@quick
@given(records=records, codec=st.sampled_from(FOLDING))
def test_each_unfolds_what_the_other_folded(native: Any, records: list[Record], codec: Codec) -> None:
    for writer in (native, twin):
        batch = writer.build(records, codec=codec)
        for reader in (native, twin):
            assert reader.decode(batch) == decoded(records)
        agree(native, batch)


@quick
@given(data=st.data())
def test_spoiled_batches_get_the_same_verdict(native: Any, data: st.DataObject) -> None:
    """The sum and the length are put right again, or all would end at the gate."""
    codec = data.draw(st.sampled_from(CODECS))
    spoiled = bytearray(twin.build(data.draw(records), codec=codec))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(16, len(spoiled) - 1))
        kind = data.draw(st.sampled_from(["set", "cut", "insert"]))
        if kind == "set":
            spoiled[at] = data.draw(st.sampled_from([0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF]) | st.integers(0, 255))
        elif kind == "cut" and at > 61:
            del spoiled[at : at + data.draw(st.integers(1, 9))]
        else:
            spoiled[at:at] = data.draw(st.binary(max_size=9)) if at > 61 else b""
    agree(native, sealed(spoiled))


@quick
@given(payload=st.binary(max_size=60), count=st.integers(-1, 4), attributes=st.sampled_from(range(8)))
def test_noise_as_records_gets_the_same_verdict(native: Any, payload: bytes, count: int, attributes: int) -> None:
    batch = bytearray(twin.build_values([b""], NOW)[:61] + payload)
    batch[21:23] = attributes.to_bytes(2, "big")
    batch[23:27] = (count - 1).to_bytes(4, "big", signed=True)
    batch[57:61] = count.to_bytes(4, "big", signed=True)
    agree(native, sealed(batch))


@quick
@given(st.binary(max_size=200))
def test_noise_is_no_batch(native: Any, noise: bytes) -> None:
    agree(native, noise)


@pytest.mark.parametrize("codec", CODECS)
def test_cut_at_every_byte(native: Any, codec: Codec) -> None:
    batch = native.build(RECORDS[:3], codec=codec) + native.build_values([b"second"], NOW, codec=codec)
    for end in range(len(batch)):
        agree(native, batch[:end])


@pytest.mark.parametrize("codec", CODECS)
def test_every_byte_set_to_what_hurts(native: Any, codec: Codec) -> None:
    batch = native.build(RECORDS[:3], codec=codec)
    for at in range(21, len(batch)):
        for value in (0x00, 0x01, 0x80, 0xFF):
            spoiled = bytearray(batch)
            spoiled[at] = value
            spoiled = sealed(spoiled)
            for name in ("validate", "decode"):
                read = READS[name]
                assert verdict(read, native, bytearray(spoiled)) == verdict(read, twin, bytearray(spoiled)), (at, value)


def test_the_same_refusals_to_build(native: Any) -> None:
    works: list[Work] = [
        lambda core: core.build([]),
        lambda core: core.build(RECORDS, codec=9),
        lambda core: core.build(RECORDS, codec=Codec.GZIP, compression_level=12),
        lambda core: core.build_values([], NOW),
        lambda core: core.BatchBuilder(Codec.ZSTD, 1, 99),
        lambda core: core.BatchBuilder(Codec.ZSTD, 1).finish(),
    ]
    for work in works:
        said = []
        for core in (native, twin):
            with pytest.raises(ValueError) as refused:  # noqa: PT011
                work(core)
            said.append(str(refused.value))
        assert said[0] == said[1]


def test_a_refusal_is_the_same_class(native: Any) -> None:
    for core in (native, twin):
        with pytest.raises(InvalidBatch):
            core.decode(bytes(61))
