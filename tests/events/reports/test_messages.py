"""The thread between the TD and the office on a report."""

import re

import pytest
from django.db import DatabaseError, transaction

from events.checks.services import findings_of
from events.models import ReportMessage
from events.reports.queries.messages import thread_of, unread
from events.reports.services.messages import (
    MAX_MESSAGES_PER_DAY,
    MessageRefused,
    mark_read,
    write_message,
)
from events.reports.services.submissions import (
    override_findings,
    return_report,
    submit_report,
)
from players.models.name_viewer import all_names_shown
from ratings_site.common.models import AuditEntry
from tests.factories import (
    event_report,
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
    upload,
)
from tests.response_text import is_closed

pytestmark = pytest.mark.django_db


@pytest.fixture
def td():
    return make_td("td")


@pytest.fixture
def staff():
    return make_staff("staff")


@pytest.fixture
def submission(td):
    return send(td)


def send(td, name="May Open"):
    players = [make_player() for _ in range(2)]
    return upload(
        td, event_report(td, [section_report(players, swiss_rows(2, 1))], name=name)
    )


def waiting() -> tuple[int, int]:
    """Return the numbers of messages unread by the TD and by the office."""
    return unread(for_office=False).count(), unread(for_office=True).count()


def text(response) -> str:
    return response.content.decode()


def test_each_side_is_told_what_the_other_wrote(submission, td, staff):
    write_message(submission=submission, actor=td, text="Is 4 two people?")
    assert waiting() == (0, 1)
    write_message(submission=submission, actor=staff, text="No, one.")
    assert waiting() == (1, 0)
    write_message(submission=submission, actor=td, text="Thank you.")
    assert waiting() == (0, 1)
    mark_read(submission=submission, actor=staff)
    assert waiting() == (0, 0)


def test_a_reading_covers_what_had_been_written_only(submission, td, staff):
    write_message(submission=submission, actor=staff, text="One.")
    mark_read(submission=submission, actor=td)
    mark_read(submission=submission, actor=td)
    write_message(submission=submission, actor=staff, text="Two.")
    assert waiting() == (1, 0)
    actions = AuditEntry.objects.filter(action="submission.messages_read")
    assert actions.count() == 1


def test_messages_are_never_changed(submission, td):
    message = write_message(submission=submission, actor=td, text="So it was.")
    for act in (message.delete, lambda: ReportMessage.objects.update(text="No.")):
        with pytest.raises(DatabaseError), transaction.atomic():
            act()
    assert ReportMessage.objects.get().text == "So it was."


@pytest.mark.parametrize("words", ["", "   \n"])
def test_nothing_is_no_message(submission, td, words):
    with pytest.raises(MessageRefused, match="Enter a message"):
        write_message(submission=submission, actor=td, text=words)
    assert not ReportMessage.objects.exists()


def test_a_flood_is_stopped(submission, td):
    ReportMessage.objects.bulk_create(
        ReportMessage(submission=submission, by=td, from_office=False, text="!")
        for _ in range(MAX_MESSAGES_PER_DAY)
    )
    with pytest.raises(MessageRefused, match="50 messages on this report"):
        write_message(submission=submission, actor=td, text="And another.")


def test_what_was_confirmed_stands_in_the_thread(td):
    players = [make_player() for _ in range(2)]
    report = event_report(td, [section_report(players, swiss_rows(2, 1))])
    make_affiliate().official_set.add(make_td("other").player.official)
    submission = upload(td, report)
    (finding,) = [one for one in findings_of(submission) if one.severity == "confirm"]
    override_findings(
        submission_id=submission.pk, actor=td, finding_keys=[finding.key], reason="So."
    )
    with all_names_shown():
        (entries,) = thread_of(submission, td).entries
    assert (entries.what, entries.text, entries.place) == (
        "confirmed an issue",
        "So.",
        finding.message,
    )


def test_a_returned_report_keeps_every_note(submission, td, staff):
    for note in ("The city.", "And the state."):
        submit_report(submission_id=submission.pk, actor=td)
        return_report(submission_id=submission.pk, actor=staff, note=note)
    write_message(submission=submission, actor=td, text="Done.", place="event")
    entries = [
        (one.who, one.what, one.text, one.place, one.is_own)
        for one in thread_of(submission, td).entries
    ]
    assert entries == [
        (
            f"{staff} (office)",
            "returned the report for changes",
            "The city.",
            "",
            False,
        ),
        (
            f"{staff} (office)",
            "returned the report for changes",
            "And the state.",
            "",
            False,
        ),
        (f"{td} (TD)", "", "Done.", "event", True),
    ]


