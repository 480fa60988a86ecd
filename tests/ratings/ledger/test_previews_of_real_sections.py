"""The preview of a real section equals its published rating."""

from dataclasses import replace
from datetime import date

import pytest

from events.checks.queries.members import members_of
from events.reports.services.submissions import reported_in
from events.review.services.acceptance import accept_report
from players.models import Membership, MembershipType, Player
from ratings.decisions.floors.queries.titles import event_norms
from ratings.ledger.services.previews import preview_report
from ratings.ledger.services.rating import enter_openings
from ratings.previews.reports.queries.titles import previewed_norms
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.demo.members import Register
from ratings_site.demo.real_sections import DemoSection, load_sections
from tests.factories import event_report, handed_in, make_staff, make_td
from tests.ratings.ledger.test_previews import numbers_of, results_of

pytestmark = pytest.mark.django_db

SECTIONS = 20
FIRST, LAST = date(2000, 1, 1), date(2099, 12, 31)


def real_section(place: int) -> DemoSection:
    """Enter the members of one of 20 real sections, children among the unrated."""
    sections = load_sections(Register())
    section = sections[place * len(sections) // SECTIONS]
    rated = {opening.player.member_id for opening in section.openings}
    for age, player in enumerate(section.players):
        if player.member_id not in rated:
            player.birth_date = date(section.ends.year - 6 - age % 15, 5, 5)
    Player.objects.bulk_create(section.players)
    kind = MembershipType.objects.create(name="Regular")
    Membership.objects.bulk_create(
        Membership(player=player, type=kind, starts=FIRST, expires=LAST)
        for player in section.players
    )
    enter_openings(entries=section.openings, actor=None)
    return section


@pytest.mark.parametrize("place", range(SECTIONS))
def test_preview_of_a_real_section_is_the_later_result(place):
    real = real_section(place)
    td = make_td()
    reported = replace(real.reported, number=1)
    submission = handed_in(
        td, event_report(td, [reported], starts=real.starts, ends=real.ends)
    )
    report = reported_in(submission)

    [preview] = preview_report(report, members_of(report))
    norms = previewed_norms(report, [preview], members_of(report))

    event = accept_report(submission_id=submission.pk, actor=make_staff())
    run_due_jobs()
    previewed = {
        entry: numbers
        for entry, numbers in numbers_of(preview).items()
        if numbers[1] != "unrated"  # without a game
    }
    assert previewed == results_of(event.sections.get())
    assert len(previewed) >= 2
    assert norms == event_norms(event)


def test_real_sections_have_newcomers_in_them():
    """Sections of rated players alone would not show the effect of birth dates."""
    sections = load_sections(Register())
    newcomers = [
        len(section.players) - len({one.player.member_id for one in section.openings})
        for section in sections[:: len(sections) // SECTIONS]
    ]
    assert sum(count > 0 for count in newcomers) >= 5
