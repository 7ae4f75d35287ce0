"""SaslHandshake (API 17). A client chooses how it will prove who it is."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int16, String, Table, Top


class SaslHandshakeRequest(Top):
    """The mechanism."""

    TABLE: ClassVar[Table] = Table("request", key=17, versions=(0, 1), flexible=None)

    mechanism: String = ""


class SaslHandshakeResponse(Top):
    """Whether it is had, and which there are."""

    TABLE: ClassVar[Table] = Table("response", key=17, versions=(0, 1), flexible=None)

    error_code: Int16 = 0
    mechanisms: list[String] = []
