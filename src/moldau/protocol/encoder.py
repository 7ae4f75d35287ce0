"""The encoder compiler: one straight-line function for each message and version.

Called by `codec`. What it writes:

E1  Adjacent fixed fields are packed by one `pack`; all the small pieces between two payloads are joined once.
E2  Record bytes and file slices become parts of their own, never copied.
E3  The tagged section is one zero byte unless a field differs from its default or unknown tags were kept.
E4  A value other than the default of a field that this version lacks is refused, unless it is ignorable; so are
    unknown tags in a version that has no tagged section.
E5  Whatever cannot be said ends as `Unencodable`.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from struct import error as struct_error
from typing import Any

import msgspec

from moldau.protocol import wire
from moldau.protocol.errors import Unencodable
from moldau.protocol.layout import carries_records, is_nullable, layout_of
from moldau.protocol.source import Source, literal
from moldau.protocol.tables import Field, Wire


def compile_encoder(cls: type[msgspec.Struct], version: int, flexible: bool) -> tuple[Callable[..., Any], str]:
    """`encode(message) -> parts` and its text; the first part is bytes."""
    source = Source(
        Unencodable=Unencodable,
        struct_error=struct_error,
        VARINTS=wire.VARINTS,
        uvarint=wire.uvarint,
        tag_section=wire.tag_section,
        pack_array=wire.pack_array,
        join=b"".join,
    )
    title = f"{cls.__name__} v{version}"
    parts = carries_records(cls)
    with source.block("def encode(message):"):
        source.line("out = []")
        if parts:
            source.line("parts = []")
        with source.block("try:"):
            writer = _Encoder(source, version, flexible)
            writer.struct(cls, "message")
            writer.flush()
        with source.block(
            "except (struct_error, TypeError, AttributeError, UnicodeEncodeError, Unencodable) as wrong:"
        ):
            source.line(f"raise Unencodable(f'{title}: {{wrong}}') from wrong")
        if parts:
            with source.block("if out or not parts:"):
                source.line("parts.append(join(out))")
            source.line("return parts")
        else:
            source.line("return [join(out)]")
    return source.compile("encode", f"encode {title}"), source.text()


class _Encoder:
    def __init__(self, source: Source, version: int, flexible: bool) -> None:
        self._source = source
        self._version = version
        self._flexible = flexible
        self._out = "out"
        self._chunks: list[str] = []
        self._packed: list[tuple[str, str]] = []

    # ------------------------------------------------------------------------------------------ structs

    def struct(self, cls: type[msgspec.Struct], owner: str) -> None:
        """Write one struct that the local `owner` holds."""
        layout = layout_of(cls, self._version)
        for field in layout.absent:
            if not field.ignorable:
                self._refuse(cls, field, f"{owner}.{field.name}")
        for field in layout.plain:
            self._field(field, f"{owner}.{field.name}")
        if self._flexible:
            self._tag_section(layout.tagged, owner)
        else:
            with self._source.block(f"if {owner}.unknown_tags is not None:"):
                self._source.line("raise Unencodable('tagged fields were kept, and this version has none')")

    def _refuse(self, cls: type[msgspec.Struct], field: Field, value: str) -> None:
        with self._source.block(f"if {self._differs(field, value)}:"):
            said = f"{cls.__name__}.{field.name} does not exist in this version, but is {{{value}!r}}"
            self._source.line(f"raise Unencodable(f{said!r})")

    def _differs(self, field: Field, value: str) -> str:
        default = field.default
        if default is None:
            return f"{value} is not None"
        if default is False or (default in ("", b"", []) and field.nullable is None):
            return value
        spelled = literal(self._source, default)
        if isinstance(default, msgspec.Struct):
            return f"({value} is not {spelled} and {value} != {spelled})"
        return f"{value} != {spelled}"

    def _tag_section(self, tagged: tuple[Field, ...], owner: str) -> None:
        source = self._source
        dirty = [f"{owner}.unknown_tags is not None"]
        dirty += [self._differs(field, f"{owner}.{field.name}") for field in tagged]
        chunks, packed = list(self._chunks), list(self._packed)
        with source.block(f"if {' or '.join(dirty)}:"):
            self.flush()
            known = "{}"
            if tagged:
                known = source.fresh("known")
                source.line(f"{known} = {{}}")
            for field in tagged:
                value = f"{owner}.{field.name}"
                with source.block(f"if {self._differs(field, value)}:"):
                    self._tagged(field, value, known)
            source.line(f"{self._out}.append(tag_section({known}, {owner}.unknown_tags))")
        with source.block("else:"):
            self._chunks, self._packed = chunks, [*packed, ("x", "")]
            self.flush()

    def _tagged(self, field: Field, value: str, known: str) -> None:
        outer, self._out = self._out, self._source.fresh("content")
        self._source.line(f"{self._out} = []")
        self._field(field, value)
        self.flush()
        self._source.line(f"{known}[{field.tag}] = join({self._out})")
        self._out = outer

    # ------------------------------------------------------------------------------------------- fields

    def _field(self, field: Field, value: str) -> None:
        nullable = is_nullable(field, self._version)
        compact = self._flexible and not field.inflexible
        if field.array:
            self._array(field, value, nullable, compact)
        elif field.struct is not None:
            self._nested(field.struct, value, nullable)
        else:
            assert field.wire is not None
            self._scalar(field.wire, value, nullable, compact)

    def _nested(self, struct: type[msgspec.Struct], value: str, nullable: bool) -> None:
        local = self._source.fresh("struct")
        self._source.line(f"{local} = {value}")
        if not nullable:
            self.struct(struct, local)
            return
        self.flush()
        with self._source.block(f"if {local} is None:"):
            self._source.line(f"{self._out}.append(b'\\xff')")
        with self._source.block("else:"):
            self._packed.append(("b", "1"))
            self.struct(struct, local)
            self.flush()

    def _scalar(self, kind: Wire, value: str, nullable: bool, compact: bool) -> None:
        if kind.format:
            self._packed.append((kind.format, value))
            if kind.format == "16s":
                self._uuid(value)
        elif kind.name == "records":
            self._records(value, nullable, compact)
        else:
            self._sized(kind, value, nullable, compact)

    def _uuid(self, value: str) -> None:
        with self._source.block(f"if len({value}) != 16:"):
            self._source.line(f"raise Unencodable(f'a uuid has 16 bytes, not {{len({value})}}')")

    def _sized(self, kind: Wire, value: str, nullable: bool, compact: bool) -> None:
        source = self._source
        raw, size = source.fresh("raw"), source.fresh("size")
        wide = "h" if kind.name == "string" else "i"
        turned = f"{value}.encode()" if kind.name == "string" else value
        if not nullable:
            source.line(f"{raw} = {turned}")
            source.line(f"{size} = len({raw})")
        else:
            with source.block(f"if {value} is None:"):
                source.line(f"{raw} = b''; {size} = -1")
            with source.block("else:"):
                source.line(f"{raw} = {turned}; {size} = len({raw})")
        self._count(size, wide, compact)
        self._chunk(raw)

    def _records(self, value: str, nullable: bool, compact: bool) -> None:
        source = self._source
        payload, size = source.fresh("payload"), source.fresh("size")
        source.line(f"{payload} = {value}")
        if nullable:
            with source.block(f"if {payload} is None:"):
                source.line(f"{size} = -1")
            word = "elif"
        else:
            word = "if"
        with source.block(f"{word} type({payload}) is list:"):
            source.line(f"{size} = sum(map(len, {payload}))")
        with source.block("else:"):
            source.line(f"{size} = len({payload})")
        self._count(size, "i", compact)
        self.flush()
        with source.block(f"if {size} > 0:"):
            source.line("parts.append(join(out))")
            source.line("out.clear()")
            with source.block(f"if type({payload}) is list:"):
                source.line(f"parts += {payload}")
            with source.block("else:"):
                source.line(f"parts.append({payload})")

    def _array(self, field: Field, value: str, nullable: bool, compact: bool) -> None:
        source = self._source
        items = source.fresh("items")
        source.line(f"{items} = {value}")
        size = source.fresh("size")
        if not nullable:
            source.line(f"{size} = len({items})")
        else:
            with source.block(f"if {items} is None:"):
                source.line(f"{items} = (); {size} = -1")
            with source.block("else:"):
                source.line(f"{size} = len({items})")
        if field.wire is not None and field.wire.format:
            self._numbers(field.wire, items, size, compact)
            return
        self._count(size, "i", compact)
        self.flush()
        item = source.fresh("item")
        with source.block(f"for {item} in {items}:"):
            if field.struct is not None:
                self.struct(field.struct, item)
            else:
                assert field.wire is not None
                self._scalar(field.wire, item, nullable=False, compact=compact)
            self.flush()

    def _numbers(self, kind: Wire, items: str, size: str, compact: bool) -> None:
        packers = wire.array_packers("B" if compact else "i", kind.format)
        name = self._source.constant(f"PACK_{kind.name}_{'compact' if compact else 'wide'}", packers)
        count = f"{size} + 1" if compact else size
        prefix = self._varint(size) if compact else f"{self._packer('i')}({size})"
        short = f"{name}[{size}]({count}, *{items}) if {size} < {wire.SHORT_ARRAYS}"
        self._chunk(f"({short} else pack_array({prefix}, {kind.format!r}, {items}))")
        if kind.format == "16s":
            self._source.line(f"if any(len(item) != 16 for item in {items}): raise Unencodable('a uuid has 16 bytes')")

    # -------------------------------------------------------------------------------------------- pieces

    def _count(self, size: str, wide: str, compact: bool) -> None:
        if compact:
            self._chunk(self._varint(size))
        else:
            self._packed.append((wide, size))

    def _varint(self, size: str) -> str:
        """The expression of a compact length."""
        return f"(VARINTS[{size} + 1] if {size} < {wire.SHORT_VARINTS - 1} else uvarint({size} + 1))"

    def _packer(self, formats: str) -> str:
        return self._source.constant(f"pack_{formats.replace('?', 'o')}", Struct(">" + formats).pack)

    def _chunk(self, expression: str) -> None:
        self._seal()
        self._chunks.append(expression)

    def _seal(self) -> None:
        """Turn the run of fixed fields into one chunk (E1)."""
        if self._packed:
            formats = "".join(code for code, _ in self._packed)
            values = ", ".join(value for _, value in self._packed if value)
            self._packed = []
            self._chunks.append(f"{self._packer(formats)}({values})" if values else repr(bytes(len(formats))))

    def flush(self) -> None:
        """Write the chunks gathered so far."""
        self._seal()
        if len(self._chunks) == 1:
            self._source.line(f"{self._out}.append({self._chunks[0]})")
        elif self._chunks:
            self._source.line(f"{self._out} += ({', '.join(self._chunks)})")
        self._chunks = []