def test_the_thread_stands_on_the_report(client, submission, td, staff):
    write_message(
        submission=submission,
        actor=staff,
        text="Who is <4>?",
        place="section 1, number 4",
    )
    client.force_login(td)
    page = text(client.get(submission.get_absolute_url()))
    assert "Who is &lt;4&gt;?" in page
    assert '<p class="about">section 1, number 4</p>' in page
    assert "1 new" in page.partition('id="messages"')[2]
    client.post(f"/desk/reports/{submission.pk}/messages/read/")
    page = text(client.get(submission.get_absolute_url()))
    assert "1 new" not in page.partition('id="messages"')[2]


def test_a_message_is_sent_from_the_report(client, submission, td):
    client.force_login(td)
    address = f"/desk/reports/{submission.pk}/messages/"
    response = client.post(address, {"text": " Late because of snow. ", "place": ""})
    assert response["Location"] == f"{submission.get_absolute_url()}#messages"
    message = ReportMessage.objects.get()
    assert (message.text, message.from_office) == ("Late because of snow.", False)


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ({"text": ""}, "Enter a message."),
        ({"text": "x" * 5000}, "at most 4000 characters"),
        ({"text": "x\x00"}, "Null characters are not allowed."),
        ({"text": "Hm.", "place": "x" * 81}, "at most 80 characters"),
    ],
)
def test_what_cannot_be_a_message_is_kept_in_the_form(
    client, submission, td, entries, sentence
):
    client.force_login(td)
    response = client.post(f"/desk/reports/{submission.pk}/messages/", entries)
    assert response.status_code == 422
    assert sentence in text(response)
    assert not ReportMessage.objects.exists()


def test_strangers_reach_no_thread(client, submission):
    client.force_login(make_td("other"))
    address = f"/desk/reports/{submission.pk}/messages/"
    for way in (client.get, client.post):
        assert way(address, {"text": "Hm."}).status_code == 404
    assert client.post(f"{address}read/").status_code == 404
    assert not ReportMessage.objects.exists()


def test_a_td_whose_certification_ended_can_still_write(client, submission, td):
    official = td.player.official
    official.certified_until = "2020-01-01"
    official.save()
    client.force_login(td)
    client.post(f"/desk/reports/{submission.pk}/messages/", {"text": "I renewed."})
    assert ReportMessage.objects.get().text == "I renewed."


@pytest.mark.parametrize("reports", [2, 12])
def test_lists_count_messages_in_no_further_query(
    client, td, staff, django_assert_num_queries, reports
):
    for number in range(reports):
        one = send(td, name=f"Open {number}")
        write_message(submission=one, actor=staff, text="One.")
        write_message(submission=one, actor=staff, text="Two.")
    client.force_login(td)
    with django_assert_num_queries(7):
        page = text(client.get("/desk/"))
    assert page.count("2 new messages") == reports


@pytest.mark.parametrize("reports", [2, 12])
def test_the_office_sees_who_waits_for_an_answer(
    client, td, staff, django_assert_num_queries, reports
):
    for number in range(reports):
        one = send(td, name=f"Open {number}")
        write_message(submission=one, actor=td, text="Hello?")
        if number == 0:
            write_message(submission=one, actor=staff, text="Yes?")
    client.force_login(staff)
    with django_assert_num_queries(7):
        page = text(client.get("/office/messages/"))
    names = re.findall(r"#messages\">(Open \d+)<", page)
    assert names == [f"Open {number}" for number in range(1, reports)]
    what = "report" if reports == 2 else "reports"
    waits = text(client.get("/office/")).partition(f">{what} with unread messages</a>")
    found = re.findall(r'<td class="num"[^>]*><a [^>]*>(\d+)<', waits[0])
    assert found[-1] == str(reports - 1)


def test_only_the_office_sees_the_office_list(client, td):
    client.force_login(td)
    assert is_closed(client.get("/office/messages/"))
