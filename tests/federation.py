"""A generated federation of any size, written directly to the tables.

Activity is lognormal, members live in regions and travel little; scholastic sections
have 15 % newcomers, four sections of ten are rated in two systems. The sections are
written in packed form only, which replays read. The result is always the same for a
size and is cached on disk for the next run.
"""

import hashlib
import math
import random
from array import array
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from inspect import getfile
from itertools import accumulate, islice
from pathlib import Path

from django.core.management.color import no_style
from django.db import connection
from django.utils import timezone

from events.models import Affiliate, Event, PackedSection, Section, Submission
from events.records import packed_section as unpacked_section
from events.records.packed_section import UnpackedSection, digest_of, pack, unpack
from players.models import Player
from ratings_site.common.db.bulk import copy_rows
from ratings_site.common.models import User

LAST_DAY = date(2025, 8, 31)
# All rules are known from this day on; a longer history goes on after LAST_DAY.
FIRST_DAY_WITH_RULES = date(2020, 6, 6)
GAMES_PER_YEAR = 1_000_000
MAX_YEARS = 10
REGIONS = 50
MEMBERS_PER_1000_GAMES_PER_YEAR = 70
SCHOLASTIC_NEWCOMER_SHARE, OTHER_NEWCOMER_SHARE = 0.15, 0.035
CONTROLS = (
    ("G/90;d5", False, 0.30),
    ("G/60;d5", False, 0.40),
    ("G/25;d5", False, 0.18),
    ("G/5;d0", False, 0.06),
    ("G/10;d2", True, 0.06),
)
BATCH_SIZE = 5_000


@dataclass(slots=True)
class Region:
    """The members of a region and their activity (running totals)."""

    members: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    totals: list[float] = field(default_factory=list)

    def add(self, member: int, weight: float) -> None:
        self.members.append(member)
        self.weights.append(weight)

    def draw(self, chance: random.Random, count: int) -> list[int]:
        """Return up to *count* different members, the active ones more often."""
        if len(self.totals) != len(self.weights):
            self.totals = list(accumulate(self.weights))
        drawn: dict[int, None] = {}
        for _ in range(3 * count):
            place = bisect(self.totals, chance.random() * self.totals[-1])
            drawn[self.members[place]] = None
            if len(drawn) == count:
                break
        return list(drawn)


