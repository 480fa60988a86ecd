"""A child without a member ID in a quad: reported, previewed, assigned, rated."""

import pytest
from django.urls import reverse

from events.models import Event, PendingMember, Section, Submission
from players.models import Player
from ratings.models import PlayerRating
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry
from tests.events.newcomers.reports import report_with_newcomer, submit
from tests.factories import make_staff, make_td, upload
from tests.response_text import contains_number

pytestmark = pytest.mark.django_db


def test_child_without_a_number_is_reported_and_rated(client):
    td, clerk = make_td(), make_staff()
    submission = upload(td, report_with_newcomer(td))
    client.force_login(td)

    page = client.get(submission.get_absolute_url()).content.decode()
    form_url = reverse("events:new_member", args=[submission.pk, 2, 4])
    assert form_url in page

    form = client.get(form_url).content.decode()
    assert 'value="Sam"' in form
    assert 'value="Newman"' in form

    said = {
        "version": submission.version,
        "given_name": "Sam",
        "family_name": "Newman",
        "birth_date": "2016-05-17",
        "state": "il",
        "email": "parent@example.org",
    }
    answer = client.post(form_url, said, follow=True).content.decode()
    assert "New member added." in answer
    assert not contains_number(answer, 2016)
    assert "parent@example.org" not in answer

    preview = client.get(reverse("ratings:preview", args=[submission.pk]))
    assert "NEW-1" in preview.content.decode()

    submit(td, Submission.objects.get(pk=submission.pk))
    client.force_login(clerk)
    accept_url = reverse("events:accept", args=[submission.pk])
    assert "1 section is waiting" in client.get(accept_url).content.decode()
    client.post(accept_url, {"reason": ""})
    run_due_jobs()

    event = Event.objects.get()
    assert [(s.number, s.status) for s in event.sections.all()] == [(1, "rated")]
    progress = client.get(reverse("events:progress", args=[submission.pk]))
    assert "Waiting for a new member’s ID" in progress.content.decode()

    table_url = reverse("events:newcomers")
    table = client.get(table_url).content.decode()
    assert "May 17, 2016" in table
    newcomer = PendingMember.objects.get()
    listed = client.post(table_url, {"newcomer": newcomer.pk})
    [row] = listed.context["listed"]
    assert not Player.objects.filter(family_name="Newman").exists()
    sent = {"act": "number", "row": row.key, "confirm": "yes", "reason": "New here."}
    done = client.post(reverse("events:several_newcomers"), sent)
    run_due_jobs()

    sam = Player.objects.get(family_name="Newman")
    assert [(one.name, one.note) for one in done.context["outcome"].done] == [
        ("Sam Newman", sam.member_id)
    ]
    assert (sam.birth_date.isoformat(), sam.state) == ("2016-05-17", "IL")
    assert sam.guardian.email == "parent@example.org"
    assert sorted(Section.objects.values_list("number", "status")) == [
        (1, "rated"),
        (2, "rated"),
    ]
    assert PlayerRating.objects.filter(player=sam, system="OTBR").count() == 1
    crosstable = client.get(reverse("ratings:crosstable", args=[event.event_id, 2]))
    assert sam.member_id in crosstable.content.decode()
    told = str(list(AuditEntry.objects.values_list("facts", "reason")))
    assert not contains_number(told, 2016)
    assert "parent@" not in told
