"""The dry run of a correction, compared with the rerate afterward."""

from copy import deepcopy
from datetime import date, timedelta

import pytest
from django.test import Client

from events.corrections.pages import approval_preview
from events.corrections.services.requests import approve_correction
from events.corrections.services.reviews import review_request
from events.models import CorrectionRequest, Section
from events.records.services.versions import document_of
from players.models import Player
from ratings.engine.numbers import official
from ratings.ledger.services.rating_inputs import read_section_facts
from ratings.models import Calculation, PlayerRating, RerateMark, Run
from ratings.previews.corrections.services import (
    dry_run_of,
    effect_of,
    facts_of_document,
    is_short,
    start_dry_run,
)
from ratings.rerates.pages import preview_summary
from ratings.rerates.services import what_if
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.ui.formatting import format_day
from tests.events.corrections.samples import (
    cell,
    make_decider,
    make_event,
    make_section,
    request_correction,
    result,
)
from tests.events.corrections.test_pages import text
from tests.factories import (
    END,
    START,
    event_report,
    make_player,
    make_td,
    rated_event,
    section_report,
)
from tests.ratings.rerates.factories import play, undo_published

pytestmark = pytest.mark.django_db

WEEK = timedelta(days=7)


@pytest.fixture(scope="module")
def played(module_data):
    """A rated section whose players play again later, two of them against others.

    The *newcomer* plays later; the *stranger* is rated and has no later game.
    """
    td = make_td()
    section = make_section(td)
    players = [entry.player for entry in section.entries.order_by("pairing_number")]
    others = [make_player(ratings={"OTBR": (1900.0, 50)}) for _ in range(2)]
    later = section_report(
        [*players, *others], ["L4W", "W3W", "L2B", "W1B", "D6W", "D5B"]
    )
    section.newcomer = others[0]
    section.stranger = make_player(ratings={"OTBR": (1730.0, 40)})
    rated_event(
        td,
        event_report(
            td, [later], starts=START + WEEK, ends=END + WEEK, name="A week later"
        ),
    )
    return td, section


@pytest.fixture
def td(played):
    return deepcopy(played[0])


@pytest.fixture
def section(played) -> Section:
    return deepcopy(played[1])


def ratings() -> dict[tuple[int, str], float]:
    return {
        (one.player_id, one.system): one.rating for one in PlayerRating.objects.all()
    }


def approve(request: CorrectionRequest) -> None:
    approve_correction(
        request_id=request.pk,
        version=request.section.version,
        public_note="The score sheet says so.",
        reason="",
        actor=make_decider(),
    )


def rerate() -> Run:
    run = start_rerate(actor=None, reason="Corrections.")
    run_due_jobs()
    publish_rerate(run_id=run.pk, actor=None, reason="Looked at.")
    run.refresh_from_db()
    return run


CHANGES = [
    ("result", lambda s: result(cell(4, 1, "D", 1, color="B"))),
    ("result", lambda s: result(cell(3, 3, ""))),
    ("result", lambda s: result(cell(3, 2, "W", 4), cell(1, 2, "L", 2))),
    ("result", lambda s: result(cell(1, 4, "W", 3, color="B"))),
    ("player", lambda s: {"number": 2, "other": 3}),
    (
        "member_id",
        lambda s: {"number": 2, "member_id": s.newcomer.member_id},
    ),
    (
        "member_id",
        lambda s: {"number": 2, "member_id": s.stranger.member_id},
    ),
    ("dates", lambda s: {"starts": "2024-05-18", "ends": "2024-05-19"}),
    ("time_control", lambda s: {"time_control": "G/60;d5", "is_online": False}),
    ("time_control", lambda s: {"time_control": "G/25;d5", "is_online": False}),
    ("type", lambda s: {"kind": "round_robin"}),
]


