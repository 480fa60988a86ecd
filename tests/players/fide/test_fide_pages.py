"""The office's page of FIDE lists."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from players.fide import forms
from players.fide.services.lists import receive_list
from players.models import FideList
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Job
from tests.factories import make_player, make_staff, make_td, make_user
from tests.players.fide.fide_files import Person, packed, text_list
from tests.players.fide.helpers import APRIL, MAY, import_list

pytestmark = pytest.mark.django_db

LISTS = "/office/fide/"


@pytest.fixture
def staff(client):
    user = make_staff()
    client.force_login(user)
    return user


def send(client, data: bytes, **said):
    file = SimpleUploadedFile("players_list_foa.zip", data)
    return client.post(LISTS, {"file": file, "list_date": "2024-05", **said})


def test_list_is_sent_and_read(client, staff):
    answer = send(client, packed(text_list([Person(1), Person(2, rating=0)])))
    fide_list = FideList.objects.get()
    assert answer["Location"] == f"/office/fide/{fide_list.pk}/"
    assert (fide_list.list_date, fide_list.received_by) == (MAY, staff)

    page = client.get(answer["Location"]).content.decode()
    assert "Waiting to start" in page
    assert f'hx-get="/office/fide/{fide_list.pk}/progress/"' in page
    run_due_jobs()
    progress = client.get(f"/office/fide/{fide_list.pk}/progress/")
    assert progress["HX-Redirect"] == answer["Location"]
    page = client.get(answer["Location"]).content.decode()
    assert "1 rated" in page
    assert "progress/" not in page
    assert "Current list: FIDE list of May 2024, 1 rated players." in (
        client.get(LISTS).content.decode()
    )


def test_refused_list_says_why_and_where(client, staff):
    refused = import_list(text_list([Person(1), Person(2)])[:-30])
    page = client.get(refused.get_absolute_url()).content.decode()
    assert "The list was rejected, and nothing has changed." in page
    assert "The file ends in the middle of this line." in page
    assert "Line 3, byte 328" in page


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"list_date": "May"}, "Enter a month such as 2024-05."),
        ({"list_date": ""}, "Enter the month of the list."),
        (
            {"list_date": "2099-01"},
            ("This date is in the future. Enter the date of a published list."),
        ),
        ({"list_date": "2024-04"}, "The FIDE list of April 2024 is already uploaded"),
        ({"list_date": "2024-03"}, "The FIDE list of April 2024 is newer."),
        ({"allow_older": "on"}, "Explain why the older or smaller list is correct."),
        ({"file": ""}, "Choose a file."),
    ],
)
def test_form_says_what_is_wrong_and_keeps_what_was_typed(
    client, staff, said, sentence
):
    import_list([Person(1)], APRIL)
    answer = send(client, packed(text_list([Person(1)])), **said)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert sentence in page
    if "list_date" not in said:
        assert 'value="2024-05"' in page
    assert FideList.objects.count() == 1


def test_file_that_is_too_large_is_refused(client, staff, monkeypatch):
    monkeypatch.setattr(forms, "LARGEST_FILE", 1000)
    answer = send(client, text_list([Person(1)] * 10))
    assert "Upload the ZIP file from FIDE’s download page" in answer.content.decode()
    assert not FideList.objects.exists()


def test_stuck_list_is_tried_again_or_given_up(client, staff):
    fide_list = receive_list(
        actor=staff, name="a.txt", content=[text_list([Person(1)])], list_date=MAY
    )
    Job.objects.update(state="failed", message="The disk is full.")
    page = client.get(fide_list.get_absolute_url()).content.decode()
    assert "The disk is full." in page
    assert reverse("office:retry_job", args=[Job.objects.get().pk]) in page

    url = f"/office/fide/{fide_list.pk}/give-up/"
    assert client.post(url, {"reason": ""}).status_code == 422
    answer = client.post(url, {"reason": "The wrong {file,\nor none."})
    assert answer["Location"] == fide_list.get_absolute_url()
    fide_list.refresh_from_db()
    assert fide_list.state == "refused"
    said = "Given up by the office: The wrong {file, or none."
    assert said in client.get(answer["Location"]).content.decode()
    # As earlier releases stored it.
    fide_list.findings[0] |= {"sentence": said, "values": {}}
    fide_list.save()
    assert said in client.get(answer["Location"]).content.decode()
    answer = client.post(url, {"reason": "Again."})
    assert answer.status_code == 422
    assert "is no longer being imported" in answer.content.decode()


def test_lists_take_the_same_queries_for_any_number(
    client, staff, django_assert_num_queries
):
    for count in (2, 12):
        for month in range(1, count + 1):
            FideList.objects.create(
                list_date=MAY.replace(year=2000 + count, month=month),
                state="stored",
                file_name="a",
                stored_as="fide/a",
                sha256="0",
                size=1,
                received_by=staff,
            )
        with django_assert_num_queries(8):
            page = client.get(LISTS).content.decode()
        assert page.count('class="chip accepted"') >= count


def test_empty_office_says_what_will_stand_here(client, staff):
    page = client.get(LISTS).content.decode()
    assert "No list yet. Upload the first one below." in page
    assert "FIDE’s monthly lists will appear here" in page


@pytest.mark.parametrize(
    "path",
    [
        LISTS,
        "/office/fide/1/",
        "/office/fide/1/progress/",
        "/office/fide/1/give-up/",
        "/office/cfc/",
        "/office/links/",
        "/office/links/12345678/7/",
        "/office/duplicates/",
        "/office/duplicates/12345678/12345679/",
        "/office/merges/1/undo/",
        "/office/opt-ins/",
        "/office/opt-ins/1/out/",
        "/office/members/12345678/status/",
    ],
)
def test_pages_belong_to_the_office(client, path):
    assert client.get(path)["Location"].startswith("/accounts/login/")
    for user in (make_td(), make_user(is_staff=True)):
        client.force_login(user)
        for method in (client.get, client.post):
            assert method(path).status_code == 403


def test_known_fide_id_leads_to_what_will_happen(client, staff):
    player = make_player()
    import_list([Person(7, rating=2100)])
    said = {"member": player.member_id, "fide_id": "7"}
    found = client.get("/office/links/", said)
    assert found["Location"] == f"/office/links/{player.member_id}/7/"
    page = client.get("/office/links/", said | {"fide_id": "8"}).content.decode()
    assert "This ID isn’t on the newest FIDE list. Check the number." in page
