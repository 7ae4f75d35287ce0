"""Messages to bytes and back, by functions compiled for one message in one version when first asked for.

Everyone above calls `encode` and `decode`; who handles many messages of a kind keeps the `Codec` from `compiled`.
Compiling is a pure function of class and version, so what it returned is remembered for the whole process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from moldau.environment.doors import Buffer, Part
from moldau.protocol.decoder import compile_decoder
from moldau.protocol.encoder import compile_encoder
from moldau.protocol.errors import Malformed, UnsupportedVersion
from moldau.protocol.tables import Top

M = TypeVar("M", bound=Top)


@dataclass(frozen=True, slots=True)
class Codec(Generic[M]):
    """Both directions of one message in one version."""

    encode: Callable[[M], list[Part]]
    """The parts of the message, the first of them bytes; raises `Unencodable`."""
    decode: Callable[..., tuple[M, int]]
    """`decode(buffer, position=0)`: the message and the position behind it; raises `Malformed`. The buffer ends where
    the frame does."""
    source: str
    """The text of both functions."""


@cache
def _compiled(cls: type[Top], version: int) -> Codec[Any]:
    first, last = cls.TABLE.versions
    if not first <= version <= last:
        raise UnsupportedVersion(f"{cls.__name__} has versions {first} to {last}, not {version}")
    flexible = cls.TABLE.is_flexible(version)
    encoder, encoder_text = compile_encoder(cls, version, flexible)
    decoder, decoder_text = compile_decoder(cls, version, flexible)
    return Codec(encoder, decoder, f"{encoder_text}\n\n{decoder_text}")


def compiled(cls: type[M], version: int) -> Codec[M]:
    """The codec of a message in a version; raises `UnsupportedVersion`."""
    return _compiled(cls, version)


def encode(message: Top, version: int) -> list[Part]:
    """The message as parts to send: small pieces joined, records and file slices as they are."""
    return _compiled(type(message), version).encode(message)


def decode(cls: type[M], version: int, buffer: Buffer, position: int = 0) -> M:
    """The message that fills the buffer from the position to its end."""
    message, stop = compiled(cls, version).decode(buffer, position)
    if stop != len(buffer):
        raise Malformed(f"{cls.__name__} v{version} ends at byte {stop}, the buffer at {len(buffer)}")
    return message