@pytest.mark.parametrize(("kind", "change"), CHANGES)
def test_rerate_gives_what_the_dry_run_said(section, td, kind, change):
    request = request_correction(section, td, kind, change(section))
    before = ratings()
    effect = effect_of(request, review_request(request))
    confirmation = approval_preview(request, review_request(request))
    assert ratings() == before  # nothing was written
    assert not Run.objects.filter(kind__in=["rerate", "what_if"]).exists()

    approve(request)
    assert ratings() == before  # nothing is rated either
    [mark] = RerateMark.objects.filter(run=None)
    assert [one.sentence for one in confirmation if one.code == "mark"] == [
        f"This adds a pending rerate from {format_day(mark.from_day)}. The next "
        f"rerate replays history from {format_day(mark.from_day)}."
    ]
    run = rerate()
    assert run.from_day == mark.from_day

    after = ratings()
    said = {
        (move.player, str(move.system)): (
            move.before and move.before.rating,
            move.after and move.after.rating,
        )
        for move in effect.ratings
    }
    happened = {
        place: (before.get(place), after.get(place))
        for place in before.keys() | after.keys()
        if _shown(before.get(place)) != _shown(after.get(place))
    }
    assert said == happened
    moved = [
        official(new) - official(old)
        for old, new in happened.values()
        if old is not None and new is not None
    ]
    sentences = {one.code: one.sentence for one in preview_summary(effect.as_json())}
    if happened:
        assert sentences["ratings"].startswith(f"{len(happened)} rating")
    if any(points > 0 for points in moved):
        assert f": +{max(moved)} (" in sentences["gain"]
    if any(points < 0 for points in moved):
        assert f": −{-min(moved)} (" in sentences["loss"]
    if kind != "type":
        assert happened


def _shown(rating: float | None) -> int | None:
    return None if rating is None else official(rating)


def test_member_put_in_and_taken_out_before_a_rerate_keeps_the_rating(section, td):
    number_2 = section.entries.get(pairing_number=2).player
    approve(
        request_correction(
            section,
            td,
            "member_id",
            {"number": 2, "member_id": section.stranger.member_id},
        )
    )
    section.refresh_from_db()
    back = request_correction(
        section, td, "member_id", {"number": 2, "member_id": number_2.member_id}
    )
    effect = effect_of(back, review_request(back))
    assert effect.of(section.stranger.pk, "OTBR").after.rating == 1730.0


@pytest.mark.parametrize(("kind", "change"), CHANGES)
def test_facts_of_a_document_are_those_of_the_corrected_section(
    section, td, kind, change
):
    request = request_correction(section, td, kind, change(section))
    supposed = facts_of_document(review_request(request).after)
    approve(request)
    section.refresh_from_db()
    assert supposed == read_section_facts(section)
    assert facts_of_document(document_of(section)) == supposed


def test_merged_member_plays_for_the_one_that_goes_on(section):
    number_2 = section.entries.get(pairing_number=2).player
    kept = make_player()
    Player.objects.filter(pk=number_2.pk).update(status="duplicate", merged_into=kept)
    facts = facts_of_document(document_of(section))
    assert kept.pk in facts.persons
    assert number_2.pk not in facts.persons
    assert facts == read_section_facts(section)


def test_corrected_time_control_moves_the_section_to_another_system(section, td):
    change = {"time_control": "G/10;d3", "is_online": False}
    approve(request_correction(section, td, "time_control", change))
    rerate()
    current = Calculation.objects.filter(section=section, is_current=True)
    assert list(current.values_list("system", "section_version")) == [("OTBQ", 2)]


def test_rerate_closes_the_pending_rerate_and_the_event_shows_it(client, section, td):
    approve(request_correction(section, td))
    mark = RerateMark.objects.get()
    assert (mark.from_day, mark.run) == (date(2024, 5, 5), None)
    run = rerate()
    mark.refresh_from_db()
    assert mark.run == run
    page = text(client.get(section.event.get_absolute_url()))
    assert f"Ratings changed with rerate {run.pk}." in page
    assert "Ratings will change with the next rerate." not in page


def test_member_put_in_waits_in_the_crosstable_for_the_rerate(client, section, td):
    put_in = {"number": 2, "member_id": section.stranger.member_id}
    approve(request_correction(section, td, "member_id", put_in))
    page = text(client.get(section.get_absolute_url()))
    assert page.count("pending the next rerate") == 1
    assert "no rated games" not in page
    rerate()
    page = text(client.get(section.get_absolute_url()))
    assert "pending the next rerate" not in page
    assert "1730P" not in page
    assert "1730 1741" in page


# The page


