"""The office's pages of files that move in."""

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from players.models import Intake, Player
from ratings_site.common.jobs.services import work_off
from tests.factories import make_staff, make_td
from tests.players.intake.files import ADA, BEN, HEADINGS, entered, received

pytestmark = pytest.mark.django_db

INTAKES = "/office/intake/"


@pytest.fixture
def staff(client):
    user = make_staff()
    client.force_login(user)
    return user


def send(client, *rows: str):
    content = "\n".join([HEADINGS, *rows]).encode()
    file = SimpleUploadedFile("members.csv", content)
    return client.post(INTAKES, {"kind": "members", "file": file})


def page_of(client, address: str) -> str:
    return client.get(address).content.decode()


def test_a_file_is_sent_looked_at_entered_and_undone(client, staff):
    address = send(client, ADA, BEN, "bad,row")["Location"]
    intake = Intake.objects.get()
    assert (address, intake.received_by) == (f"{INTAKES}{intake.pk}/", staff)
    assert "Waiting for a worker" in page_of(client, address)
    work_off()
    assert client.get(f"{address}progress/")["HX-Redirect"] == address
    page = page_of(client, address)
    assert "Ada Adams" in page
    assert "“bad” is no member ID" in page
    assert client.post(f"{address}enter/", {"reason": ""}).status_code == 422

    client.post(f"{address}enter/", {"reason": "The year begins."})
    work_off()
    assert Player.objects.count() == 2
    assert "The year begins." in page_of(client, address)
    client.post(f"{address}undo/", {"reason": "The wrong year."})
    work_off()
    assert not Player.objects.exists()
    assert "The wrong year." in page_of(client, address)


def test_refused_rows_come_back_as_they_stood_with_the_reason(client, staff):
    intake = received("=1+1,Ada,Adams,1899-01-01", BEN)
    answer = client.get(f"{INTAKES}{intake.pk}/refused.csv")
    text = b"".join(answer.streaming_content).decode()
    headings, row = csv.reader(io.StringIO(text))
    assert headings == [*HEADINGS.split(","), "Line", "Reason"]
    assert row[:3] == ["'=1+1", "Ada", "Adams"]
    assert row[-2:] == [
        "2",
        "“=1+1” is no member ID: it has eight digits and does not begin with 0.",
    ]


def test_the_template_can_be_sent_as_it_is(client, staff):
    answer = client.get(f"{INTAKES}template/members.csv")
    file = SimpleUploadedFile("template.csv", answer.content)
    client.post(INTAKES, {"kind": "members", "file": file})
    work_off()
    intake = Intake.objects.get()
    assert (intake.new, intake.refused, intake.passed_over) == (1, 0, [])


def test_a_file_set_aside_leaves_no_rows(client, staff):
    intake = received(ADA)
    client.post(f"{INTAKES}{intake.pk}/set-aside/", {"reason": "An old export."})
    intake.refresh_from_db()
    assert (intake.state, intake.rows.count()) == (Intake.State.REFUSED, 0)
    answer = client.post(f"{INTAKES}{intake.pk}/enter/", {"reason": "Still."})
    assert "This cannot be done now." in answer.content.decode()


def test_what_changed_meanwhile_is_read_again(client, staff):
    entered(ADA)
    intake = received(ADA.replace("TX", "OK"))
    Player.objects.update(state="NM")
    client.post(f"{INTAKES}{intake.pk}/enter/", {"reason": "A move."})
    work_off()
    assert "has changed since" in page_of(client, intake.get_absolute_url())
    client.post(f"{INTAKES}{intake.pk}/again/")
    work_off()
    page = page_of(client, intake.get_absolute_url())
    assert "NM → OK" in page


def test_directors_do_not_see_the_files(client):
    client.force_login(make_td())
    assert client.get(INTAKES).status_code == 403
    assert client.get(f"{INTAKES}{received(ADA).pk}/refused.csv").status_code == 403


@pytest.mark.parametrize("files", [2, 12])
def test_the_list_takes_the_same_queries_for_any_size(
    client, staff, files, django_assert_num_queries
):
    for _ in range(files):
        received(ADA)
    client.get(INTAKES)
    with django_assert_num_queries(8):
        page = page_of(client, INTAKES)
    assert page.count("members.csv</a>") == files


@pytest.mark.parametrize("rows", [2, 12])
def test_the_dry_run_takes_the_same_queries_for_any_size(
    client, staff, rows, django_assert_num_queries
):
    people = [f"{20000100 + number},Given,Family,,TX,,,,,," for number in range(rows)]
    intake = received(*people)
    client.get(INTAKES)
    with django_assert_num_queries(11):
        page = page_of(client, intake.get_absolute_url())
    assert page.count("Given Family") == rows
