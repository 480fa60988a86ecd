"""Check a signed rating statement without a connection.

    python verify_statement.py keys.json STATEMENT

keys.json is the file at /verify/keys.json of the ratings office; STATEMENT is the
statement or its address. Needs only the package "cryptography". Prints what was signed
and exits with 0, or says why the statement is not valid and exits with 1.

A statement is a JSON Web Signature (RFC 7515) in compact form: header, content and
signature, each in base64url and separated by periods. The signature is Ed25519
(RFC 8037), over the first two parts as they are written.
"""

import json
import sys
from base64 import urlsafe_b64decode
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def verify(keys: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the facts of a statement. Raises ValueError if it is not valid."""
    statement = text.strip().rstrip("/").rpartition("/")[2]
    parts = statement.split(".")
    if len(parts) != 3:
        raise ValueError("It is not complete: it should have three parts.")
    header, content, signature = (decoded(part) for part in parts)
    header = json.loads(header)
    key = next((key for key in keys["keys"] if key["kid"] == header.get("kid")), None)
    if header.get("alg") != "EdDSA" or key is None:
        raise ValueError("It was signed with a key that is not in the file of keys.")
    public = Ed25519PublicKey.from_public_bytes(decoded(key["x"]))
    try:
        public.verify(signature, f"{parts[0]}.{parts[1]}".encode())
    except InvalidSignature:
        raise ValueError("It was changed after it was signed.") from None
    facts: dict[str, Any] = json.loads(content)
    if key["valid_until"] and facts["issued"] > key["valid_until"]:
        raise ValueError("Its day is after the last day of its key.")
    return facts


def main() -> int:
    if len(sys.argv) != 3:
        print("python verify_statement.py keys.json STATEMENT")
        return 2
    try:
        keys = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
        facts = verify(keys, sys.argv[2])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"Not valid. {error}")
        return 1
    for name, value in facts.items():
        print(f"{name}: {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
