"""The tables say what they said when they were last compared with Kafka's schemas."""

from __future__ import annotations

import json

from tools.fingerprints import FILE, fingerprint

from tests.protocol.declared import MESSAGES


def test_no_table_has_changed_since_it_was_compared() -> None:
    compared = json.loads(FILE.read_text())
    now = {message.__name__: fingerprint(message) for message in MESSAGES}
    changed = sorted(name for name in now if now[name] != compared.get(name))
    assert not changed, f"{changed} changed: compare with the schemas (python -m tools.fingerprints --write)"
    assert sorted(now) == sorted(compared)