@dataclass
class Federation:
    """The generator; ``build`` writes the federation and returns its number of games.

    The result is cached in *cache_dir*, if given.
    """

    games: int
    seed: int = 20250210
    cache_dir: Path | None = None
    region_count: int = REGIONS
    strengths: list[float] = field(default_factory=list)
    births: list[int] = field(default_factory=list)
    members_written: int = 0
    controls = CONTROLS

    @property
    def years(self) -> int:
        return min(MAX_YEARS, max(1, math.ceil(self.games / GAMES_PER_YEAR)))

    @property
    def last_day(self) -> date:
        return max(LAST_DAY, FIRST_DAY_WITH_RULES + timedelta(days=365 * self.years))

    def build(self) -> int:
        author = User.objects.create_user("federation", password=None)
        affiliate = Affiliate.objects.create(
            affiliate_id="A6000000", name="Everywhere", expires=date(2099, 12, 31)
        )
        sections = iter(self._cached_sections() or self._generate())
        played = written = 0
        while some := list(islice(sections, BATCH_SIZE)):
            played += self._write(some, written, author, affiliate)
            written += len(some)
        _number_on()
        return played

    def _cached_sections(self) -> list[bytes]:
        """Return the cached sections of an earlier run; set the birth dates."""
        if self.cache_dir is None:
            return []
        kind = type(self).__name__.lower()
        path = self.cache_dir / f"{kind}-{self.games}-{self._source_digest()}"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_cache(path, list(self._generate()), self.births)
        sections, self.births = _read_cache(path)
        return sections

    def _source_digest(self) -> str:
        """Name the code that makes a federation up; another makes up another."""
        sources = (__file__, getfile(type(self)), unpacked_section.__file__)
        content = b"".join(Path(source).read_bytes() for source in sources)
        return hashlib.sha256(content).hexdigest()[:12]

    def _generate(self) -> Iterator[bytes]:
        """Yield packed sections; the members in them are there by then."""
        chance = random.Random(self.seed)
        regions = self._regions(chance, self.years)
        days = 365 * self.years
        first_day = self.last_day - timedelta(days=days)
        played = 0
        for week in range(days // 7):
            due = self.games * (week + 1) / (days // 7)
            while played < due:
                day = first_day + timedelta(days=7 * week + chance.choice((5, 6, 6, 3)))
                section = self._section(chance, regions, day)
                played += len(section.first)
                yield pack(section)

    def _regions(self, chance: random.Random, years: int) -> list[Region]:
        sizes = [chance.lognormvariate(0, 1) for _ in range(self.region_count)]
        totals = list(accumulate(sizes))
        regions = [Region() for _ in sizes]
        a_year = self.games / years
        for _ in range(max(200, int(a_year / 1000 * MEMBERS_PER_1000_GAMES_PER_YEAR))):
            region = regions[bisect(totals, chance.random() * totals[-1])]
            self._join(chance, region, self.last_day.year - years, at_school=False)
        for region in regions:
            while len(region.members) < 12:
                self._join(chance, region, self.last_day.year - years, at_school=False)
        return regions

    def _join(
        self, chance: random.Random, region: Region, year: int, *, at_school: bool
    ) -> int:
        """Add a member, and return the place of the new one."""
        age = chance.randint(6, 14) if at_school else int(chance.triangular(7, 80, 15))
        self.strengths.append(chance.gauss(300 + 50 * min(age, 22), 250))
        self.births.append(date(year - age, chance.randint(1, 12), 1).toordinal())
        member = len(self.strengths)
        region.add(member, chance.lognormvariate(0, 1.15))
        return member

    def _section(
        self, chance: random.Random, regions: list[Region], day: date
    ) -> UnpackedSection:
        at_school = chance.random() < 0.43
        size = max(4, min(150, int(chance.lognormvariate(2.25, 0.75))))
        region = chance.choice(regions)
        newcomers = SCHOLASTIC_NEWCOMER_SHARE if at_school else OTHER_NEWCOMER_SHARE
        joining = sum(chance.random() < newcomers for _ in range(size))
        # Drawn before the others join, so that no player is drawn twice.
        players = region.draw(chance, size - joining)
        players += [
            self._join(chance, region, day.year, at_school=at_school)
            for _ in range(joining)
        ]
        if chance.random() < 0.04:  # a national event
            for other in chance.sample(regions, 5):
                players += other.draw(chance, 5)
            players = list(dict.fromkeys(players))
        kind = "round_robin" if len(players) == 4 and not at_school else "swiss"
        rounds = 3 if len(players) < 6 else chance.choice((3, 4, 4, 5, 5))
        first, second, scores = self._pairings(chance, players, rounds)
        control, online, _ = chance.choices(
            self.controls, weights=[share for *_, share in self.controls]
        )[0]
        return UnpackedSection(
            kind=kind,
            is_online=online,
            starts=day - timedelta(days=chance.choice((0, 0, 1))),
            ends=day,
            time_control=control,
            players=array("q", players),
            first=first,
            second=second,
            scores=scores,
        )

    def _pairings(
        self, chance: random.Random, players: list[int], rounds: int
    ) -> tuple[array, array, bytes]:
        """Pair equal scores, as a Swiss does; the odd one out sits the round out."""
        first, second, scores = array("H"), array("H"), bytearray()
        points = [0] * len(players)
        for _ in range(rounds):
            order = sorted(
                range(len(players)), key=lambda seat: (-points[seat], chance.random())
            )
            for a, b in zip(order[::2], order[1::2], strict=False):
                one, other = (a, b) if a < b else (b, a)
                score = self._score(chance, players[one], players[other])
                points[one] += score
                points[other] += 2 - score
                first.append(one)
                second.append(other)
                scores.append(3 * score + 2 - score)
        return first, second, bytes(scores)

    def _score(self, chance: random.Random, one: int, other: int) -> int:
        gap = self.strengths[one - 1] - self.strengths[other - 1]
        expected = 1 / (1 + 10 ** (-gap / 400))
        lot = chance.random()
        if lot < 0.1:
            return 1
        return 2 if lot < 0.1 + 0.9 * expected else 0

    def _write(
        self, sections: list[bytes], before: int, author: User, affiliate: Affiliate
    ) -> int:
        """Insert sections; return their number of games."""
        self._write_players()
        now = timezone.now()
        numbers = range(before + 1, before + 1 + len(sections))
        packed = [unpack(data) for data in sections]
        copy_rows(
            Submission,
            SUBMISSION,
            (_submission(number, author.pk, now) for number in numbers),
        )
        copy_rows(
            Event,
            EVENT,
            (
                _event(number, one.ends, affiliate.pk)
                for number, one in zip(numbers, packed, strict=True)
            ),
        )
        copy_rows(Section, SECTION, map(_row, numbers, packed))
        copy_rows(PackedSection, PACKED, map(_packed_row, numbers, sections))
        return sum(len(one.first) for one in packed)

    def _write_players(self) -> None:
        copy_rows(
            Player,
            PLAYER,
            (
                _player(number, self.births[number - 1])
                for number in range(self.members_written + 1, len(self.births) + 1)
            ),
        )
        self.members_written = len(self.births)


def _number_on() -> None:
    """Let the database's own numbers go on after ours."""
    models = [Player, Submission, Event, Section]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


PLAYER = [
    "id",
    "member_id",
    "given_name",
    "family_name",
    "suffix",
    "birth_date",
    "state",
    "residence",
    "federation",
    "status",
    "gender",
    "search_name",
    "search_given",
]
SUBMISSION = [
    "id",
    "uploaded_by_id",
    "event_name",
    "entry_count",
    "state",
    "reader_findings",
    "finding_counts",
    "version",
    "content_digest",
    "program",
    "idempotency_key",
    "first_digest",
    "office_note",
    "received_at",
    "submitted_at",
    "decided_at",
    "decided_by_id",
]
EVENT = [
    "id",
    "event_id",
    "name",
    "starts",
    "ends",
    "city",
    "state",
    "zip_code",
    "country",
    "affiliate_id",
    "submission_id",
]
SECTION = [
    "id",
    "event_id",
    "number",
    "name",
    "kind",
    "starts",
    "ends",
    "rounds",
    "time_control",
    "is_online",
    "reported_system",
    "scholastic_level",
    "grand_prix",
    "grand_prix_points",
    "fide",
    "status",
    "version",
]
PACKED = ["section_id", "version", "data", "digest"]


def _player(number: int, birth: int) -> tuple:
    name = f"Member{number}"
    return (
        number,
        str(10_000_000 + number),
        "Given",
        name,
        "",
        date.fromordinal(birth),
        "IL",
        "USA",
        "",
        "active",
        "",
        f"{name.lower()} given",
        f"given {name.lower()}",
    )


def _submission(number: int, author: int, now: datetime) -> tuple:
    digest = f"{number:064d}"
    return (
        number,
        author,
        "",
        0,
        "accepted",
        [],
        {},
        1,
        digest,
        *[""] * 4,
        now,
        now,
        now,
        author,
    )


def _event(number: int, day: date, affiliate: int) -> tuple:
    serial = f"{number % 10_000:04d}"
    event_id = f"{day:%Y%m%d}{serial}"
    return (
        number,
        event_id,
        f"Event {number}",
        day,
        day,
        "",
        "IL",
        "",
        "USA",
        affiliate,
        number,
    )


def _row(number: int, packed: UnpackedSection) -> tuple:
    return (
        number,
        number,
        1,
        "",
        packed.kind,
        packed.starts,
        packed.ends,
        5,
        packed.time_control,
        packed.is_online,
        "",
        "",
        "",
        "",
        "",
        "rated",
        1,
    )


def _packed_row(number: int, data: bytes) -> tuple:
    return number, 1, data, digest_of(data)


def _write_cache(path: Path, sections: list[bytes], births: list[int]) -> None:
    """Write sections and births into a file: their numbers, lengths, births, bytes."""
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb") as file:
        array("q", [len(sections), len(births)]).tofile(file)
        array("i", [*map(len, sections), *births]).tofile(file)
        file.writelines(sections)
    unfinished.rename(path)


def _read_cache(path: Path) -> tuple[list[bytes], list[int]]:
    counts, numbers = array("q"), array("i")
    with path.open("rb") as file:
        counts.fromfile(file, 2)
        numbers.fromfile(file, sum(counts))
        sections = [file.read(length) for length in numbers[: counts[0]]]
    return sections, numbers[counts[0] :].tolist()
