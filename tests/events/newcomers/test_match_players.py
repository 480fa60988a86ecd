"""Many players of a report, matched in one table with one save."""

import re

import pytest

from events.models import PendingMember, Submission
from events.newcomers.queries import unmatched_players
from events.newcomers.services import NewcomerDetails, match_players
from events.reports.services.submissions import reported_in, set_entry, submit_report
from players.models import Player
from ratings_site.common.models import AuditEntry
from tests.cpu_time import cpu_time
from tests.events.reports.test_repair import UNKNOWN, three_sections, unknown_players
from tests.events.reports.test_report_actions import entry
from tests.events.reports.test_report_pages import database_state, quad, text_of, url
from tests.factories import (
    make_player,
    make_staff,
    make_td,
    merge_with_approval,
    upload,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def td():
    return make_td("td")


@pytest.fixture
def signed_in(client, td):
    client.force_login(td)
    return client


def page_of(submission: Submission) -> str:
    return url("match_players", submission)


def chosen_in(response) -> dict[str, str]:
    """Return the checked values by field."""
    html = response.content.decode()
    found = re.findall(r'name="(choice-[^"]*)" value="([^"]*)" checked', html)
    return dict(found)


def ids(submission: Submission) -> list[str]:
    submission.refresh_from_db()
    [section, *_] = reported_in(submission).sections
    return [one.member_id for one in section.entries]


def with_strangers(td) -> Submission:
    """Upload a quad with one unknown member and two people whom no member is."""
    report = quad(td).with_entry(1, 1, member_id=UNKNOWN)
    for number, name in ((2, "ZULU, ZOE"), (3, "YANKEE, YAN")):
        report = report.with_entry(1, number, member_id="00000000", name=name)
    return upload(td, report)


def test_exact_names_are_chosen_and_saved_at_once(signed_in, td):
    submission = unknown_players(td, 8)
    members = list(
        Player.objects.filter(family_name__endswith="r", given_name__endswith="n")
        .order_by("pk")
        .values_list("member_id", flat=True)
    )
    page = signed_in.get(page_of(submission))
    assert "8 players not matched to a member." in text_of(page)
    chosen = chosen_in(page)
    assert list(chosen.values()) == members
    answer = signed_in.post(page_of(submission), {"version": 1, **chosen}, follow=True)
    assert "8 players were updated." in text_of(answer)
    assert ids(submission) == members
    assert submission.version == 2
    audit = AuditEntry.objects.get(action="submission.players_matched")
    assert audit.facts["entries"].startswith(
        f"1/1 MIBABAR, BABABAN, 90000001 → MIBABAR, BABABAN, {members[0]}; 1/2 "
    )
    assert unmatched_players(Submission.objects.get()) == []
    assert "All players are matched." in text_of(signed_in.get(page_of(submission)))


def test_one_player_of_three_sections_is_one_row(signed_in, td):
    submission = upload(td, three_sections(td, member_id=UNKNOWN))
    page = signed_in.get(page_of(submission))
    assert "pairing number 1; Section 2, pairing number 1; Section 3" in text_of(page)
    chosen = chosen_in(page)
    signed_in.post(page_of(submission), {"version": 1, **chosen})
    submission.refresh_from_db()
    firsts = [one.entry(1).member_id for one in reported_in(submission).sections]
    assert firsts == list(chosen.values()) * 3


def test_a_merged_id_is_chosen_with_its_survivor(signed_in, td):
    report = quad(td)
    old = make_player(given_name="Adeline", family_name="Other")
    kept = Player.objects.get(family_name="Lind")
    merge_with_approval(kept, old)
    submission = upload(td, report.with_entry(1, 1, member_id=old.member_id))
    assert chosen_in(signed_in.get(page_of(submission))) == {
        "choice-1-1": kept.member_id
    }


def test_two_members_of_one_name_are_not_chosen_between(signed_in, td):
    report = quad(td).with_entry(1, 1, member_id=UNKNOWN, state="IL")
    submission = upload(td, report)
    make_player(given_name="Ada", family_name="Lind", state="WI")
    page = signed_in.get(page_of(submission))
    assert chosen_in(page) == {"choice-1-1": ""}
    assert "state WI, not IL" in text_of(page)


def test_new_members_need_only_a_birth_year(signed_in, td):
    submission = with_strangers(td)
    data = {"version": 1, "birth-1-2": "2014", "birth-1-3": "5/4/2015"}
    signed_in.post(page_of(submission), data)
    assert ids(submission)[:3] == [UNKNOWN, "NEW-1", "NEW-2"]
    told = PendingMember.objects.values_list("given_name", "family_name", "birth_year")
    assert list(told) == [("Zoe", "Zulu", 2014), ("Yan", "Yankee", None)]
    assert "2014" not in str(AuditEntry.objects.latest("pk").facts)


def test_what_is_wrong_is_said_in_its_row_and_everything_typed_stays(signed_in, td):
    submission = with_strangers(td)
    state = database_state()
    member = Player.objects.get(family_name="Lind").member_id
    data = {"version": 1, "choice-1-1": member, "choice-1-2": "new", "birth-1-3": "1"}
    answer = signed_in.post(page_of(submission), data)
    assert answer.status_code == 422
    text = text_of(answer)
    assert "ZULU, ZOE: Enter the birth date, or at least the birth year." in text
    assert "YANKEE, YAN: Enter a birth year of 1900 or later." in text
    assert chosen_in(answer)["choice-1-1"] == member
    assert 'name="birth-1-3" value="1"' in answer.content.decode()
    assert database_state() == state


def test_a_new_member_with_a_members_name_needs_a_reason(signed_in, td):
    submission = with_strangers(td)
    data = {"version": 1, "choice-1-1": "new", "birth-1-1": "2014"}
    answer = signed_in.post(page_of(submission), data)
    assert "Explain why this is not the member with the same name." in text_of(answer)
    data["reason-1-1"] = "The daughter."
    signed_in.post(page_of(submission), data)
    [newcomer] = PendingMember.objects.all()
    assert (newcomer.name, newcomer.duplicate_reason) == ("Ada Lind", "The daughter.")


def test_a_member_who_is_not_shown_is_not_taken(signed_in, td):
    submission = with_strangers(td)
    state = database_state()
    data = {"version": 1, "choice-1-2": make_player().member_id}
    answer = signed_in.post(page_of(submission), data)
    assert "ZULU, ZOE: Choose one of the members shown." in text_of(answer)
    assert database_state() == state


def test_another_tab_was_faster_and_what_was_typed_stays(signed_in, td):
    submission = with_strangers(td)
    set_entry(
        submission_id=submission.pk,
        actor=td,
        version=1,
        section_number=1,
        pairing_number=4,
        changes={"state": "WI"},
    )
    data = {"version": 1, "birth-1-2": "2014", "choice-1-3": "new", "birth-1-3": "x"}
    answer = signed_in.post(page_of(submission), data | {"birth-1-3": "2013"})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "The report has changed since you opened this page" in text_of(answer)
    assert 'name="version" value="2"' in page
    assert 'name="birth-1-2" value="2014"' in page
    assert chosen_in(answer)["choice-1-3"] == "new"
    assert not PendingMember.objects.exists()


def test_nothing_chosen_changes_nothing(signed_in, td):
    submission = with_strangers(td)
    answer = signed_in.post(page_of(submission), {"version": 1}, follow=True)
    assert "Nothing was changed." in text_of(answer)
    assert entry(submission, 1).member_id == UNKNOWN
    assert submission.version == 1


def test_another_td_is_not_told_that_the_report_exists(client, td):
    submission = with_strangers(td)
    client.force_login(make_td())
    assert client.get(page_of(submission)).status_code == 404


def test_a_clerk_chooses_members_in_review_but_adds_none(client, td):
    report = quad(td)
    submission = upload(td, report)
    submit_report(submission_id=submission.pk, actor=td)
    old = Player.objects.get(family_name="Lind")
    kept = make_player(given_name="Ada", family_name="Lind", state="IL")
    merge_with_approval(kept, old)
    client.force_login(make_staff())
    page = client.get(page_of(submission))
    assert "New member" not in text_of(page)
    chosen = chosen_in(page)
    added = {"version": 1, "birth-1-1": "2014", "reason-1-1": "No."}
    assert client.post(page_of(submission), added).status_code == 422
    client.post(page_of(submission), {"version": 1, **chosen})
    assert ids(submission)[0] == kept.member_id
    assert not PendingMember.objects.exists()


@pytest.mark.parametrize("size", [8, 80])
def test_the_table_takes_the_same_queries_at_two_sizes(
    signed_in, td, django_assert_num_queries, size
):
    submission = unknown_players(td, size)
    signed_in.get(page_of(submission))
    with django_assert_num_queries(19):
        page = signed_in.get(page_of(submission))
    assert len(chosen_in(page)) == size


def test_three_hundred_players_are_matched_within_a_second(signed_in, td):
    submission = unknown_players(td, 300)
    signed_in.get(page_of(submission))
    with cpu_time() as spent:
        page = signed_in.get(page_of(submission))
    assert len(chosen_in(page)) == 300
    assert spent.seconds < 1


@pytest.mark.parametrize("size", [16, 100])
def test_the_save_takes_the_same_queries_at_two_sizes(
    td, django_assert_num_queries, size
):
    submission = unknown_players(td, size)
    players = Player.objects.exclude(pk=td.player.pk).order_by("pk")
    half = size // 2
    members = {(1, i + 1): one.member_id for i, one in enumerate(players[:half])}
    newcomers = {
        (1, i): (NewcomerDetails(f"Zoe{i}", "Zulu", birth_year=2014), "")
        for i in range(half + 1, size + 1)
    }
    with django_assert_num_queries(35):
        match_players(
            submission_id=submission.pk,
            actor=td,
            version=1,
            members=members,
            newcomers=newcomers,
        )
    assert ids(submission) == [
        *members.values(),
        *(f"NEW-{i}" for i in range(1, half + 1)),
    ]
