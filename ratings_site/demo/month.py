"""A scripted month of a ratings office, played through its services.

``make demo-office`` prints its steps; a test checks the results. Everything works as on
the pages: reports pass readers and checks, decisions have reasons, and jobs run from
the queue.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import NamedTuple

from django.utils import timezone

from events.foreign.services.results import Facts
from events.models import CorrectionRequest, Event, ForeignResult, Section
from players.identity.services import merge_players
from players.models import Player
from ratings.ledger.services.rating import enter_openings
from ratings.lists.queries.official import next_month_due
from ratings.models import FloorRequest, OfficialList, PlayerRating, Run
from ratings.previews.floor_requests.services import decide_floor_request
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_day, signed, whole
from ratings_site.demo.accounts import make_accounts
from ratings_site.demo.actions import (
    FideListLine,
    approve,
    ask_for_draw,
    game_abroad,
    opt_in_by_letter,
    publish_current_list,
    rate_abroad,
    read_fide_list,
    rerate,
)
from ratings_site.demo.clubs import make_club
from ratings_site.demo.members import Register, opening
from ratings_site.demo.reports import send_and_accept
from ratings_site.demo.sections import report_section

Say = Callable[[str], None]

DAY = timedelta(days=1)
RECORDS_START = date(2023, 12, 31)
FIDE_LIST = date(2024, 4, 1)
FORGOTTEN = date(2024, 3, 10)
WINTER, SPRING, MAY = date(2024, 3, 3), date(2024, 4, 6), date(2024, 5, 5)
MATCH = date(2024, 5, 11)
YOUTH = (date(2024, 4, 20), date(2024, 4, 28))
# Two rounds for six players: 1-2, 3-4, 5-6, then 1-3, 2-5, 4-6.
SIX = ("W2W W3B", "L1B W5W", "W4W L1W", "L3B D6W", "W6W L2B", "L5B D4B")
FIDE_PEOPLE = (
    FideListLine(2099001, "USA", 1893, 9, 2009, sex="F"),
    FideListLine(4100011, "GEO", 2010, 7, 2008, sex="F"),
    FideListLine(4100012, "IND", 1954, 9, 2009, sex="F"),
    FideListLine(4100013, "NOR", 2121, 4, 2008, sex="F"),
)


class Person(NamedTuple):
    """A member with an opening rating; the peak is 20 points above it if not given."""

    birth_date: date
    state: str
    rating: int
    games: int
    peak: float | None = None


PEOPLE = {
    "Tessa": Person(date(1970, 2, 1), "IL", 1490, 60),
    "Ana": Person(date(1988, 5, 9), "IL", 1742, 80),
    "Ben": Person(date(1991, 1, 23), "IL", 1655, 44),
    "Carla": Person(date(1979, 11, 3), "WI", 1588, 120),
    "Dmitri": Person(date(2001, 7, 17), "IL", 1530, 31),
    "Rosa": Person(date(1965, 8, 30), "IN", 1606, 300, peak=1850.0),
    "Hugo": Person(date(1999, 3, 12), "IL", 1500, 26),
    "Iris": Person(date(1984, 10, 2), "IL", 1812, 150, peak=2010.0),
    "Mia": Person(date(2009, 6, 21), "IL", 1930, 70),
}


@dataclass
class Month:
    """The people and results of the month."""

    members: dict[str, Player] = field(default_factory=dict)
    accounts: dict[str, User] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    correction: CorrectionRequest = field(init=False)
    abroad: ForeignResult = field(init=False)
    request: FloorRequest = field(init=False)
    published: OfficialList = field(init=False)

    def rating(self, name: str) -> float:
        return PlayerRating.objects.get(player=self.members[name], system="OTBR").rating

    def section(self, event: str) -> Section:
        return self.events[event].sections.get()


def play_month(say: Say) -> Month:
    """Play the month on an empty database and return it."""
    month = Month()
    _create_members(month)
    say("Events arrive and are rated in order.")
    _winter_and_spring(month, say)
    say("\nA player falls to her floor and no further.")
    _reach_a_floor(month, say)
    say("\nA match meets its cap on one side and a floor on the other.")
    _play_the_match(month, say)
    say("\nA report comes 60 days late.")
    _report_late(month, say)
    say("\nA result is corrected: asked by the TD, decided by the office.")
    _correct(month, say)
    say("\nOne member turns out to have two numbers.")
    _merge(month, say)
    say("\nA youth championship abroad is rated for a member who opted in.")
    _rate_abroad(month, say)
    say("\nA rerate takes all of it in.")
    _rerate(month, "Late report, correction, merged member and the event abroad", say)
    say("\nThe official list is published.")
    _publish_list(month, say)
    say("\nThe office grants the lower floor the match asked for, and rerates.")
    _lower_the_floor(month, say)
    return month


# --- People ---


def _create_members(month: Month) -> None:
    register = Register()
    for name, person in PEOPLE.items():
        player = register.new(birth_date=person.birth_date, state=person.state)
        player.given_name = name
        player.set_search_names()
        month.members[name] = player
    month.members["Mia"].federation = "USA"
    month.members["Ben again"] = register.twin(month.members["Ben"])
    register.save()
    make_club(month.members["Tessa"])
    make_accounts()
    month.accounts = {
        name: User.objects.get(username=name) for name in ("td", "staff", "manager")
    }
    entries = [
        opening(
            month.members[name],
            person.rating,
            person.games,
            as_of=RECORDS_START,
            wins=15,
            draws=6,
            losses=15,
            three_game_events=8,
            peak=person.peak or person.rating + 20.0,
            source="The books before 2024",
        )
        for name, person in PEOPLE.items()
    ]
    enter_openings(entries=entries, actor=month.accounts["staff"])


# --- Steps ---


def _winter_and_spring(month: Month, say: Say) -> None:
    _report(month, "Winter Open", WINTER, "Ana Ben Carla Dmitri Tessa Rosa", SIX)
    _report(month, "Spring Open", SPRING, "Ana Carla Ben Tessa Dmitri Mia", SIX)
    for name in ("Ana", "Ben", "Carla"):
        say(f"  {month.members[name].name} is at {whole(month.rating(name))}.")


def _reach_a_floor(month: Month, say: Say) -> None:
    """Rosa falls to her floor of 1600 (peak 1850). Ben plays under a new ID."""
    rows = ("W2W W3B W4W", "L1B W4W W3B", "W4W L1W L2W", "L3B L2B L1B")
    players = ("Ana", "Dmitri", "Ben again", "Rosa")
    event = _report(month, "May Open", MAY, players, rows)
    changes = event.sections.get().calculations.get().changes
    line = changes.get(player=month.members["Rosa"])
    before, after = line.pre_rating or 0.0, line.post_rating or 0.0
    say(
        f"  {month.members['Rosa'].name} came with {whole(before)}, lost all "
        f"three games and stays at {whole(after)}, her floor."
    )


def _play_the_match(month: Month, say: Say) -> None:
    rows = ("W2W W2B W2W W2B", "L1B L1W L1B L1W")
    event = _report(month, "Club match", MATCH, ("Hugo", "Iris"), rows, kind_letter="M")
    for line in event.sections.get().calculations.get().changes.order_by("pk"):
        before, after = line.pre_rating or 0.0, line.post_rating or 0.0
        say(
            f"  {line.player.name}: {whole(before)} → "
            f"{whole(after)} ({signed(after - before)})."
        )
    month.request = FloorRequest.objects.get(section=event.sections.get())
    say(f"  The match asks by itself: {month.request}.")


def _report_late(month: Month, say: Say) -> None:
    _report(month, "Forgotten Open", FORGOTTEN, "Carla Ana Tessa Ben Rosa Dmitri", SIX)
    section = month.section("Forgotten Open")
    ended = format_day(section.ends)
    say(
        f"  It ended on {ended}; it is rated from present ratings, "
        f"and {section.rerate_marks.count()} mark asks for a rerate from that day."
    )


def _correct(month: Month, say: Say) -> None:
    """Correct game 1-2 in round 1 of the Spring Open to a draw."""
    section = month.section("Spring Open")
    request = ask_for_draw(
        section,
        number=1,
        round_number=1,
        opponent=2,
        color="W",
        text="Both score sheets say draw.",
        actor=month.accounts["td"],
    )
    month.correction = approve(
        request, note="The score sheets show a draw.", staff=month.accounts["staff"]
    )
    for difference in month.correction.difference:
        say(f"  {': '.join(part for part in difference if part)}")


def _merge(month: Month, say: Say) -> None:
    kept, merged = month.members["Ben"], month.members["Ben again"]
    merge_players(
        kept_id=kept.pk,
        merged_id=merged.pk,
        actor=month.accounts["staff"],
        reason="Same name and birth date; the member confirms it by telephone.",
    )
    say(f"  {merged.member_id} now leads to {kept}.")


def _rate_abroad(month: Month, say: Say) -> None:
    staff, mia = month.accounts["staff"], month.members["Mia"]
    read_fide_list(
        FIDE_PEOPLE, day=FIDE_LIST, staff=staff, reason="The month of the demo."
    )
    fide_id = FIDE_PEOPLE[0].fide_id
    opt_in_by_letter(mia, fide_id, before=YOUTH[0], days=90, staff=staff)
    facts = Facts(
        name="World Youth under 16",
        federation="GEO",
        starts=YOUTH[0],
        ends=YOUTH[1],
        fide_code="365001",
        is_youth=True,
    )
    games = [
        game_abroad(1, FIDE_PEOPLE[1].fide_id, "Gelashvili", 2),
        game_abroad(2, FIDE_PEOPLE[2].fide_id, "Iyer", 1),
        game_abroad(3, FIDE_PEOPLE[3].fide_id, "Nilsen", 2),
        game_abroad(4, 4100099, "Nobody rated", 2),
    ]
    result = rate_abroad(mia, facts, games, staff=staff)
    month.abroad = result
    line = result.calculations.get().changes.get()
    say(
        f"  {mia.name} scored 2½ of 3 against rated opponents (the fourth has no FIDE "
        f"rating and is left out): {whole(line.pre_rating or 0)} → "
        f"{whole(line.post_rating or 0)}."
    )


def _rerate(month: Month, reason: str, say: Say) -> None:
    run = rerate(
        staff=month.accounts["staff"], manager=month.accounts["manager"], reason=reason
    )
    month.runs.append(run)
    say(
        f"  Replayed from {format_day(run.from_day or RECORDS_START)}; "
        "these ratings differ now:"
    )
    for difference in run.differences.select_related("player"):
        before = "unrated" if difference.before is None else whole(difference.before)
        after = "none" if difference.after is None else whole(difference.after)
        say(f"    {difference.player.name}: {before} → {after}")


def _publish_list(month: Month, say: Say) -> None:
    due = next_month_due(timezone.now())
    month.published = publish_current_list(
        due, manager=month.accounts["manager"], reason="The list of the demo."
    )
    say(f"  {month.published}: {month.published.ratings.count()} ratings.")
    for file in month.published.files.order_by("kind"):
        say(f"    {file.name}  SHA-256 {file.sha256[:16]}…")


def _lower_the_floor(month: Month, say: Say) -> None:
    decide_floor_request(
        request_id=month.request.pk,
        is_granted=True,
        reason="The result speaks for itself.",
        actor=month.accounts["staff"],
    )
    _rerate(month, "The floor was lowered from the match on", say)
    row = month.published.ratings.get(player=month.members["Iris"], system="OTBR")
    say(
        f"  The list still says {row.rating} for {month.members['Iris'].name}; the "
        f"rating is {whole(month.rating('Iris'))} now."
    )


# --- Helpers ---


def _report(
    month: Month,
    name: str,
    ends: date,
    players: str | tuple[str, ...],
    rows: tuple[str, ...],
    *,
    kind_letter: str = "S",
) -> Event:
    """Report, accept and rate an event."""
    names = players.split() if isinstance(players, str) else players
    starts = ends - DAY
    section = report_section(
        [month.members[who] for who in names],
        [row.split() for row in rows],
        starts=starts,
        ends=ends,
        control="G/90;d5",
        kind=kind_letter,
    )
    event = send_and_accept(
        name,
        [section],
        starts=starts,
        ends=ends,
        director=month.accounts["td"],
        staff=month.accounts["staff"],
        reason="Looked up; it is right.",
    )
    month.events[name] = event
    return event