def effect_page(request: CorrectionRequest, **headers: str) -> str:
    client = Client()
    client.force_login(make_decider())
    return text(client.get(f"/office/corrections/{request.pk}/effect/", **headers))


def test_page_shows_ratings_after_the_section_and_now(section, td):
    request = request_correction(section, td)
    effect = effect_of(request, review_request(request))
    page = effect_page(request)
    assert f"{effect.whole_changes} ratings change by a whole point" in page
    number_1 = section.entries.get(pairing_number=1).player
    [line] = [one for one in effect.lines if one.player == number_1.pk]
    shown = f"Regular {line.post_before:.2f} {line.post_after:.2f}"
    assert f"{number_1.name} {shown}" in page
    move = effect.of(number_1.pk, "OTBR")
    assert f"{move.before.rating:.2f} {move.after.rating:.2f}" in page


def test_page_says_that_a_new_name_changes_no_rating(section, td):
    request = request_correction(section, td, "name", {"name": "Premier"})
    page = effect_page(request)
    assert "No ratings change." in page
    assert "by a whole point" not in page


def test_part_of_the_page_comes_without_its_frame(section, td):
    request = request_correction(section, td)
    assert "Rating preview" in effect_page(request)
    part = effect_page(request, HTTP_HX_REQUEST="true")
    assert "Rating preview" not in part
    assert "change by a whole point or more" in part


def test_section_that_waits_has_no_effect_yet(td):
    request = request_correction(make_section(td, rated=False), td)
    assert "This section is not rated yet" in effect_page(request)


def test_long_dry_run_is_a_job_and_its_result_is_kept(client, section, td, monkeypatch):
    monkeypatch.setattr(what_if, "SMALL_WINDOW", 0)
    request = request_correction(section, td)
    expected = effect_of(request, review_request(request)).as_json()
    assert not is_short(review_request(request))
    client.force_login(make_decider())
    url = f"/office/corrections/{request.pk}/effect/"
    assert "Preview rating changes" in text(client.get(url))
    assert "Calculating ratings with the correction." in text(
        client.post(url, follow=True)
    )
    client.post(url)
    run_due_jobs()
    run = Run.objects.get(kind="what_if")
    assert (run.status, run.summary) == ("ready", expected)
    assert f"{run.summary['whole_changes']} ratings change" in text(client.get(url))


def test_dry_run_is_repeated_after_ratings_or_records_changed(
    client, section, td, monkeypatch
):
    monkeypatch.setattr(what_if, "SMALL_WINDOW", 0)
    request = request_correction(section, td)
    client.force_login(make_decider())
    url = f"/office/corrections/{request.pk}/effect/"
    client.post(url)
    run_due_jobs()
    assert "have changed since then" not in text(client.get(url))
    players = [entry.player for entry in section.entries.order_by("pairing_number")]
    play(td, players, ends=END + WEEK)
    page = text(client.get(url))
    assert "Ratings or records have changed since then. Preview again" in page

    client.post(url)
    run_due_jobs()
    newest = Run.objects.filter(kind="what_if").latest("pk")
    assert newest.summary == effect_of(request, review_request(request)).as_json()
    assert "have changed since then" not in text(client.get(url))

    undo_published(rerated())
    assert "have changed since then" in text(client.get(url))


def rerated() -> Run:
    run = start_rerate(actor=None, reason="To check.", from_day=START)
    run_due_jobs()
    publish_rerate(run_id=run.pk, actor=None, reason="Checked.")
    run_due_jobs()
    run.refresh_from_db()
    return run


def test_dry_run_of_another_version_or_change_does_not_count(section, td):
    request = request_correction(section, td)
    start_dry_run(request=request, review=review_request(request), actor=None)
    assert dry_run_of(request) is not None
    approve(request_correction(section, td, "name", {"name": "U1800"}))
    request = CorrectionRequest.objects.get(pk=request.pk)
    assert dry_run_of(request) is None


@pytest.mark.parametrize("count", [1, 4])
def test_effect_takes_the_same_queries_for_any_number_of_sections(
    client, td, django_assert_max_num_queries, count
):
    section = make_event(td, sections=count).sections.get(number=1)
    request = request_correction(section, td)
    client.force_login(make_decider())
    with django_assert_max_num_queries(84):
        client.get(f"/office/corrections/{request.pk}/effect/")
