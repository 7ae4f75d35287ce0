"""SaslAuthenticate (API 36). One step of the proof of who the client is."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Bytes, Int16, Int64, NullableString, Table, Top, ignorable, since


class SaslAuthenticateRequest(Top):
    """The bytes of the mechanism."""

    TABLE: ClassVar[Table] = Table("request", key=36, versions=(0, 2), flexible=2)

    auth_bytes: Bytes = b""


class SaslAuthenticateResponse(Top):
    """The bytes of the answer."""

    TABLE: ClassVar[Table] = Table("response", key=36, versions=(0, 2), flexible=2)

    error_code: Int16 = 0
    error_message: NullableString = ""
    auth_bytes: Bytes = b""
    session_lifetime_ms: Annotated[Int64, since(1), ignorable] = 0
