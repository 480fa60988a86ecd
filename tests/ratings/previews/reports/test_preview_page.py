"""The rating preview of a report: who can see it, and that nothing is saved."""

import re
from datetime import date

import pytest
from django.urls import reverse

from events.formats.report import BLANK
from events.reports.services.submissions import submit_report
from events.review.services.acceptance import accept_report
from ratings.models import Calculation, RatingChange
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    rated_event,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def td():
    return make_td("td")


def members(count: int):
    return [
        make_player(
            given_name=f"Given{i}",
            family_name=f"Family{i}",
            ratings={"OTBR": (1500.0 + 20 * i, 40)},
        )
        for i in range(count)
    ]


def words_of(client, submission) -> str:
    response = client.get(reverse("ratings:preview", args=[submission.pk]))
    main = response.content.decode().partition("</main>")[0]
    text = re.sub(r"<[^>]*>", " ", main)
    return re.sub(r"\s+", " ", text)


def test_the_preview_is_what_rating_then_gives(client, td):
    report = event_report(td, [section_report(members(4), swiss_rows(4, 3))])
    submission = upload(td, report)
    client.force_login(td)
    previewed = words_of(client, submission)
    assert "No. Player Regular New rating Change" in previewed
    assert Calculation.objects.filter(section__isnull=False).count() == 0
    event = rated_event(td, event_report(td, report.sections, name="The same"))
    for change in RatingChange.objects.filter(calculation__section__event=event):
        post = int(change.post_rating + 0.5)
        assert (
            f"{change.player.member_id} {int(change.pre_rating)} {post} " in previewed
        )


def test_director_and_office_see_the_same_published_numbers(client, td):
    """Two equal newcomers of 10 draw, so both keep the age-based start of about 512."""
    twins = [
        make_player(given_name="New", birth_date=date(2014, 2, 3)) for _ in range(2)
    ]
    sections = [
        section_report(members(4), swiss_rows(4, 3)),
        section_report(twins, ["D2W", "D1B"], number=2),
    ]
    submission = upload(td, event_report(td, sections))
    client.force_login(td)
    words = words_of(client, submission)
    for twin in twins:
        assert f"{twin.member_id} unrated about 500 " in words
    assert words.count("so we show it to the nearest 50") == 1
    assert not re.search(r"\d\.\d", words.partition("Section 1")[2])
    client.force_login(make_staff("staff"))
    assert words_of(client, submission).endswith(words.partition("Section 1")[2])


def test_a_half_filled_section_is_not_taken_for_the_outcome(client, td):
    client.force_login(td)
    full = event_report(td, [section_report(members(4), swiss_rows(4, 3))])
    assert "these ratings are not final" not in words_of(client, upload(td, full))
    half = full.with_cell(1, 1, 3, BLANK).with_cell(1, 2, 3, BLANK)
    words = words_of(client, upload(td, half.with_event(name="Half filled")))
    assert "2 results are missing, so these ratings are not final." in words


def test_a_section_that_cannot_be_rated_says_why(client, td):
    sections = [
        section_report(members(4), swiss_rows(4, 3)),
        section_report(members(4), swiss_rows(4, 3), number=2, time_control="G/x"),
    ]
    client.force_login(td)
    words = words_of(client, upload(td, event_report(td, sections)))
    assert "Regular. Players with unknown IDs" in words
    assert "This section can’t be rated yet. " in words
    assert "“G/x”" in words


@pytest.mark.parametrize("players", [4, 40])
def test_the_preview_takes_the_same_queries_at_any_size(
    client, td, django_assert_num_queries, players
):
    report = event_report(
        td, [section_report(members(players), swiss_rows(players, 3))]
    )
    submission = upload(td, report)
    client.force_login(td)
    with django_assert_num_queries(18):
        words = words_of(client, submission)
    assert words.count(" Family") == players


FIVE_ROUNDS = [
    "W2W W3B W4W W5B H",
    "L1B D5W H D4B D3W",
    "D4W L1W D5B H D2B",
    "D3B H L1B D2W D5B",
    "H D2B D3W L1W D4W",
]


def test_norms_and_titles_are_told_before_and_after_rating(client, td):
    """Four events have made norms of the winner; the fifth completes the titles."""
    people = [make_player("30000001", ratings={"OTBR": (1990.0, 40)})]
    people += [make_player(ratings={"OTBR": (1800.0, 60)}) for _ in range(4)]
    words = []
    for month in range(2, 7):
        day = date(2024, month, 5)
        sections = [section_report(people, FIVE_ROUNDS)]
        report = event_report(td, sections, starts=day, ends=day, name=f"Open {month}")
        submission = upload(td, report)
        client.force_login(td)
        words.append(words_of(client, submission).partition("Norms and titles")[2])
        submit_report(submission_id=submission.pk, actor=td)
        accept_report(submission_id=submission.pk, actor=make_staff())
        run_due_jobs()
        page = client.get(submission.get_absolute_url()).content.decode()
        section = page.partition('id="norms"')[2].partition("</section>")[0]
        rated = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", section))
        assert people[0].name in rated
        assert ("One norm short" in rated) is (month == 5)
        assert ("Title completed" in rated) is (month == 6)
    name = people[0].name
    all_four = "1st Category, 2nd Category, 3rd Category, 4th Category"
    assert f"{name} 1800 norm in section 1 · One norm short of {all_four}" in words[3]
    assert f"{name} 1800 norm in section 1 · Title completed: {all_four}" in words[4]
