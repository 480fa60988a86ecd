"""A generated federation for reading pages: rated, with entries and lists.

The records of `tests.federation` get names, states, entries and games, and are rated as
if reports had come in day by day; four official lists are published from them, then a
late report of 300 players and 9 rounds is rated and the window after it rerated.
"""

import os
import random
from array import array
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from django.db import connection, transaction
from django.db.models import F, Max, Value
from django.db.models.functions import Concat
from django.utils import timezone

from events.models import (
    Affiliate,
    Entry,
    Event,
    EventOfficial,
    Game,
    Official,
    PackedSection,
    Section,
    SectionVersion,
)
from events.records.packed_section import UnpackedSection, pack, unpack
from players.models import Membership, MembershipType, Player
from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.lists.services.lists import prepare_list, publish_list
from ratings.models import RerateMark, Run
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.db.bulk import analyze_tables, copy_rows
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.demo.names import STATES as SOME_STATES
from ratings_site.demo.names import name_of
from tests.federation import PLAYER, Federation, _number_on

# A million members with nine games each are nine years, some of them to come.
GAMES_PER_MEMBER = int(os.environ.get("GAMES_A_MEMBER", "9"))
LISTS = 4
AFFILIATES_PER_EVENT = 1 / 50
STATES = [
    *SOME_STATES,
    *("AL", "AZ", "CO", "CT", "IN", "KS", "KY", "MD", "MI", "MN", "MO", "NC", "NJ"),
    *("NM", "NV", "OR", "SC", "TN", "UT", "VA", "WI", "WV", "AK", "HI", "RI", "WY"),
]
OUTCOMES = "LDW"
REASON = "Bench."
BIGGEST, ROUNDS = 300, 9


class FullFederation(Federation):
    """The generator, with people in it who have names, and *members* of them."""

    def __init__(self, members: int, **settings: object) -> None:
        super().__init__(members * GAMES_PER_MEMBER, **settings)  # type: ignore[arg-type]
        self.members = members
        if self.last_day > timezone.now().date():
            raise ValueError(
                f"Its lists would be of {self.last_day.year}: set GAMES_A_MEMBER lower."
            )

    def build(self) -> int:
        games = super().build()
        self._idle_members()
        _spread_events()
        _officials()
        _memberships()
        _number_on()
        _entries_and_games()
        analyze_tables()
        _rate_all()
        _backdate_ratings()
        analyze_tables()
        self._lists()
        self._rerate()
        _corrections()
        analyze_tables()
        return games

    def _write_players(self) -> None:
        numbers = range(self.members_written + 1, len(self.births) + 1)
        copy_rows(
            Player,
            [*PLAYER, "search_sound", "search_family"],
            (_member(number, self.births[number - 1]) for number in numbers),
        )
        self.members_written = len(self.births)

    def _idle_members(self) -> None:
        """Add members who have not played, up to as many as were asked for."""
        while len(self.births) < self.members:
            self.births.append(date(1980, 1, 1).toordinal())
        self._write_players()
        idle = Player.objects.filter(entries=None).order_by("-pk")[
            : self.members // 500
        ]
        for place, player in enumerate(idle, start=1):
            Player.objects.filter(pk=player.pk).update(
                status=Player.Status.DUPLICATE, merged_into=place
            )

    def _biggest_section(self) -> None:
        chance = random.Random(1)
        # The cache of a federation has no strengths.
        self.strengths = [chance.gauss(1200, 300) for _ in self.births]
        everybody = range(1, len(self.births) + 1)
        players = chance.sample(everybody, min(BIGGEST, len(everybody)))
        day = self.last_day - timedelta(days=60)
        first, second, scores = self._pairings(chance, players, ROUNDS)
        packed = UnpackedSection(
            kind="swiss",
            is_online=False,
            starts=day,
            ends=day,
            time_control="G/90;d5",
            players=array("q", players),
            first=first,
            second=second,
            scores=scores,
        )
        event = Event.objects.order_by("pk").last()
        self._write(
            [pack(packed)], event.pk, event.submission.uploaded_by, event.affiliate
        )
        Section.objects.filter(pk=event.pk + 1).update(rounds=ROUNDS)

    def _lists(self) -> None:
        for back in range(LISTS - 1, -1, -1):
            month = _months_before(self.last_day.replace(day=1), back)
            cut_off = datetime.combine(month, time(), UTC) - timedelta(days=10)
            draft = prepare_list(month=month, actor=None, cut_off=cut_off)
            publish_list(month=month, digest=draft.digest, actor=None, reason=REASON)

    def _rerate(self) -> None:
        self._biggest_section()
        _number_on()
        _entries_and_games()
        with transaction.atomic():
            add_pending_rerate(
                kind=RerateMark.Kind.LATE,
                day=self.last_day - timedelta(days=60),
                section=None,
                note="A report came 60 days late.",
            )
        _replay(whole_history=False)


def _member(number: int, birth: int) -> tuple:
    given, family = name_of(number)
    player = Player(given_name=given, family_name=family)
    player.set_search_names()
    return (
        number,
        str(10_000_000 + number),
        given,
        family,
        "",
        date.fromordinal(birth),
        STATES[number * 31 % 977 % len(STATES)],
        "USA",
        "",
        "active",
        "FM"[number % 3 > 0],
        player.search_name,
        player.search_given,
        player.search_sound,
        player.search_family,
    )


