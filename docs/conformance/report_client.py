"""Send rating reports to a ratings office. Needs Python 3.11, and nothing else.

    report_client.py sign-in CLIENT_ID       print an access token
    report_client.py check FILE...           issues and expected ratings; keeps nothing
    report_client.py send FILE...            open a report; again: the same report
    report_client.py replace REPORT FILE...  new files for a report not yet submitted
    report_client.py submit REPORT           hand it to the office
    report_client.py show REPORT             its state and issues

The environment has OFFICE, the office's address, and TOKEN, an access token or API key.
The status comes first, then the office's answer. Exit status 1: it was refused.
"""

import hashlib
import json
import os
import sys
import time
from pathlib import Path
from urllib import error, parse, request

OFFICE = os.environ.get("OFFICE", "http://127.0.0.1:8000").rstrip("/")
REPORTS = f"{OFFICE}/api/v1/reports"
PROGRAM = "program=Example+in+Python&version=1.0"
SCOPE = "report:draft report:submit members:read"
GRANT = "urn:ietf:params:oauth:grant-type:device_code"
WAITS = (2, 10, 30)  # seconds before the request is repeated


def call(method, url, body=None, headers=None):
    """Return status and answer. Repeat what the office says may succeed later."""
    for wait in (*WAITS, None):
        asked = request.Request(url, body, headers or {}, method=method)
        try:
            with request.urlopen(asked, timeout=60) as answer:
                return answer.status, json.load(answer)
        except error.HTTPError as refused:
            document = json.load(refused)
            if wait is None or not document.get("retryable"):
                return refused.code, document
            time.sleep(min(int(refused.headers.get("Retry-After", wait)), WAITS[-1]))


def ask(method, path="", files=None, **headers):
    """Send a request with the token, and the files as a form."""
    headers["Authorization"] = f"Bearer {os.environ['TOKEN']}"
    body = form(files) if files else None
    if files:
        headers["Content-Type"] = f"multipart/form-data; boundary={key_of(files)}"
    return call(method, f"{REPORTS}{path}", body, headers)


def form(files):
    edge = key_of(files)
    head = f'--{edge}\r\nContent-Disposition: form-data; name="files"; filename='
    heads = (f'{head}"{name}"\r\n\r\n'.encode() for name in files)
    parts = zip(heads, files.values(), strict=True)
    body = b"".join(head + content + b"\r\n" for head, content in parts)
    return body + f"--{edge}--\r\n".encode()


def key_of(files):
    return hashlib.sha256(b"".join(files.values())).hexdigest()


def send(files):
    """Open a report. The key makes a repeated request find the report of the first."""
    return ask("POST", f"?{PROGRAM}", files, **{"Idempotency-Key": key_of(files)})


def replace(report, files):
    """Replace the files, unless someone edits the report in the meantime."""
    version = ask("GET", f"/{report}")[1].get("version")
    return ask("POST", f"/{report}/files?report_version={version}&{PROGRAM}", files)


def post(url, **fields):
    return call("POST", url, parse.urlencode(fields).encode())[1]


def sign_in(client):
    """Return an access token, after the TD has entered a code (RFC 8628)."""
    office = call("GET", f"{OFFICE}/.well-known/openid-configuration")[1]
    asked = post(office["device_authorization_endpoint"], client_id=client, scope=SCOPE)
    if "user_code" not in asked:
        sys.exit(f"Not signed in: {asked.get('error_description') or asked}")
    where = f"Open {asked['verification_uri']} and enter {asked['user_code']}."
    print(where, file=sys.stderr, flush=True)
    fields = {"client_id": client, "device_code": asked["device_code"]}
    wait, token = asked.get("interval", 5), {"error": "authorization_pending"}
    while token.get("error") in ("authorization_pending", "slow_down"):
        wait += 5 * (token["error"] == "slow_down")
        time.sleep(wait)
        token = post(office["token_endpoint"], grant_type=GRANT, **fields)
    return token.get("access_token") or sys.exit(f"Not signed in: {token['error']}.")


def read(names):
    return {Path(name).name: Path(name).read_bytes() for name in names}


def main(command, first, *rest):
    if command == "sign-in":
        print(sign_in(first))
        return 0
    status, answer = {
        "check": lambda: ask("POST", "?dry_run=true", read([first, *rest])),
        "send": lambda: send(read([first, *rest])),
        "replace": lambda: replace(first, read(rest)),
        "submit": lambda: ask("POST", f"/{first}/submit"),
        "show": lambda: ask("GET", f"/{first}"),
    }[command]()
    print(status, json.dumps(answer, indent=1, ensure_ascii=False), sep="\n")
    return int(status >= 400)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else __doc__)
