"""Correction requests: permissions, states and notices."""

from copy import deepcopy
from datetime import timedelta

import pytest
from django.core import mail
from django.db.models import F

from events.corrections.services.requests import (
    MAX_REQUESTS_PER_DAY,
    answer_correction,
    approve_correction,
    ask_for_correction,
    refuse_correction,
    restate_correction,
    withdraw_correction,
)
from events.corrections.services.reviews import review, review_request
from events.models import CorrectionRequest, Section
from events.records.exceptions import NotPossible, VersionConflict
from events.records.services.versions import document_of
from ratings.models import RerateMark
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.audit.services import entries_about
from ratings_site.common.jobs.services import run_due_jobs
from tests.events.corrections.samples import (
    cell,
    make_decider,
    make_event,
    make_member,
    make_section,
    request_correction,
    result,
)
from tests.factories import make_player, make_td, make_user

pytestmark = pytest.mark.django_db

SENTENCE = "Round 1, pairing number 1: won against 4, now drawn against 4."


@pytest.fixture(scope="module")
def played(module_data):
    td = make_td()
    td.email = "td@example.org"
    td.save()
    section = make_section(td)
    run_due_jobs()
    return td, section


@pytest.fixture
def td(played):
    return deepcopy(played[0])


@pytest.fixture
def section(played) -> Section:
    return deepcopy(played[1])


def approve(request, actor, **said) -> CorrectionRequest:
    return approve_correction(
        **{
            "request_id": request.pk,
            "version": request.section.version,
            "public_note": "The score sheet shows a draw.",
            "reason": "",
            "actor": actor,
            **said,
        }
    )


def refusal_of(act, *args, **kwargs) -> str:
    with pytest.raises(NotPossible) as refusal:
        act(*args, **kwargs)
    return str(refusal.value)


# Requests


def test_member_asks_and_the_td_is_waited_for(section):
    member = make_member()
    request = request_correction(section, member)
    request.refresh_from_db()
    assert (request.state, request.asked_by, request.seen_version) == (
        "asked",
        member,
        1,
    )
    assert request.sentences == [SENTENCE]
    assert not section.versions.filter(number=2).exists()
    [entry] = entries_about(request)
    assert (entry.action, entry.actor) == ("correction.asked", member)
    assert entry.facts["difference"] == [SENTENCE]


def test_td_confirms_by_asking(section, td):
    request = request_correction(section, td)
    assert (request.state, request.td_by) == ("confirmed", td)


def test_director_of_another_section_is_no_td_of_this_one(td):
    event = make_event(td, sections=2)
    other = make_td()
    event.officials.create(section_number=2, role="chief", player=other.player)
    one, two = event.sections.order_by("number")
    assert request_correction(one, other).state == "asked"
    assert request_correction(two, other).state == "confirmed"


def test_stranger_cannot_ask(section):
    with pytest.raises(NotAllowed):
        request_correction(section, make_user())


def test_change_that_is_there_already_is_refused(section):
    said = refusal_of(
        request_correction,
        section,
        make_member(),
        change=result(cell(4, 1, "L", 1, color="B")),
    )
    assert said == "The section already says this."


@pytest.mark.parametrize(
    ("kind", "change", "sentence"),
    [
        (
            "result",
            result(cell(1, 1, "W", 1)),
            "A player can’t be their own opponent.",
        ),
        (
            "result",
            result(cell(1, 1, "W", 3)),
            (
                "In round 1, pairing number 3 has a game against 2. Under “Other "
                "player,” enter what 2 did in that round."
            ),
        ),
        (
            "member_id",
            {"number": 1, "member_id": "39999999"},
            "No member has the ID 39999999.",
        ),
        (
            "dates",
            {"starts": "2024-05-05", "ends": "2024-05-04"},
            "The section cannot end before it starts.",
        ),
    ],
)
def test_impossible_changes_are_refused_at_once(section, kind, change, sentence):
    member = make_member()
    assert refusal_of(request_correction, section, member, kind, change) == sentence
    assert not CorrectionRequest.objects.exists()


def test_section_cannot_be_moved_into_the_future(section):
    change = {"starts": "2099-05-04", "ends": "2099-05-05"}
    said = refusal_of(request_correction, section, make_member(), "dates", change)
    assert "The event ends on May 5, 2099, which is in the future." in said


@pytest.mark.parametrize("control", ["G/1;d0", "about an hour"])
def test_time_control_that_cannot_be_rated_is_refused(section, control):
    change = {"time_control": control, "is_online": False}
    said = refusal_of(
        request_correction, section, make_member(), "time_control", change
    )
    assert said.startswith("Section 1: ")