def _spread_events() -> None:
    """Give events names, states and affiliates of their own."""
    everywhere = Affiliate.objects.get()
    affiliates = max(1, int(Event.objects.count() * AFFILIATES_PER_EVENT))
    Affiliate.objects.bulk_create(
        Affiliate(
            pk=everywhere.pk + number,
            affiliate_id=f"A{7_000_000 + number}",
            name=f"Club {number}",
            state=STATES[number % len(STATES)],
            expires=everywhere.expires,
        )
        for number in range(1, affiliates + 1)
    )
    for place, state in enumerate(STATES):
        Event.objects.annotate(rest=F("pk") % len(STATES)).filter(rest=place).update(
            state=state,
            city=f"City of {state}",
            name=Concat(Value(f"{state} "), "name"),
        )
    Event.objects.update(affiliate=everywhere.pk + 1 + F("pk") % affiliates)


def _officials() -> None:
    events = Event.objects.order_by("pk").values_list("pk", flat=True)
    number = max(1, len(events) // 50)
    apart = max(1, Player.objects.count() // number)
    directors = range(1, 1 + apart * number, apart)
    copy_rows(
        Official,
        ["player_id", "level", "certified_until"],
        ((pk, Official.Level.LOCAL, date(2099, 1, 1)) for pk in directors),
    )
    copy_rows(
        EventOfficial,
        ["event_id", "player_id", "role"],
        ((pk, directors[pk % number], "chief") for pk in events),
    )


def _memberships() -> None:
    kind = MembershipType.objects.create(name="Regular")
    members = Player.objects.order_by("pk").values_list("pk", flat=True)
    copy_rows(
        Membership,
        ["player_id", "type_id", "starts", "expires"],
        ((pk, kind.pk, date(2015, 1, 1), date(2099, 1, 1)) for pk in members),
    )


def _entries_and_games() -> None:
    """Write those of the sections that have none yet."""
    entries = Entry.objects.aggregate(last=Max("pk"))["last"] or 0
    new = PackedSection.objects.filter(section__entries=None).order_by("pk")
    rows = list(new.values_list("pk", "data"))
    for start in range(0, len(rows), 5_000):
        entered, games = [], []
        for section, data in rows[start : start + 5_000]:
            packed = unpack(bytes(data))
            entered += _entries(section, packed, entries)
            games += _games(section, packed, entries)
            entries += len(packed.players)
        copy_rows(Entry, ENTRY, entered)
        copy_rows(Game, GAME, games)


ENTRY = [
    "id",
    "section_id",
    "player_id",
    "pairing_number",
    "reported_name",
    "reported_member_id",
    "reported_state",
    "reported_rating",
]
GAME = [
    "section_id",
    "round_number",
    "leg",
    "first_id",
    "second_id",
    "first_color",
    "first_outcome",
    "second_outcome",
]


def _entries(section: int, packed: UnpackedSection, before: int) -> Iterator[tuple]:
    for seat, player in enumerate(packed.players, start=1):
        yield before + seat, section, player, seat, "", "", "", ""


def _games(section: int, packed: UnpackedSection, before: int) -> Iterator[tuple]:
    a_round = len(packed.players) // 2
    games = zip(packed.first, packed.second, packed.scores, strict=True)
    for place, (first, second, score) in enumerate(games):
        yield (
            section,
            1 + place // a_round,
            1,
            before + 1 + first,
            before + 1 + second,
            "WB"[place % 2],
            OUTCOMES[score // 3],
            OUTCOMES[score % 3],
        )


def _rate_all() -> None:
    _replay(whole_history=True)


def _replay(*, whole_history: bool) -> None:
    run = start_rerate(actor=None, reason=REASON, whole_history=whole_history)
    run_due_jobs()
    run.refresh_from_db()
    if run.status != Run.Status.READY:
        raise SystemExit(f"The rerate is {run.status}: {run.message}")
    publish_rerate(run_id=run.pk, actor=None, reason=REASON)


def _backdate_ratings() -> None:
    """Change the rating time of each section to the day after it ended.

    The tables are append-only, so this works only in a database of its own.
    """
    run = Run.objects.get_or_create(kind=Run.Kind.INCREMENTAL)[0]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = replica")
            cursor.execute(
                "UPDATE ratings_calculation SET run_id = %s, "
                "created_at = order_date + interval '1 day'",
                [run.pk],
            )
            cursor.execute("SET session_replication_role = DEFAULT")
            return
        name = "ratings_calculation_no_update"
        cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [name])
        [trigger] = cursor.fetchone()
        cursor.execute(f"DROP TRIGGER {name}")
        cursor.execute(
            "UPDATE ratings_calculation SET run_id = %s, "
            "created_at = datetime(order_date, '+1 day')",
            [run.pk],
        )
        cursor.execute(trigger)


def _corrections() -> None:
    """Let every hundredth section have been corrected once."""
    sections = Section.objects.order_by("pk").values_list("pk", "ends")[::100]
    copy_rows(
        SectionVersion,
        ["section_id", "number", "document", "digest", "reason", "made_at"],
        (
            (pk, number, "{}", "", REASON, datetime.combine(ends, time(), UTC))
            for pk, ends in sections
            for number in (1, 2)
        ),
    )


def _months_before(month: date, back: int) -> date:
    months = 12 * month.year + month.month - 1 - back
    return date(months // 12, months % 12 + 1, 1)
