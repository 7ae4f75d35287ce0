"""Who sent a request that a broker forwards."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Bool, String, Table, Top


class DefaultPrincipalData(Top):
    """The principal."""

    TABLE: ClassVar[Table] = Table("data")

    type: String = ""
    name: String = ""
    token_authenticated: Bool = False