def test_a_player_cannot_meet_the_same_entry(section):
    other = section.entries.get(pairing_number=4).player
    change = {"number": 1, "member_id": other.member_id}
    said = refusal_of(request_correction, section, make_member(), "member_id", change)
    assert "the opponent, pairing number 4, is the same member" in said


def test_old_faults_do_not_stand_in_the_way_and_new_oddities_are_warned_of(section):
    section.event.affiliate.expires = section.starts - timedelta(days=1)
    section.event.affiliate.save()
    lapsed = make_player(
        given_name="Given12", family_name="Other", member_until=section.starts
    )
    change = {"number": 3, "member_id": lapsed.member_id}
    found = review(section, "member_id", change)
    assert found.problems == ()
    assert {finding.code for finding in found.warnings} == {
        "member.lapsed",
        "member.other_family_name",
    }


def test_the_same_correction_is_asked_once_while_it_waits(section):
    member = make_member()
    first = request_correction(section, member)
    assert refusal_of(request_correction, section, make_decider()) == (
        "This correction has already been requested and is waiting for a decision."
    )
    withdraw_correction(request_id=first.pk, actor=member)
    assert request_correction(section, member).pk != first.pk


def test_so_many_requests_a_day_and_no_more(section):
    member = make_member()
    CorrectionRequest.objects.bulk_create(
        CorrectionRequest(
            section=section,
            kind="other",
            text="Look.",
            change_digest=str(number),
            seen_version=1,
            asked_by=member,
        )
        for number in range(MAX_REQUESTS_PER_DAY)
    )
    limit = f"limit of {MAX_REQUESTS_PER_DAY} correction requests a day"
    assert limit in refusal_of(request_correction, section, member)
    CorrectionRequest.objects.update(asked_at=F("asked_at") - timedelta(hours=25))
    assert request_correction(section, member).state == "asked"


def test_asking_about_an_outdated_version_is_told(section, td):
    decider = make_decider()
    approve(request_correction(section, td), decider)
    with pytest.raises(VersionConflict) as refusal:
        ask_for_correction(
            section=section,
            kind="name",
            change={"name": "U1800"},
            text="The flyer says so.",
            version=1,
            actor=td,
        )
    assert "corrected while you worked (now version 2)" in str(refusal.value)


# The TD


def test_td_confirms_with_a_note(section, td):
    request = request_correction(section, make_member())
    answer_correction(request_id=request.pk, agrees=True, note="Right.", actor=td)
    request.refresh_from_db()
    assert (request.state, request.td_by, request.td_note) == (
        "confirmed",
        td,
        "Right.",
    )
    assert request.td_at is not None


def test_td_objects_and_says_why(section, td):
    request = request_correction(section, make_member())
    said = refusal_of(
        answer_correction, request_id=request.pk, agrees=False, note="", actor=td
    )
    assert said == "Explain why the section is correct as reported."
    answer_correction(request_id=request.pk, agrees=False, note="He lost.", actor=td)
    request.refresh_from_db()
    assert (request.state, request.td_note) == ("objected", "He lost.")


@pytest.mark.parametrize("make", [make_member, make_td, make_decider])
def test_only_the_td_of_the_event_answers(section, make):
    request = request_correction(section, make_member(username="asker"))
    with pytest.raises(NotAllowed):
        answer_correction(request_id=request.pk, agrees=True, note="", actor=make())


def test_only_the_asker_withdraws(section, td):
    member = make_member()
    request = request_correction(section, member)
    with pytest.raises(NotAllowed):
        withdraw_correction(request_id=request.pk, actor=td)
    assert withdraw_correction(request_id=request.pk, actor=member).state == "withdrawn"
    assert refusal_of(withdraw_correction, request_id=request.pk, actor=member) == (
        "This request has already been decided: withdrawn."
    )


# Staff


def test_approval_creates_a_version_and_a_pending_rerate_only(section, td):
    decider, request = make_decider(), request_correction(section, td)
    lines = list(section.calculations.values_list("pk", "is_current"))
    approved = approve(request, decider)
    version = section.versions.get(number=2)
    assert (approved.state, approved.version, approved.decided_by) == (
        "approved",
        version,
        decider,
    )
    assert version.reason == "The score sheet shows a draw."
    assert document_of(section).cell(4, 1).outcomes == "D"
    assert RerateMark.objects.get().section == section
    assert list(section.calculations.values_list("pk", "is_current")) == lines
    assert entries_about(request).filter(action="correction.approved").count() == 1


