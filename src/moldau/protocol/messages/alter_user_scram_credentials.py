"""AlterUserScramCredentials (API 51). SCRAM credentials are set and deleted."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Bytes, Int8, Int16, Int32, Message, NullableString, String, Table, Top


class ScramCredentialDeletion(Message):
    """One of the `deletions` of `AlterUserScramCredentialsRequest`."""

    name: String = ""
    mechanism: Int8 = 0


class ScramCredentialUpsertion(Message):
    """One of the `upsertions` of `AlterUserScramCredentialsRequest`."""

    name: String = ""
    mechanism: Int8 = 0
    iterations: Int32 = 0
    salt: Bytes = b""
    salted_password: Bytes = b""


class AlterUserScramCredentialsRequest(Top):
    """The changes."""

    TABLE: ClassVar[Table] = Table("request", key=51)

    deletions: list[ScramCredentialDeletion] = []
    upsertions: list[ScramCredentialUpsertion] = []


class AlterUserScramCredentialsResult(Message):
    """One of the `results` of `AlterUserScramCredentialsResponse`."""

    user: String = ""
    error_code: Int16 = 0
    error_message: NullableString = ""


class AlterUserScramCredentialsResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=51)

    throttle_time_ms: Int32 = 0
    results: list[AlterUserScramCredentialsResult] = []
