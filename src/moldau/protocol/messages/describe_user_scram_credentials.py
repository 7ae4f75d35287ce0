"""DescribeUserScramCredentials (API 50). Which users have a SCRAM credential, and of what strength."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Int8, Int16, Int32, Message, NullableString, String, Table, Top


class UserName(Message):
    """One of the `users` of `DescribeUserScramCredentialsRequest`."""

    name: String = ""


class DescribeUserScramCredentialsRequest(Top):
    """Which users; null for all."""

    TABLE: ClassVar[Table] = Table("request", key=50)

    users: list[UserName] | None = []


class CredentialInfo(Message):
    """One of the `credential_infos` of `DescribeUserScramCredentialsResult`."""

    mechanism: Int8 = 0
    iterations: Int32 = 0


class DescribeUserScramCredentialsResult(Message):
    """One of the `results` of `DescribeUserScramCredentialsResponse`."""

    user: String = ""
    error_code: Int16 = 0
    error_message: NullableString = ""
    credential_infos: list[CredentialInfo] = []


class DescribeUserScramCredentialsResponse(Top):
    """What each has."""

    TABLE: ClassVar[Table] = Table("response", key=50)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = ""
    results: list[DescribeUserScramCredentialsResult] = []