def test_office_without_the_td_says_why(section):
    decider, request = make_decider(), request_correction(section, make_member())
    assert refusal_of(approve, request, decider) == (
        "The TD hasn’t confirmed this request. Enter why the office is deciding anyway."
    )
    approved = approve(request, decider, reason="The TD does not answer.")
    assert approved.decision_reason == "The TD does not answer."


def test_refusal_leaves_the_section_and_says_why(section):
    decider, request = make_decider(), request_correction(section, make_member())
    before = document_of(section)
    assert refusal_of(
        refuse_correction, request_id=request.pk, reason="", actor=decider
    ) == ("Enter why you’re declining the request.")
    refused = refuse_correction(
        request_id=request.pk, reason="The sheet shows a loss.", actor=decider
    )
    assert (refused.state, refused.decision_reason) == (
        "refused",
        "The sheet shows a loss.",
    )
    assert document_of(section) == before
    assert not section.versions.filter(number=2).exists()


def test_decisions_need_their_permission(section, td):
    request = request_correction(section, td)
    for act, said in (
        (approve_correction, {"version": 1, "public_note": "So.", "reason": "So."}),
        (refuse_correction, {"reason": "So."}),
        (
            restate_correction,
            {"kind": "name", "change": {"name": "X"}, "version": 1, "reason": "So."},
        ),
    ):
        with pytest.raises(NotAllowed):
            act(request_id=request.pk, actor=td, **said)


def test_decided_request_is_not_decided_again(section, td):
    decider, request = make_decider(), request_correction(section, td)
    approve(request, decider)
    assert refusal_of(approve, request, decider, version=2) == (
        "This request has already been decided: corrected."
    )
    assert section.versions.count() == 2


# One correction after another


def test_approval_is_of_the_version_that_was_looked_at(section, td):
    decider = make_decider()
    first = request_correction(section, td)
    second = request_correction(section, td, "name", {"name": "U1800"})
    approve(first, decider)
    with pytest.raises(VersionConflict):
        approve(second, decider, version=1)
    assert approve(second, decider, version=2).version.number == 3


def test_change_that_still_fits_is_rebased_and_says_so(section, td):
    decider = make_decider()
    first = request_correction(section, td)
    second = request_correction(section, td, "result", result(cell(3, 3, "D", 4)))
    approve(first, decider)
    second = CorrectionRequest.objects.get(pk=second.pk)
    found = review_request(second)
    assert found.problems == ()
    assert found.remarks == (
        "The section was corrected since this request (now version 2). The request "
        "still fits.",
    )
    approve(second, decider, version=2)
    assert document_of(section).cell(4, 1).outcomes == "D"
    assert document_of(section).cell(4, 3).outcomes == "D"


def test_outdated_change_is_refused_until_requested_again(section, td):
    decider, member = make_decider(), make_member()
    first = request_correction(section, td)
    second = request_correction(
        section, member, "result", result(cell(4, 1, "W", 1, color="B"))
    )
    approve(first, decider)
    said = refusal_of(approve, second, decider, version=2, reason="So.")
    assert said.startswith(
        "The section was corrected since this request (now version 2), and"
    )
    restated = restate_correction(
        request_id=second.pk,
        kind="result",
        change=result(cell(4, 1, "W", 1, color="B")),
        version=2,
        reason="The draw was wrong, too.",
        actor=decider,
    )
    assert (restated.state, restated.seen_version) == ("asked", 2)
    assert restated.sentences == [
        "Round 1, pairing number 1: drawn against 4, now lost against 4."
    ]
    assert approve(restated, decider, version=2, reason="So.").version.number == 3


def test_request_in_words_is_put_as_a_change_before_it_can_be_made(section):
    decider, member = make_decider(), make_member()
    request = request_correction(section, member, "other", {"ignored": True})
    assert (request.change, request.sentences) == ({}, [])
    assert "describes the problem in words only" in refusal_of(
        approve, request, decider, reason="So."
    )
    restated = restate_correction(
        request_id=request.pk,
        kind="name",
        change={"name": "U1800"},
        version=1,
        reason="That is what is meant.",
        actor=decider,
    )
    assert restated.sentences == ["Section: name “Section 1”, now “U1800”."]
    assert restated.asked_by == member


# Email


def sent() -> list[tuple[str, str]]:
    """Run the jobs; return recipients and subjects since the last call."""
    run_due_jobs()
    messages = [(message.to[0], message.subject) for message in mail.outbox]
    mail.outbox.clear()
    return messages


