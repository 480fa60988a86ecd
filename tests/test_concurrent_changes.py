"""A change while ratings are being written adds a pending rerate, without deadlocks.

Each test starts one action before another has committed.
"""

import re
import zlib
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from events.foreign.services.results import exclude_result
from players.external.services import enter_rating
from players.fide.services.links import link_fide_id, unlink_fide_id
from players.identity.services import merge_players, undo_merge
from players.imports.services.feed import import_batch
from players.models import FideList, MembershipType, Player
from ratings.ledger.services.rating import rate_section
from ratings.models import RerateMark, Run
from ratings.rerates.services.audit import run_audit
from ratings.rerates.services.undo import undo_rerate
from ratings_site.common.jobs.services import retry_failed, run_due_jobs
from ratings_site.common.models import Job
from tests.concurrency import needs_two_connections, run_before_commit, run_concurrently  # noqa: F401
from tests.events.foreign.factories import foreign_staff
from tests.factories import (
    END,
    accepted_event,
    event_report,
    make_player,
    make_td,
    make_user,
    section_report,
    swiss_rows,
)
from tests.players.fide.fide_files import Person
from tests.players.fide.helpers import import_list
from tests.players.test_admin import save
from tests.ratings.foreign.factories import list_with_masters, master, rated
from tests.ratings.rerates.test_concurrent_undo import (
    count_orphaned_lines,
    publish,
    two_rerates,
)

pytestmark = pytest.mark.postgresql
two_connections = pytest.mark.django_db(transaction=True)

MARCH = date(2024, 3, 1)


def pending_rerates() -> list[tuple[str, date]]:
    return list(RerateMark.objects.values_list("kind", "from_day"))


def first_section(member: Player, td) -> Callable[[], Any]:
    """Return the rating of the first section that *member* plays in."""
    players = [member, make_player(ratings={"OTBR": (1500.0, 40)})]
    report = event_report(td, [section_report(players, swiss_rows(2, 1))])
    section = accepted_event(td, report).sections.get()
    return lambda: rate_section(section_id=section.pk)


def same_name(member: Player) -> Player:
    return make_player(
        given_name=member.given_name,
        family_name=member.family_name,
        birth_date=member.birth_date,
    )


def merge(member: Player, actor) -> Callable[[], Any]:
    """The member goes on under a number that has no games."""
    kept = same_name(member)
    return lambda: merge_players(
        kept_id=kept.pk, merged_id=member.pk, actor=actor, reason="One person."
    )


def unmerge(member: Player, actor) -> Callable[[], Any]:
    done = merge(member, actor)()
    return lambda: undo_merge(merge_id=done.pk, actor=actor, reason="Two people.")


def admin_change(**changes: str) -> Callable[[Player, Any], Callable[[], Any]]:
    """Change the record on the admin's page."""

    def prepared(member: Player, actor) -> Callable[[], Any]:
        client = Client()
        client.force_login(actor)
        return lambda: save(client, member, **changes)

    return prepared


def adult(member: Player, actor) -> Callable[[], Any]:
    """Add an adult membership on another connection."""
    kind = MembershipType.objects.create(name="Adults", is_adult=True)
    lines = {
        "memberships-TOTAL_FORMS": "1",
        "memberships-0-player": member.pk,
        "memberships-0-type": kind.pk,
        "memberships-0-starts": "2024-03-01",
        "memberships-0-expires": "2025-02-28",
    }
    return admin_change(lines=lines)(member, actor)


def feed_change(member: Player, actor) -> Callable[[], Any]:
    """A membership system knows another birth date."""
    row = {"member_id": member.member_id, "birth_date": "2010-02-03"}
    row |= {"given_name": member.given_name, "family_name": member.family_name}
    return lambda: import_batch(rows=[row], actor=actor, key_name="Ours")


def cfc(member: Player, actor) -> Callable[[], Any]:
    return lambda: enter_rating(
        player_id=member.pk,
        body="CFC",
        rating=1500,
        list_date=MARCH,
        actor=actor,
        reason="Their list.",
    )


def fide_link(member: Player, actor, fide_id: int = 2000001) -> Callable[[], Any]:
    if not FideList.objects.exists():
        import_list([Person(2000001, rating=1700), Person(2000002, rating=1800)], MARCH)
    return lambda: link_fide_id(
        player_id=member.pk, fide_id=fide_id, actor=actor, reason="Their profile."
    )


def fide_unlink(member: Player, actor) -> Callable[[], Any]:
    fide_link(member, actor, 2000002)()
    return lambda: unlink_fide_id(player_id=member.pk, actor=actor, reason="Another.")


def abroad(member: Player, actor) -> Callable[[], Any]:
    """A result that is rated was none."""
    list_with_masters()
    result = rated(foreign_staff(), master(), [(2400, 2)])
    return lambda: exclude_result(
        actor=actor, result_id=result.pk, reason="A namesake."
    )


