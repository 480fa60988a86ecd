"""Concurrent changes: a correction is made once, and none is lost."""

import pytest

from events.corrections.services.requests import (
    answer_correction,
    approve_correction,
    refuse_correction,
)
from events.models import CorrectionRequest
from events.records.exceptions import NotPossible, VersionConflict
from events.records.services.versions import document_of
from ratings.ledger.services.rating import rate_section
from ratings.models import RerateMark
from tests.concurrency import needs_two_connections, run_concurrently  # noqa: F401
from tests.events.corrections.samples import (
    cell,
    make_decider,
    make_member,
    make_section,
    request_correction,
    result,
)
from tests.factories import make_td

TIMES = 3

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


def approval(request: CorrectionRequest, *, version: int = 1):
    actor = make_decider()
    return lambda: approve_correction(
        request_id=request.pk,
        version=version,
        public_note="The score sheet says so.",
        reason="",
        actor=actor,
    )


@pytest.mark.parametrize("attempt", range(TIMES))
def test_two_approvals_of_one_request_make_one_version(attempt):
    td = make_td()
    section = make_section(td)
    request = request_correction(section, td)

    results = run_concurrently(approval(request), approval(request))

    [done] = [one for one in results if isinstance(one, CorrectionRequest)]
    [refused] = [one for one in results if one is not done]
    assert isinstance(refused, NotPossible)
    assert str(refused) == "This request has already been decided: corrected."
    assert list(section.versions.values_list("number", flat=True)) == [1, 2]
    assert RerateMark.objects.count() == 1


@pytest.mark.parametrize("attempt", range(TIMES))
def test_second_approval_in_a_section_must_review_again(attempt):
    td = make_td()
    section = make_section(td)
    requests = [
        request_correction(section, td),
        request_correction(section, td, change=result(cell(3, 3, "D", 4))),
    ]

    results = run_concurrently(*map(approval, requests))

    assert sorted(type(one).__name__ for one in results) == [
        "CorrectionRequest",
        "VersionConflict",
    ]
    [late] = [
        request
        for request, one in zip(requests, results, strict=True)
        if isinstance(one, VersionConflict)
    ]
    approval(late, version=2)()
    document = document_of(section)
    assert (document.cell(4, 1).outcomes, document.cell(3, 3).outcomes) == ("D", "D")


@pytest.mark.parametrize("attempt", range(TIMES))
def test_approval_and_refusal_at_once_are_one_decision(attempt):
    td = make_td()
    section = make_section(td)
    request = request_correction(section, td)
    refuser = make_decider()

    results = run_concurrently(
        approval(request),
        lambda: refuse_correction(request_id=request.pk, reason="No.", actor=refuser),
    )

    [done] = [one for one in results if isinstance(one, CorrectionRequest)]
    request.refresh_from_db()
    section.refresh_from_db()
    assert request.state == done.state
    assert section.version == (2 if done.state == "approved" else 1)


@pytest.mark.parametrize("attempt", range(TIMES))
def test_same_correction_asked_twice_at_once_is_one_request(attempt):
    section = make_section()
    askers = [make_member(username="one"), make_member(username="two")]

    results = run_concurrently(
        *(lambda actor=actor: request_correction(section, actor) for actor in askers)
    )

    assert CorrectionRequest.objects.count() == 1
    [refused] = [one for one in results if isinstance(one, Exception)]
    assert "already been requested" in str(refused)


@pytest.mark.parametrize("attempt", range(TIMES))
def test_objection_is_not_lost_during_an_approval(attempt):
    """It is approved with the TD's answer, or the objection requires a reason."""
    td = make_td()
    request = request_correction(make_section(td), td)

    approved, answered = run_concurrently(
        approval(request),
        lambda: answer_correction(
            request_id=request.pk, agrees=False, note="No.", actor=td
        ),
    )

    request.refresh_from_db()
    if request.state == "approved":
        assert isinstance(answered, NotPossible)
    else:
        assert request.state == "objected"
        assert isinstance(approved, NotPossible)


@pytest.mark.parametrize("attempt", range(TIMES))
def test_section_is_rated_as_reported_or_as_corrected_and_never_half(attempt):
    """A section rated before its correction gets a pending rerate, else none."""
    td = make_td()
    section = make_section(td, rated=False)
    request = request_correction(section, td)

    rated, approved = run_concurrently(
        lambda: rate_section(section_id=section.pk), approval(request)
    )

    assert isinstance(approved, CorrectionRequest)
    assert rated == section
    marks = RerateMark.objects.filter(kind="correction").count()
    scores = dict(
        section.calculations.get().changes.values_list("player", "half_points")
    )
    number_4 = section.entries.get(pairing_number=4).player_id
    assert (scores[number_4], marks) in [(1, 1), (2, 0)]
