"""Check an office with the conformance kit: run.py [CLIENT ...]

OFFICE is its address; TOKEN is an access token or API key of its demo account “td”.
Without a token, the kit signs in to that account and makes a key for itself. The
client, such as `mono ReportClient.exe`, is called for each file; without one, it is
report_client.py. All are dry runs, but for one report, which stays a draft. One line
for each file says “ok” or what differs. Exit status 1: something differs.
"""

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib import error, parse, request

HERE = Path(__file__).parent
KIT = json.loads((HERE / "expected.json").read_text("utf-8"))
CLIENT = sys.argv[1:] or [sys.executable, str(HERE / "report_client.py")]
DRAFT = HERE / "draft"
KEYS = "/account/keys/"
DEMO = {"login": "td", "password": "demo-td"}
NO_MORE = {"floors": {}, "norms": {}}


def open_pages(office, login, password):
    """Sign in on the site; return a function that gets a page, or sends its form."""
    browser = request.build_opener(request.HTTPCookieProcessor())

    def page(path, form="", **fields):
        if fields:
            hidden = r'name="csrfmiddlewaretoken" value="(\w+)"'
            fields["csrfmiddlewaretoken"] = re.search(hidden, page(form or path))[1]
        body = parse.urlencode(fields).encode() if fields else None
        with browser.open(f"{office}{path}", body) as answer:
            return answer.read().decode()

    page("/accounts/login/", login=login, password=password)
    return page


@contextmanager
def demo_key():
    """Sign in to the demo as its TD, and create a key that ends with the run."""
    office = os.environ.get("OFFICE", "http://127.0.0.1:8000").rstrip("/")
    try:
        page = open_pages(office, **DEMO)
        made = page(KEYS, name="Conformance kit", may_submit="on")
    except error.HTTPError:
        sys.exit("This office has no demo account “td”. Set TOKEN to an API key.")
    number = max(map(int, re.findall(rf"{KEYS}(\d+)/revoke/", made)))
    try:
        yield re.search(r'id="new-key" type="text" readonly value="([^"]+)"', made)[1]
    finally:
        page(f"{KEYS}{number}/revoke/", KEYS, number=number)


def differences(case, status, answer):
    """Return what an office's answer to a dry run of *case* has otherwise."""
    if status != case["status"]:
        return [f"status {status}, not {case['status']}: {answer.get('detail', '')}"]
    expected = sorted(map(str, case["findings"]))
    found = sorted(
        str([one["severity"], one["code"], *place_of(one)])
        for one in answer["findings"]
        if one["code"] not in KIT["not_compared"]
    )
    wrong = [f"not found: {one}" for one in expected if one not in found]
    wrong += [f"not expected: {one}" for one in found if one not in expected]
    if status == 200:
        sections = case["sections"]
        if len(answer["sections"]) != len(sections):
            return [*wrong, f"{len(answer['sections'])} sections, not {len(sections)}"]
        for one, shown in zip(sections, answer["sections"], strict=True):
            facts = facts_of(shown)
            known = {**NO_MORE, **one} if "ratings" in one else one
            wrong += [
                f"section {shown['section']}: {name} {facts[name]}, not {value}"
                for name, value in known.items()
                if facts[name] != value
            ]
    return wrong


def place_of(finding):
    return [finding["place"][name] for name in ("section", "pairing_number", "round")]


def facts_of(section):
    """Return counts, ratings by system and number, floors and norms by number."""
    ratings, floors, norms = {}, {}, {}
    for line in section["ratings"]:
        number = str(line["pairing_number"])
        if line["after"] is not None:
            ratings.setdefault(line["system"], {})[number] = line["after"]
        if line["floor"] is not None:
            floors[number] = line["floor"]
        if line["norm"] is not None:
            norms[number] = line["norm"]
    counts = {"players": section["players"], "games": section["games"]}
    return {**counts, "ratings": ratings, "floors": floors, "norms": norms}


def run(*arguments):
    """Return the status and the answer that the client prints."""
    command = [*CLIENT, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False)
    status, _, answer = done.stdout.decode("utf-8-sig").partition("\n")
    if not answer:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr.decode()}")
    return int(status), json.loads(answer)


def check(case):
    files = [HERE / "files" / case["name"] / name for name in case["files"]]
    return differences(case, *run("check", *files))


def check_draft():
    """Send a report twice and replace its files twice: one report, one change."""
    first, second = DRAFT / "first.json", DRAFT / "second.json"
    status, sent = run("send", first)
    if status not in (200, 201) or sent["state"] != "open":
        return [f"status {status}: no draft to replace ({sent.get('state', sent)})"]
    number = sent["id"]
    answers = [run("send", first), *(run("replace", number, second) for _ in range(2))]
    found = [(status, answer.get("id")) for status, answer in answers]
    if found != [(200, number)] * 3:
        return [f"repeated and replaced: {found}, not report {number} each time"]
    kept, again = (answer["version"] for _, answer in answers[1:])
    return [] if kept == again else ["The same files again changed the version."]


def main():
    if os.environ.get("TOKEN"):
        return check_all()
    with demo_key() as key:
        os.environ["TOKEN"] = key
        return check_all()


def check_all():
    checks = [(f"{one['name']} {one['about']}", check, [one]) for one in KIT["cases"]]
    checks.append(("A report sent twice and replaced", check_draft, []))
    failed = 0
    for name, function, arguments in checks:
        wrong = function(*arguments)
        failed += bool(wrong)
        print(f"{name}: {'; '.join(wrong) or 'ok'}", flush=True)
    print(f"{len(checks) - failed} of {len(checks)} ok")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
