"""What each declared message says, as one digest a message: `python -m tools.fingerprints --write`.

The declarations are compared field by field with Kafka's published schemas where these are at hand; the digests, made
after such a comparison, stand in for them everywhere else, so that no field changes unnoticed.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from moldau.protocol.tables import Top, fields_of

FILE = Path(__file__).resolve().parents[1] / "tests" / "protocol" / "fingerprints.json"


def fingerprint(message: type[Top]) -> str:
    """A digest of everything that the declaration says."""
    said = json.dumps([repr(message.TABLE), _fields(message)], separators=(",", ":"))
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _fields(struct: Any) -> list[Any]:
    return [
        [
            *(field.name, field.wire.name if field.wire else "struct", field.array, field.versions, field.nullable),
            *(field.tag, field.ignorable, field.inflexible, "" if field.struct else repr(field.default)),
            _fields(field.struct) if field.struct else None,
        ]
        for field in fields_of(struct)
    ]


def main() -> int:
    """Write the file, once the declarations have been found equal to the schemas."""
    from tests.protocol.declared import MESSAGES
    from tests.protocol.reference import SCHEMAS, differences, load_schemas

    if sys.argv[1:] != ["--write"]:
        print(__doc__)
        return 2
    if not SCHEMAS.is_dir():
        print(f"no schemas to compare with at {SCHEMAS}: set MOLDAU_REFERENCE")
        return 1
    schemas = load_schemas()
    wrong = [line for message in MESSAGES for line in differences(message, schemas[message.__name__])]
    if wrong:
        print("\n".join(wrong))
        return 1
    FILE.write_text(json.dumps({one.__name__: fingerprint(one) for one in MESSAGES}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