CHANGES = {
    merge: ("merge", END),
    unmerge: ("merge", END),
    admin_change(birth_date="2010-02-03"): ("birth_date", END),
    admin_change(residence="CAN"): ("residence", END),
    feed_change: ("birth_date", END),
    adult: ("adult", MARCH),
    cfc: ("external_rating", MARCH),
    fide_link: ("external_rating", MARCH),
    fide_unlink: ("external_rating", MARCH),
}


@two_connections
def test_changes_while_a_member_is_rated_create_a_pending_rerate():
    """All in one test, because it costs most to empty the database after it."""
    td, actor = make_td(), make_user("office", is_superuser=True, is_staff=True)
    for change, mark in CHANGES.items():
        member = make_player()
        act = change(member, actor)
        rate = first_section(member, td)
        assert pending_rerates() == [], change

        answers = run_before_commit(rate, act)

        assert [one for one in answers if isinstance(one, Exception)] == [], change
        assert pending_rerates() == [mark], change
        RerateMark.objects.all().delete()


# The row that a rating, or one that changes what ratings rest on, locks for itself.
LOCKS_ROWS = re.compile(
    r'^UPDATE "(players_player|events_\w+|ratings_run)"'
    r'|^SELECT.* FROM "(players_player|events_\w+|ratings_run)".* FOR UPDATE'
)
LOCKS_RATINGS = f"pg_advisory_xact_lock({zlib.crc32(b'ratings')})"


@pytest.mark.django_db
@pytest.mark.parametrize("change", [*CHANGES, abroad])
def test_ratings_are_held_before_any_row_is_locked(change):
    """Rating holds them first, and locks rows of members when it commits."""
    act = change(make_player(), make_user("office", is_superuser=True, is_staff=True))
    with CaptureQueriesContext(connection) as seen:
        act()
    said = [query["sql"] for query in seen]
    held = [number for number, sql in enumerate(said) if LOCKS_RATINGS in sql]
    locked = [number for number, sql in enumerate(said) if LOCKS_ROWS.match(sql)]
    assert held
    assert locked == [number for number in locked if number > held[0]]


@two_connections
def test_no_rerate_is_taken_back_under_one_that_is_being_published(monkeypatch):
    first, second = two_rerates(monkeypatch)
    run_due_jobs()
    actor = make_user(is_superuser=True)
    undo_rerate(run_id=first.pk, actor=actor, reason="Too early.")

    published, worked = run_before_commit(
        lambda: publish(second), lambda: run_due_jobs(limit=1)
    )

    assert (published.status, worked) == (Run.Status.PUBLISHED, 1)
    first.refresh_from_db()
    assert first.status == Run.Status.PUBLISHED
    assert first.message == (
        f"Not undone: {second} is based on {first}. Undo {second} first."
    )
    assert count_orphaned_lines() == 0
    call_command("audit", full=True)


@two_connections
def test_who_would_be_the_own_opponent_is_found_and_the_section_waits():
    """The merge sees no game that is not accepted yet, nor acceptance the merge."""
    td, actor = make_td(), make_user(is_superuser=True)
    ada, other = make_player(), make_player(given_name="Bo")
    again = same_name(ada)
    pairs = [[ada, again], [ada, other]]
    report = event_report(
        td,
        [
            section_report(pair, swiss_rows(2, 1), number=number)
            for number, pair in enumerate(pairs, start=1)
        ],
    )

    accepted, done = run_before_commit(
        lambda: accepted_event(td, report),
        lambda: merge_players(
            kept_id=ada.pk, merged_id=again.pk, actor=actor, reason="One person."
        ),
    )
    run_due_jobs()

    met_self, met_other = accepted.sections.order_by("number")
    assert (met_self.status, met_other.status) == ("ready", "rated")
    job = Job.objects.get(state=Job.State.FAILED)
    assert job.args == {"section_id": met_self.pk}
    assert job.message == (
        f"{ada} and {again} played each other in round 1 of May Open, section 1, and "
        "are one member by now. Undo the merge, or correct the section; then try again."
    )
    call_command("audit", full=True)

    undo_merge(merge_id=done.pk, actor=actor, reason="They met: two people.")
    retry_failed(job_id=job.pk, actor=actor)
    run_due_jobs()
    met_self.refresh_from_db()
    assert met_self.status == "rated"


@two_connections
def test_audit_sees_the_office_of_one_moment():
    """Another section is rated when its first question is answered."""
    td = make_td()
    first_section(make_player(), td)()
    rate = first_section(make_player(), td)

    questions = run_audit(None)
    findings = [next(questions)]
    run_concurrently(rate)
    findings += questions

    assert [finding.faults for finding in findings] == [[]] * 5
    # Two openings and one section of two; the ratings of three or four, of the sample.
    assert [finding.checked for finding in findings] == [4, 3, 4, 4, 1]
    assert [finding.checked for finding in run_audit(None)] == [6, 4, 6, 6, 2]
