"""Notices to TDs, members and the office about messages and corrections."""

import pytest

from events.corrections.services.requests import refuse_correction
from events.reports.services.messages import write_message
from ratings_site.common.models import Notice
from tests.events.corrections.samples import (
    make_decider,
    make_member,
    make_section,
    request_correction,
)
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    section_report,
    upload,
)

pytestmark = pytest.mark.django_db


def stored_notices(user) -> list[tuple[str, str, str]]:
    rows = Notice.objects.filter(account=user).order_by("pk")
    return list(rows.values_list("title", "text", "url"))


def test_each_side_hears_what_the_other_writes_on_a_report():
    td, staff, colleague = make_td(), make_staff(), make_staff()
    players = [make_player(), make_player()]
    submission = upload(td, event_report(td, [section_report(players, ["W2W", "L1B"])]))
    url = submission.get_absolute_url()
    write_message(submission=submission, actor=td, text="Is this all right?")
    assert stored_notices(staff) == []  # unassigned; the queue shows it
    write_message(submission=submission, actor=staff, text="Which round?")
    write_message(submission=submission, actor=td, text="The first.")
    assert stored_notices(td) == [
        ("New message from the ratings office: May Open", "Which round?", url)
    ]
    assert stored_notices(staff) == [
        ("New message from the TD: May Open", "The first.", url)
    ]
    assert stored_notices(colleague) == []


def test_correction_stands_on_the_site_of_who_asked_and_of_the_td():
    td, member, decider = make_td(), make_member(), make_decider()
    section = make_section(td)
    Notice.objects.all().delete()
    request = request_correction(section, member)
    refuse_correction(request_id=request.pk, reason="It was a loss.", actor=decider)
    for user in (td, member):
        [first, last] = stored_notices(user)
        assert first[0] == "Correction of May Open: waiting for the TD"
        assert last[0] == "Correction of May Open: declined"
        assert last[1].endswith("The request was declined: It was a loss.")
        assert last[2] == request.get_absolute_url()
    assert stored_notices(decider) == []
