"""Finding out which versions of which APIs both sides speak: the first exchange of every conversation.

The channel asks with the newest ApiVersions. A broker that does not know that version answers in the form of
version 0 with UNSUPPORTED_VERSION and names the versions it knows, and is asked again with one of those.
"""

from __future__ import annotations

from struct import Struct

from moldau.channel.errors import ChannelClosed, VersionNotServed
from moldau.model import ErrorCode
from moldau.protocol.apis import API, Api, ApiKey
from moldau.protocol.codec import decode
from moldau.protocol.headers import decode_response
from moldau.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse

Versions = dict[int, tuple[int, int]]
"""For each API key of a broker the oldest and the newest version that it serves."""

FIRST_ASKED = 4
_SOFTWARE = "moldau"
_CORRELATION = Struct(">i")
_ERROR = Struct(">h")


def question(software_version: str) -> ApiVersionsRequest:
    """What to ask (older versions leave the names out)."""
    return ApiVersionsRequest(client_software_name=_SOFTWARE, client_software_version=software_version)


def read_answer(version: int, frame: bytes) -> ApiVersionsResponse:
    """The answer to ApiVersions, which has the form of version 0 when it refuses the version asked with."""
    (error,) = _ERROR.unpack_from(frame, _CORRELATION.size)
    if error == ErrorCode.UNSUPPORTED_VERSION:
        return decode(ApiVersionsResponse, 0, frame, _CORRELATION.size)
    _, answer = decode_response(ApiKey.API_VERSIONS, version, frame)
    assert isinstance(answer, ApiVersionsResponse)
    return answer


def next_version(answer: ApiVersionsResponse, asked: int) -> int | None:
    """The version to ask again with, or None when the answer stands; ChannelClosed when nothing helps."""
    if answer.error_code == ErrorCode.NONE:
        return None
    if answer.error_code == ErrorCode.UNSUPPORTED_VERSION and asked > 0:
        named = served(answer).get(ApiKey.API_VERSIONS, (0, 0))
        return min(named[1], asked - 1)
    raise ChannelClosed(f"the broker refuses to tell its versions (error code {answer.error_code})")


def served(answer: ApiVersionsResponse) -> Versions:
    """What the broker serves."""
    return {named.api_key: (named.min_version, named.max_version) for named in answer.api_keys}


def common_version(api: Api, versions: Versions, at_most: int | None, broker: str) -> int:
    """The newest version that both sides have; VersionNotServed when there is none."""
    oldest, newest = versions.get(api.key, (1, 0))
    ours = api.stable_version if at_most is None else min(at_most, api.stable_version)
    version = min(newest, ours)
    if version < max(oldest, api.min_version):
        theirs = f"versions {oldest} to {newest}" if newest >= oldest else "no version"
        raise VersionNotServed(
            f"{broker} serves {theirs} of {api.name}, this side {api.min_version} to {ours}; use a newer broker"
        )
    return version


def api_of(request: object) -> Api:
    """The API that a request message belongs to."""
    table = getattr(request, "TABLE", None)
    if table is None or table.key is None:
        raise TypeError(f"{type(request).__name__} is not a request")
    return API[ApiKey(table.key)]
