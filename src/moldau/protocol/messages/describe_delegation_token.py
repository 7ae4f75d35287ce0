"""DescribeDelegationToken (API 41). The delegation tokens of owners."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Bytes, Int16, Int32, Int64, Message, String, Table, Top, since


class DescribeDelegationTokenOwner(Message):
    """One of the `owners` of `DescribeDelegationTokenRequest`."""

    principal_type: String = ""
    principal_name: String = ""


class DescribeDelegationTokenRequest(Top):
    """Whose; null for all."""

    TABLE: ClassVar[Table] = Table("request", key=41, versions=(1, 3), flexible=2)

    owners: list[DescribeDelegationTokenOwner] | None = []


class DescribedDelegationTokenRenewer(Message):
    """One of the `renewers` of `DescribedDelegationToken`."""

    principal_type: String = ""
    principal_name: String = ""


class DescribedDelegationToken(Message):
    """One of the `tokens` of `DescribeDelegationTokenResponse`."""

    principal_type: String = ""
    principal_name: String = ""
    token_requester_principal_type: Annotated[String, since(3)] = ""
    token_requester_principal_name: Annotated[String, since(3)] = ""
    issue_timestamp: Int64 = 0
    expiry_timestamp: Int64 = 0
    max_timestamp: Int64 = 0
    token_id: String = ""
    hmac: Bytes = b""
    renewers: list[DescribedDelegationTokenRenewer] = []


class DescribeDelegationTokenResponse(Top):
    """The tokens."""

    TABLE: ClassVar[Table] = Table("response", key=41, versions=(1, 3), flexible=2)

    error_code: Int16 = 0
    tokens: list[DescribedDelegationToken] = []
    throttle_time_ms: Int32 = 0
