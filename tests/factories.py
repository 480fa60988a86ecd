"""Small, unsurprising federations for tests. Everything goes through the services."""

import itertools
from datetime import date

from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group
from django.db import transaction
from django.utils import timezone

from events.checks.services import blocking_findings, can_be_overridden
from events.formats.dbf.writer import write_report
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    parse_cell,
)
from events.models import Affiliate, Event, Official, Section, Submission
from events.records.deadlines import set_submission_date
from events.reports.services.submissions import (
    override_findings,
    receive_submission,
    store_report,
    submit_report,
)
from events.review.groups import OFFICE
from events.review.services.acceptance import create_event_from_report
from players.identity.services import merge_players
from players.models import Membership, MembershipType, Player, PlayerMerge
from ratings.ledger.services.rating import enter_openings
from ratings.models import OpeningEntry
from ratings_site.common.approvals.services import approve
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import PendingAct, User

START = date(2024, 5, 4)
END = date(2024, 5, 5)

_numbers = itertools.count(1)


def make_user(username: str | None = None, **kwargs) -> User:
    username = username or f"user{next(_numbers)}"
    return User.objects.create_user(username, password="secret", **kwargs)


def verified(user: User) -> User:
    """Give an account an address that it has shown to be its own."""
    user.email = user.email or f"{user.username}@example.org"
    user.save()
    EmailAddress.objects.create(
        user=user, email=user.email, verified=True, primary=True
    )
    return user


def make_staff(username: str | None = None) -> User:
    """An account of the ratings office."""
    user = make_user(username, is_staff=True)
    user.groups.add(Group.objects.get(name=OFFICE))
    return user


def merge_with_approval(kept: Player, merged: Player) -> PlayerMerge:
    """Merge two members who may differ: the office proposes, a second one approves."""
    said = {"kept_id": kept.pk, "merged_id": merged.pk, "reason": "One person."}
    done = merge_players(actor=make_staff(), **said)
    if isinstance(done, PendingAct):
        done = approve(act_id=done.pk, actor=make_staff())
    return done


def make_player(
    member_id: str | None = None,
    given_name: str = "Ada",
    family_name: str = "Adams",
    *,
    birth_date: date | None = date(1990, 1, 1),
    ratings: dict[str, tuple[float, int]] | None = None,
    member_from: date = date(2000, 1, 1),
    member_until: date = date(2099, 12, 31),
    adult: bool = False,
    account: User | None = None,
    **fields,
) -> Player:
    """A member; *ratings* maps a system to (rating, games) as of 1 January 2024."""
    if fields.get("status") == "duplicate":
        fields.setdefault("merged_into", make_player())
    player = Player.objects.create(
        member_id=member_id or str(20_000_000 + next(_numbers)),
        given_name=given_name,
        family_name=family_name,
        birth_date=birth_date,
        account=account,
        **fields,
    )
    kind, _ = MembershipType.objects.get_or_create(
        name="Adult" if adult else "Regular", defaults={"is_adult": adult}
    )
    Membership.objects.create(
        player=player, type=kind, starts=member_from, expires=member_until
    )
    if ratings:
        entries = [_opening(player, system, *held) for system, held in ratings.items()]
        enter_openings(entries=entries, actor=None)
    return player


def open_rating(
    player: Player, system: str, rating: float, games: int, **fields
) -> None:
    entries = [_opening(player, system, rating, games, **fields)]
    enter_openings(entries=entries, actor=None)


def _opening(
    player: Player,
    system: str,
    rating: float,
    games: int,
    *,
    as_of: date = date(2024, 1, 1),
    record: str = "mixed",
    **fields,
) -> OpeningEntry:
    return OpeningEntry(
        player=player,
        system=system,
        as_of=as_of,
        rating=rating,
        games=games,
        record=record,
        source="the old books",
        **fields,
    )


def make_affiliate(affiliate_id: str = "A6000001", **fields) -> Affiliate:
    defaults = {"name": "Castle Chess Club", "expires": date(2099, 12, 31), **fields}
    affiliate, _ = Affiliate.objects.get_or_create(
        affiliate_id=affiliate_id, defaults=defaults
    )
    return affiliate


def make_td(username: str | None = None, member_id: str | None = None) -> User:
    """An account whose member is a certified TD."""
    user = make_user(username)
    player = make_player(member_id, "Tessa", "Director", account=user)
    Official.objects.create(
        player=player, level="senior", certified_until=date(2099, 12, 31)
    )
    return user