def test_asker_and_td_hear_of_every_step(
    section, td, django_capture_on_commit_callbacks
):
    decider, member = make_decider(), make_member()
    with django_capture_on_commit_callbacks(execute=True):
        request = request_correction(section, member)
    both = ["td@example.org", member.email]
    run_due_jobs()
    [first, second] = mail.outbox
    assert [first.to, second.to] == [[address] for address in both]
    assert first.subject == "Correction of May Open: waiting for the TD"
    assert SENTENCE in first.body
    assert "can confirm it or object" in first.body
    assert f"http://127.0.0.1:8000/desk/corrections/{request.pk}/" in first.body
    mail.outbox.clear()

    answer_correction(request_id=request.pk, agrees=False, note="No.", actor=td)
    assert sent() == [(a, "Correction of May Open: the TD objects") for a in both]
    answer_correction(request_id=request.pk, agrees=True, note="", actor=td)
    assert sent() == [(a, "Correction of May Open: confirmed by the TD") for a in both]
    approve(request, decider)
    run_due_jobs()
    assert "The score sheet shows a draw." in mail.outbox[0].body
    assert "Ratings will be updated with the next rerate." in mail.outbox[0].body
    assert sent() == [(a, "Correction of May Open: corrected") for a in both]


def test_refusal_reaches_the_asker_with_its_reason(section):
    member, request_text = make_member(), "The sheet shows a loss & a stamp."
    request = request_correction(section, member)
    run_due_jobs()
    mail.outbox.clear()
    refuse_correction(request_id=request.pk, reason=request_text, actor=make_decider())
    run_due_jobs()
    assert f"The request was declined: {request_text}\n" in mail.outbox[0].body


def accounts_for(section) -> list[str]:
    """Create an account for each player of the section; return emails by number."""
    addresses = []
    for entry in section.entries.order_by("pairing_number"):
        player, address = entry.player, f"player{entry.pairing_number}@example.org"
        player.account = make_user(email=address)
        player.save()
        addresses.append(address)
    return addresses


def test_members_whose_own_game_was_corrected_hear_of_it_once_it_is(section, td):
    addresses, decider, member = accounts_for(section), make_decider(), make_member()
    request = request_correction(section, member)
    answer_correction(request_id=request.pk, agrees=True, note="", actor=td)
    assert {to for to, _ in sent()} == {member.email, "td@example.org"}
    approve(request, decider)
    run_due_jobs()
    told = {message.to[0]: message for message in mail.outbox}
    assert set(told) == {member.email, "td@example.org", addresses[0], addresses[3]}
    message = told[addresses[3]]
    assert message.subject == "May Open was corrected"
    assert SENTENCE in message.body
    assert "Why: The score sheet shows a draw." in message.body
    event = f"http://127.0.0.1:8000{section.event.get_absolute_url()}"
    assert f"\n{event}\n" in message.body
    assert "/desk/corrections/" not in message.body
    assert member.get_username() not in message.body


def test_member_taken_out_and_the_one_put_in_hear_of_it(section):
    addresses, decider = accounts_for(section), make_decider()
    new = make_player(account=make_user(email="new@example.org"))
    change = {"number": 2, "member_id": new.member_id}
    request = request_correction(section, decider, "member_id", change)
    mail.outbox.clear()
    approve(request, decider, reason="The TD wrote it.")
    told = {to for to, subject in sent() if subject == "May Open was corrected"}
    assert told == {addresses[1], "new@example.org"}


def test_player_who_is_the_requester_gets_one_message(section):
    addresses, decider = accounts_for(section), make_decider()
    asker = section.entries.get(pairing_number=1).player.account
    request = request_correction(section, asker)
    sent()
    approve(request, decider, reason="The sheet is clear.")
    assert sorted(to for to, _ in sent()) == sorted(
        [addresses[0], addresses[3], "td@example.org"]
    )


def test_refused_or_section_wide_corrections_write_to_no_player(section):
    addresses, decider = accounts_for(section), make_decider()
    refuse_correction(
        request_id=request_correction(section, decider).pk,
        reason="It was a loss.",
        actor=decider,
    )
    change = {"name": "U1800"}
    approve(
        request_correction(section, decider, "name", change),
        decider,
        reason="A typing error.",
    )
    assert not {to for to, _ in sent()} & set(addresses)


def test_closed_accounts_and_missing_addresses_get_nothing(section, td):
    td.is_active = False
    td.save()
    request_correction(section, make_td())
    run_due_jobs()
    assert mail.outbox == []
