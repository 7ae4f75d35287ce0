"""CreateDelegationToken (API 38). A token that may stand for its owner is made."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Bytes, Int16, Int32, Int64, Message, NullableString, String, Table, Top, since


class CreatableRenewers(Message):
    """One of the `renewers` of `CreateDelegationTokenRequest`."""

    principal_type: String = ""
    principal_name: String = ""


class CreateDelegationTokenRequest(Top):
    """For whom, and for how long."""

    TABLE: ClassVar[Table] = Table("request", key=38, versions=(1, 3), flexible=2)

    owner_principal_type: Annotated[NullableString, since(3)] = ""
    owner_principal_name: Annotated[NullableString, since(3)] = ""
    renewers: list[CreatableRenewers] = []
    max_lifetime_ms: Int64 = 0


class CreateDelegationTokenResponse(Top):
    """The token."""

    TABLE: ClassVar[Table] = Table("response", key=38, versions=(1, 3), flexible=2)

    error_code: Int16 = 0
    principal_type: String = ""
    principal_name: String = ""
    token_requester_principal_type: Annotated[String, since(3)] = ""
    token_requester_principal_name: Annotated[String, since(3)] = ""
    issue_timestamp_ms: Int64 = 0
    expiry_timestamp_ms: Int64 = 0
    max_timestamp_ms: Int64 = 0
    token_id: String = ""
    hmac: Bytes = b""
    throttle_time_ms: Int32 = 0
