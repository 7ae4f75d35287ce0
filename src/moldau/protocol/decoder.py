"""The decoder compiler: one straight-line function for each message and version.

Called by `codec`. What it writes:

D1  Adjacent fixed fields are read by one `unpack_from`, the first byte (or the whole) of a following length with them.
D2  Nothing is allocated for a length or a count before it has been compared with the bytes that are left.
D3  Whatever is wrong with the bytes ends as `Malformed`.
D4  Record bytes are a view of the buffer; a message without any is first copied into bytes, which read faster.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct, calcsize
from struct import error as struct_error
from typing import Any

import msgspec

from moldau.protocol import wire
from moldau.protocol.errors import Malformed
from moldau.protocol.layout import Layout, carries_records, is_nullable, layout_of, minimum_size
from moldau.protocol.source import Source, literal
from moldau.protocol.tables import Field, Wire


def compile_decoder(cls: type[msgspec.Struct], version: int, flexible: bool) -> tuple[Callable[..., Any], str]:
    """`decode(buffer, position) -> (message, position behind it)` and its text."""
    source = Source(
        Malformed=Malformed,
        struct_error=struct_error,
        read_uvarint=wire.read_uvarint,
        read_tags=wire.read_tags,
        read_tag=wire.read_tag,
        unpack_array=wire.unpack_array,
    )
    writer = _Decoder(source, version, flexible, view=carries_records(cls))
    title = f"{cls.__name__} v{version}"
    with source.block("def decode(buffer, position=0):"):
        kind = "memoryview" if writer.view else "bytes"
        with source.block(f"if type(buffer) is not {kind}:"):
            source.line(f"buffer = {kind}(buffer)")
        source.line("end = len(buffer)")
        with source.block("try:"):
            result = writer.struct(cls)
            source.line(f"return {result}, position")
        with source.block("except (struct_error, IndexError, UnicodeDecodeError, Malformed) as broken:"):
            source.line(f"raise Malformed(f'{title} near byte {{position}} of {{end}}: {{broken}}') from broken")
    return source.compile("decode", f"decode {title}"), source.text()


class _Decoder:
    def __init__(self, source: Source, version: int, flexible: bool, view: bool) -> None:
        self.view = view
        self._source = source
        self._version = version
        self._flexible = flexible
        self._pending: list[tuple[str, str]] = []

    # ------------------------------------------------------------------------------------------ structs

    def struct(self, cls: type[msgspec.Struct]) -> str:
        """Read one struct; the name of the local that holds it."""
        layout = layout_of(cls, self._version)
        values = {field.name: self._field(field) for field in layout.plain}
        made = self._source.fresh(_short(cls.__name__))
        if not self._flexible:
            self._flush()
            self._make(made, cls, layout, values)
            return made
        tags = self._source.fresh("tags")
        self._pending.append(("B", tags))
        self._flush()
        with self._source.block(f"if not {tags}:"):
            self._make(made, cls, layout, values)
        with self._source.block("else:"):
            unknown = self._tag_section(layout, tags, values)
            self._make(made, cls, layout, values, unknown)
        return made

    def _make(
        self, made: str, cls: type[msgspec.Struct], layout: Layout, values: dict[str, str], unknown: str = ""
    ) -> None:
        arguments = [values.get(field.name) for field in layout.fields]
        while arguments and arguments[-1] is None:
            arguments.pop()
        spelled = [
            value or literal(self._source, field.default)
            for field, value in zip(layout.fields, arguments, strict=False)
        ]
        if unknown:
            spelled.append(f"unknown_tags={unknown}")
        self._source.line(f"{made} = {self._source.constant(cls.__name__, cls)}({', '.join(spelled)})")

    def _tag_section(self, layout: Layout, tags: str, values: dict[str, str]) -> str:
        source = self._source
        unknown = source.fresh("unknown")
        if not layout.tagged:
            source.line(f"{unknown}, position = read_tags(buffer, position, {tags})")
            return unknown
        source.line(f"{unknown} = None")
        with source.block(f"if {tags} > 127:"):
            source.line(f"{tags}, position = read_uvarint(buffer, position - 1)")
        for field in layout.tagged:
            values[field.name] = source.fresh(field.name)
            source.line(f"{values[field.name]} = {literal(source, field.default)}")
        number, size, stop = source.fresh("number"), source.fresh("size"), source.fresh("stop")
        with source.block(f"for _ in range({tags}):"):
            source.line(f"{number}, position = read_uvarint(buffer, position)")
            source.line(f"{size}, position = read_uvarint(buffer, position)")
            source.line(f"{stop} = position + {size}")
            word = "if"
            for field in layout.tagged:
                with source.block(f"{word} {number} == {field.tag}:"):
                    value = self._field(field)
                    self._flush()
                    source.line(f"{values[field.name]} = {value}")
                word = "elif"
            with source.block("else:"):
                source.line(f"if {unknown} is None: {unknown} = {{}}")
                source.line(f"{unknown}[{number}], position = read_tag(buffer, position, {size})")
            with source.block(f"if position != {stop}:"):
                source.line("raise Malformed('a tagged field is longer or shorter than it says')")
        return unknown

    # ------------------------------------------------------------------------------------------- fields

    def _field(self, field: Field) -> str:
        """Read one field; the name of the local that holds it, perhaps only after the next flush."""
        if field.array:
            return self._array(field)
        if field.struct is not None:
            return self._nested(field, field.struct)
        assert field.wire is not None
        return self._scalar(field.wire, field, is_nullable(field, self._version))

    def _scalar(self, kind: Wire, field: Field, nullable: bool) -> str:
        name = self._source.fresh(field.name)
        if kind.format:
            self._pending.append((kind.format, name))
        else:
            self._sized(kind, name, nullable, compact=self._flexible and not field.inflexible)
        return name

    def _nested(self, field: Field, struct: type[msgspec.Struct]) -> str:
        if not is_nullable(field, self._version):
            return self.struct(struct)
        source = self._source
        name, marker = source.fresh(field.name), source.fresh("marker")
        self._pending.append(("b", marker))
        self._flush()
        with source.block(f"if {marker} < 0:"):
            source.line(f"{name} = None")
        with source.block("else:"):
            source.line(f"{name} = {self.struct(struct)}")
        return name

    def _sized(self, kind: Wire, name: str, nullable: bool, compact: bool) -> None:
        source = self._source
        size, stop = self._length("h" if kind.name == "string" else "i", compact), source.fresh("stop")
        source.line(f"{stop} = position + {size}" + (" - 1" if compact else ""))
        with source.block(f"if position <= {stop} <= end:"):
            source.line(f"{name} = {self._taken(kind, stop)}")
            source.line(f"position = {stop}")
        self._otherwise(name, size, nullable, compact)

    def _taken(self, kind: Wire, stop: str) -> str:
        taken = f"buffer[position:{stop}]"
        if kind.name == "records":
            return taken
        if kind.name == "string":
            return f"{taken}.tobytes().decode()" if self.view else f"{taken}.decode()"
        return f"{taken}.tobytes()" if self.view else taken

    def _length(self, wide: str, compact: bool) -> str:
        """Read a length or count as it stands; compact ones are one too large."""
        source = self._source
        size = source.fresh("size")
        self._pending.append(("B" if compact else wide, size))
        self._flush()
        if compact:
            with source.block(f"if {size} > 127:"):
                source.line(f"{size}, position = read_uvarint(buffer, position - 1)")
        return size

    def _otherwise(self, name: str, size: str, nullable: bool, compact: bool) -> None:
        """What follows when a length is not one that fits."""
        source = self._source
        if nullable:
            with source.block(f"elif {size} == {0 if compact else -1}:"):
                source.line(f"{name} = None")
        with source.block("else:"):
            said = f"{name.rsplit('_', 1)[0]} has length {{{size}{' - 1' if compact else ''}}}"
            source.line(f"raise Malformed(f'{said}, {{end - position}} bytes are left')")

    def _array(self, field: Field) -> str:
        if field.wire is not None and field.wire.format:
            return self._numbers(field, field.wire)
        source = self._source
        compact = self._flexible and not field.inflexible
        name = source.fresh(field.name)
        size = self._length("i", compact)
        count = size
        if compact:
            count = source.fresh("count")
            source.line(f"{count} = {size} - 1")
        with source.block(f"if 0 <= {count} * {self._least(field)} <= end - position:"):
            self._items(name, count, field, compact)
        self._otherwise(name, size, is_nullable(field, self._version), compact)
        return name

    def _least(self, field: Field) -> int:
        """The fewest bytes an item takes."""
        if field.struct is None:
            return 1 if self._flexible else 2
        least = minimum_size(field.struct, self._version, self._flexible)
        assert least > 0, f"{field.name}: an item of no bytes would make any count believable"
        return least

    def _numbers(self, field: Field, kind: Wire) -> str:
        """Numbers of one size; a short array has a reader for just its length, which finds out itself if bytes lack."""
        source = self._source
        compact = self._flexible and not field.inflexible
        name, size, stop = source.fresh(field.name), source.fresh("size"), source.fresh("stop")
        width = calcsize(">" + kind.format)
        self._pending.append(("B" if compact else "i", size))
        self._flush()
        none = 1 if compact else 0
        readers = wire.array_unpackers(kind.format)
        table = source.constant(f"READ_{kind.name}_{none}", (readers[0],) * none + readers)
        with source.block(f"if {none} <= {size} < {none + wire.SHORT_ARRAYS}:"):
            source.line(f"{name} = list({table}[{size}](buffer, position))")
            source.line(f"position += {size} * {width}" + (f" - {width}" if compact else ""))
        with source.block("else:"):
            if compact:
                with source.block(f"if {size} > 127:"):
                    source.line(f"{size}, position = read_uvarint(buffer, position - 1)")
            source.line(f"{stop} = position + ({size} - {none}) * {width}")
            with source.block(f"if position <= {stop} <= end:"):
                source.line(f"{name} = list(unpack_array({kind.format!r}, {size} - {none}, buffer, position))")
                source.line(f"position = {stop}")
            self._otherwise(name, size, is_nullable(field, self._version), compact)
        return name

    def _items(self, name: str, count: str, field: Field, compact: bool) -> None:
        source = self._source
        source.line(f"{name} = []")
        with source.block(f"for _ in range({count}):"):
            if field.struct is not None:
                item = self.struct(field.struct)
            else:
                assert field.wire is not None
                item = source.fresh("item")
                self._sized(field.wire, item, nullable=False, compact=compact)
            source.line(f"{name}.append({item})")

    # -------------------------------------------------------------------------------------- fixed runs

    def _flush(self) -> None:
        """Read what is pending (D1)."""
        if not self._pending:
            return
        formats = "".join(code for code, _ in self._pending)
        names = ", ".join(name for _, name in self._pending)
        self._pending = []
        if formats == "B":
            self._source.line(f"{names} = buffer[position]")
        else:
            reader = self._source.constant(f"read_{formats.replace('?', 'o')}", Struct(">" + formats).unpack_from)
            self._source.line(f"{names}{'' if ', ' in names else ','} = {reader}(buffer, position)")
        self._source.line(f"position += {calcsize('>' + formats)}")


def _short(name: str) -> str:
    return name[:1].lower() + name[1:]
