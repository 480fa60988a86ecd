"""Both clients against a real server: the kit, and samples up to acceptance."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys

import pytest

from docs.conformance.run import open_pages
from events.models import Event, Submission
from players.models import Player
from ratings.models import RatingChange
from ratings_site.common.api_keys.services import create_key
from tests.common.programs.factories import make_program
from tests.conformance.office import open_kit_office
from tests.live_office import database_of_office, wait_for
from tests.tools.conformance_kit import FOLDER
from tests.tools.size import code_lines

PYTHON = [sys.executable, str(FOLDER / "report_client.py")]
REFERENCE = "-r:System.Runtime.Serialization.dll"


@pytest.fixture(scope="session")
def compiled(tmp_path_factory, require_services) -> list[str]:
    """The C# client, compiled."""
    if not (shutil.which("mcs") and shutil.which("mono")):
        words = "needs mono-mcs and libmono-system-runtime-serialization4.0-cil"
        (pytest.fail if require_services else pytest.skip)(words)
    program = tmp_path_factory.mktemp("client") / "ReportClient.exe"
    source = FOLDER / "ReportClient.cs"
    subprocess.run(
        ["mcs", "-warnaserror", REFERENCE, f"-out:{program}", source], check=True
    )
    return ["mono", str(program)]


@pytest.fixture
def served(embedded_office):
    """A served office with the kit's members: its database, address and a key."""
    with database_of_office(embedded_office.database):
        _, key = create_key(owner=open_kit_office(), name="td", may_submit=True)
    embedded_office.environment["REQUIRE_SECOND_FACTOR"] = "false"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    embedded_office.start("serve", "--bind", f"127.0.0.1:{port}")
    wait_for(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
    return embedded_office.database, f"http://127.0.0.1:{port}", key


def run(command, *arguments, office, token=""):
    environment = {"PATH": "/usr/bin:/bin", "OFFICE": office, "TOKEN": token}
    return subprocess.run(
        [*command, *map(str, arguments)],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def sign_in(client, *, database, office) -> str:
    """Sign in by code, which the TD confirms on the page, and return the token."""
    with database_of_office(database):
        make_program()
    asking = subprocess.Popen(
        [*client, "sign-in", "pairings"],
        env={"PATH": os.environ["PATH"], "OFFICE": office},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    asked = asking.stderr.readline()
    url, code = re.fullmatch(r"Open (\S+) and enter ([A-Z-]+)\.\n", asked).groups()
    page = open_pages(office, "td", "demo-td")
    form = f"{url.removeprefix(office)}?code={code}"
    assert code in page(form)
    page("/device/", form, code=code, decision="allow")
    return asking.communicate(timeout=60)[0].strip()


@pytest.mark.gate
@pytest.mark.parametrize(("language", "times"), [("python", 2), ("csharp", 1)])
def test_kit_passes_and_can_be_repeated(served, language, times, request):
    _, office, _ = served
    client = [] if language == "python" else request.getfixturevalue("compiled")
    kit = [sys.executable, str(FOLDER / "run.py"), *client]
    for _ in range(times):  # the draft of the first run stays the only one
        done = run(kit, office=office)
        assert done.stdout.splitlines()[-1:] == ["41 of 41 ok"], done.stdout
        assert done.returncode == 0


@pytest.mark.gate
def test_kit_says_what_differs(served):
    database, office, _ = served
    with database_of_office(database):
        Player.objects.filter(member_id="11000003").update(family_name="Otherwise")
    done = run([sys.executable, str(FOLDER / "run.py")], office=office)
    assert done.returncode == 1
    line = "not expected: ['caution', 'member.other_family_name', 1, 3, None]"
    assert line in done.stdout.splitlines()[0]


@pytest.mark.gate
@pytest.mark.parametrize("language", ["python", "csharp"])
def test_program_signs_in_and_sends_samples_until_they_are_accepted(
    served, language, request
):
    """Repeating all of it changes nothing.

    In C# for one sample: each command takes seconds to start.
    """
    database, office, _ = served
    samples = sorted((FOLDER / "samples").iterdir())
    client, count = PYTHON, 3
    if language == "csharp":
        client, samples, count = request.getfixturevalue("compiled"), samples[:1], 1
    token = sign_in(client, database=database, office=office)

    def ask(*arguments):
        done = run(client, *arguments, office=office, token=token)
        status, answer = done.stdout.split("\n", 1)
        return int(status), json.loads(answer)

    sent = [ask("send", sample) for sample in samples]
    assert [status for status, _ in sent] == [201] * count
    numbers = [answer["id"] for _, answer in sent]
    for number in numbers:
        status, answer = ask("submit", number)
        assert (status, answer["state"]) == (200, "submitted"), answer
    page = open_pages(office, "staff", "demo-staff")
    for number in numbers:
        page(f"/office/reports/{number}/accept/", reason="Samples")
    shown = [ask("show", number)[1] for number in numbers]
    assert [one["state"] for one in shown] == ["accepted"] * count
    wait_for(lambda: rows(database)["lines"] == count * 4)

    before = rows(database)
    again = [ask("send", sample) for sample in samples]
    again += [ask("submit", number) for number in numbers]

    assert [(status, one["id"]) for status, one in again] == [
        (200, number) for number in numbers * 2
    ]
    assert rows(database) == before
    refused = ask("replace", numbers[0], FOLDER / "files" / "08" / "report.json")
    assert (refused[0], refused[1]["retryable"]) == (409, False)


def rows(database) -> dict[str, int]:
    with database_of_office(database):
        lines = RatingChange.objects.filter(calculation__section__isnull=False)
        return {
            "reports": Submission.objects.count(),
            "events": Event.objects.count(),
            "lines": lines.count(),
        }


def test_python_client_is_short():
    """60 lines sign in, send, replace; the rest is the command line."""
    text = (FOLDER / "report_client.py").read_text()
    assert code_lines(text.partition("def read(")[0]) <= 60


def commands() -> list[str]:
    """Return the commands of the guide for authors of programs, in order."""
    page = (FOLDER.parent / "for-program-authors.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S)
    return "".join(blocks).splitlines()


@pytest.mark.gate
def test_commands_of_the_guide_work(served):
    _, office, key = served
    given = {"OFFICE": office, "TOKEN": key}
    folder, said = FOLDER.parents[1], []
    for command in commands():
        if command.startswith("cd "):
            folder = (folder / command.removeprefix("cd ")).resolve()
        elif command.startswith("export "):
            name = command.removeprefix("export ").partition("=")[0]
            given.setdefault(name, str(said[-1][1].get("id")) if said else "")
        else:
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=folder,
                env={"PATH": os.environ["PATH"], **given},
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            assert done.returncode == 0, (command, done.stdout, done.stderr)
            if command.startswith("make"):
                assert done.stdout.endswith("41 of 41 ok\n")
            else:
                status, answer = done.stdout.split("\n", 1)
                said.append((int(status), json.loads(answer)))
    assert [status for status, _ in said] == [200, 201, 200, 200, 200, 200]
    assert said[0][1]["can_be_submitted"] is True
    assert {answer["id"] for _, answer in said[1:]} == {int(given["REPORT"])}
    assert said[-1][1]["state"] == "submitted"