def section_report(
    players: list[Player],
    rows: list[str],
    *,
    number: int = 1,
    time_control: str = "G/90;d5",
    kind_letter: str = "S",
    **fields,
) -> ReportedSection:
    """One section; each row holds a player's cells, such as ``"W2W D3B"``."""
    cells = [tuple(parse_cell(text) for text in row.split()) for row in rows]
    return ReportedSection(
        number=number,
        name=fields.pop("name", f"Section {number}"),
        system_letter="R",
        time_control=time_control,
        kind_letter=kind_letter,
        rounds=max(map(len, cells)),
        last_pairing_number=len(players),
        entries=tuple(
            ReportedEntry(
                pairing_number=index,
                member_id=player.member_id,
                name=f"{player.family_name.upper()}, {player.given_name.upper()}",
                cells=row,
            )
            for index, (player, row) in enumerate(
                zip(players, cells, strict=True), start=1
            )
        ),
        **fields,
    )


def event_report(
    td: User,
    sections: list[ReportedSection],
    *,
    starts: date = START,
    ends: date = END,
    name: str = "May Open",
) -> ReportedEvent:
    make_affiliate()
    return ReportedEvent(
        program="tests",
        name=name,
        starts=starts,
        ends=ends,
        affiliate_id="A6000001",
        city="Springfield",
        state="IL",
        zip_code="62701",
        country="USA",
        chief_td_id=td.player.member_id,
        sections=tuple(sections),
        total_sections=len(sections),
    )


def upload(td: User, reported: ReportedEvent) -> Submission:
    """Send the report as the three files of a pairing program."""
    return receive_submission(actor=td, files=list(write_report(reported).items()))


def handed_in(td: User, reported: ReportedEvent) -> Submission:
    """Send and submit the report, with the files that a pairing program writes.

    Generated games raise warnings, which are confirmed; errors cannot be.
    """
    submission = upload(td, reported)
    odd = [
        one.key
        for one in blocking_findings(submission, submission.found)
        if can_be_overridden(one)
    ]
    if odd:
        override_findings(
            submission_id=submission.pk,
            actor=td,
            finding_keys=odd,
            reason="So it was played.",
        )
    return submit_report(submission_id=submission.pk, actor=td)


def accepted_event(
    td: User, reported: ReportedEvent, *, staff: User | None = None
) -> Event:
    """Create the event of a report; its sections are queued for rating.

    This skips submission and checks, the most expensive part. The records are the same
    either way (`tests/test_factories.py`).
    """
    now = timezone.now()
    submission = Submission(
        uploaded_by=td,
        content_digest=f"made up {next(_numbers)}",
        state=Submission.State.SUBMITTED,
        submitted_at=now,
    )
    store_report(submission, reported)
    set_submission_date(submission, reported, now)
    with transaction.atomic():
        return create_event_from_report(submission, actor=staff or make_staff())


def rated_event(
    td: User, reported: ReportedEvent, *, staff: User | None = None
) -> Event:
    event = accepted_event(td, reported, staff=staff)
    run_due_jobs()
    return event


def swiss_rows(players: int, rounds: int) -> list[str]:
    """Rows of a made-up Swiss: in each round neighbors at a growing distance meet.

    The lower number is White and wins, except that every third game is drawn.
    *players* must be even.
    """
    rows: list[list[str]] = [[] for _ in range(players)]
    for round_number in range(rounds):
        for board in range(players // 2):
            # The circle method: no pairing is repeated.
            one = (board + round_number) % (players - 1) if board else players - 1
            other = (
                (players - 1 - board + round_number) % (players - 1)
                if board
                else round_number % (players - 1)
            )
            low, high = sorted((one, other))
            drawn = (board + round_number) % 3 == 0
            rows[low].append(f"{'D' if drawn else 'W'}{high + 1}W")
            rows[high].append(f"{'D' if drawn else 'L'}{low + 1}B")
    return [" ".join(row) for row in rows]


def rated_section(
    *, players: int = 6, rounds: int = 3, td: User | None = None, **report
) -> Section:
    """A rated Swiss of established players rated 1500, 1510, 1520, ..."""
    td = td or make_td()
    members = [
        make_player(
            given_name=f"Given{number}",
            family_name=f"Family{number}",
            ratings={"OTBR": (1500.0 + 10 * number, 40)},
        )
        for number in range(players)
    ]
    section = section_report(members, swiss_rows(players, rounds))
    event = rated_event(td, event_report(td, [section], **report))
    return event.sections.get()
