"""Likely members for an entry whose ID may be wrong."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.checks.messages import translated
from events.checks.name_matching import NameMatch, name_match, slip, words_of
from events.formats.findings import Finding, Severity
from events.formats.report import ReportedEntry, ReportedEvent, ReportedSection
from events.models import Event
from events.records.section_rater import section_rater
from players.formats.member_ids import MEMBER_ID
from players.models import Membership, Player
from ratings_site.common.names.nicknames import other_forms
from ratings_site.common.names.phonetics import phonetic_key, searchable
from ratings_site.common.names.typos import ids_one_typo_away
from ratings_site.common.ui.formatting import format_day, format_rating

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

# The most candidates that are shown for an entry.
MOST_LIKELY = 3
# A report with more wrong IDs was made from a wrong file.
MAX_ENTRIES = 300
# For more entries, only names are compared: each ID has a hundred typos.
MAX_TYPO_ENTRIES = 100
# More members of one name are too many to choose from.
MAX_MEMBERS = 600
# The most members that are compared in all.
MAX_POOL = 3000
# Rating differences that one player can have within a few events.
SIMILAR_RATING, ROUGHLY_SIMILAR_RATING = 100, 250

# Report files cut names after about this many letters.
NAME_CUT_LENGTH = 20

ADULT = 18

# Findings about the identity of a player.
IDENTITY_CODES = frozenset(
    [
        *("entry.member_id_missing", "entry.member_id_malformed"),
        *("entry.member_repeated", "member.unknown", "member.deceased"),
        *("member.duplicate", "member.inactive", "member.suspended", "member.revoked"),
        *("member.other_name", "member.other_family_name", "member.sibling"),
        *("member.namesake", "member.other_state", "member.other_age"),
        *("member.two_places", "member.two_sections", "member.performance"),
        *("member.other_rating", "member.rating_outlier"),
    ]
)


class Club(TypedDict):
    club: str | None
    club_id: str | None
    expires: date | None


PlayerWithClub: TypeAlias = "WithAnnotations[Player, Club]"

# By section and pairing number.
LikelyByEntry = dict[tuple[int, int], list["LikelyMember"]]


@dataclass(frozen=True, slots=True)
class LikelyMember:
    """A member whom an entry may mean, with what a TD knows of a player."""

    member_id: str
    name: str
    club: str
    state: str
    age_band: str
    rating: str
    reason: str
    differs: str = ""
    is_exact: bool = False  # the whole name, or the member whom a merged ID means
    birth_year: int | None = None  # for the office only


def age_this_year(birth_date: date) -> int:
    """Return the age by the end of this year.

    This year, not on a day of the report: anyone who can choose the day could find the
    day on which the answer changes, and so the birth date.
    """
    return timezone.localdate().year - birth_date.year


def age_band(birth_date: date | None) -> str:
    """Return the approximate age now, or "" if it is unknown."""
    if birth_date is None:
        return ""
    for limit in (13, ADULT):
        if age_this_year(birth_date) < limit:
            return _("under {age}").format(age=limit)
    return _("adult")


def identity_of(finding: Finding) -> tuple[int, int] | None:
    """Return the entry that a finding on identity is about, or None.

    Notes do not count.
    """
    place = finding.place
    code = ".".join(finding.code.split(".")[:2])
    if finding.severity == Severity.NOTE or code not in IDENTITY_CODES:
        return None
    if place.section is None or place.pairing_number is None:
        return None
    return place.section, place.pairing_number


def likely_members(
    reported: ReportedEvent, findings: Iterable[Finding]
) -> LikelyByEntry:
    """Return the most likely members for each entry with an identity finding."""
    return likely_members_at(reported, filter(None, map(identity_of, findings)))


def likely_members_at(
    reported: ReportedEvent, entry_keys: Iterable[tuple[int, int]]
) -> LikelyByEntry:
    """Return the most likely members by section and pairing number.

    Four queries for any number of entries. Entries without a likely member are left
    out.
    """
    [found] = likely_members_in_reports([(reported, entry_keys)])
    return found


def likely_members_in_reports(
    reports: Iterable[tuple[ReportedEvent, Iterable[tuple[int, int]]]],
) -> list[LikelyByEntry]:
    """Return the likely members for several reports (four queries for all)."""
    asked = [
        (reported, _entries(reported, entry_keys)) for reported, entry_keys in reports
    ]
    entries = [entry for _reported, found in asked for _section, entry in found]
    if not entries:
        return [{} for _report in asked]
    kept = _kept_members(entries)
    pool = _Pool(similar_members(entries, kept.values()), kept)
    return [
        {
            (section.number, entry.pairing_number): chosen
            for section, entry in found
            if (chosen := _MemberScorer(reported, section, entry, pool).best_matches())
        }
        for reported, found in asked
    ]


def _kept_members(entries: Iterable[ReportedEntry]) -> dict[str, int]:
    """Return the members into whom entries' members were merged, by merged ID."""
    ids = {entry.member_id for entry in entries if entry.member_id.isdecimal()}
    if not ids:
        return {}
    merged = Player.objects.filter(member_id__in=ids, merged_into__isnull=False)
    return {
        one.member_id: one.canonical.pk for one in merged.select_related("merged_into")
    }


def _entries(
    reported: ReportedEvent, entry_keys: Iterable[tuple[int, int]]
) -> list[tuple[ReportedSection, ReportedEntry]]:
    asked = dict.fromkeys(entry_keys)
    return [found for place in asked if (found := _entry(reported, place))][
        :MAX_ENTRIES
    ]


def _entry(
    reported: ReportedEvent, place: tuple[int, int]
) -> tuple[ReportedSection, ReportedEntry] | None:
    section = reported.section(place[0])
    entry = section.entry(place[1]) if section else None
    return (section, entry) if section and entry else None


# Candidates


def similar_members(
    entries: Sequence[ReportedEntry], kept: Iterable[int] = ()
) -> list[PlayerWithClub]:
    """Return members with a similar ID or name, and those *kept* (one query).

    Merged and deceased members are left out.
    """
    entries = entries[:MAX_ENTRIES]
    ids: set[str] = set()
    for entry in entries:
        if len(entries) <= MAX_TYPO_ENTRIES:
            ids |= ids_one_typo_away(entry.member_id, MEMBER_ID.places)
    names = _name_filter(entry.name for entry in entries)
    members = Player.objects.filter(
        Q(member_id__in=ids) | Q(pk__in=list(kept)) | names
    ).exclude(status__in=(Player.Status.DUPLICATE, Player.Status.DECEASED))
    most = min(max(MAX_MEMBERS, 20 * len(entries)), MAX_POOL)
    return list(_with_club(members).order_by("pk")[:most])


def _name_filter(names: Iterable[str]) -> Q:
    """Match names in either order, their other forms, and names that sound alike."""
    spelled, families, sounds, cut = set(), set(), set(), set()
    beginnings = set()
    for name in names:
        if not (words := words_of(name)):
            continue
        whole = " ".join(words)
        spelled |= {searchable(name), whole}
        for place, word in enumerate(words[:3]):
            for form in other_forms(word):
                spelled.add(" ".join([*words[:place], form, *words[place + 1 :]]))
        first, last = words[0], words[-1]
        sounds |= {_sounds([first, *words[1:]]), _sounds([last, *words[:-1]])}
        family = first if "," in name or len(words) == 1 else last
        families |= {family, "".join(words[:2]), "".join(words[-2:])}
        beginnings.add(f"{family} {first[:1] if family == last else ''}")
        cut |= {whole} if len(whole) >= NAME_CUT_LENGTH else set()
    wanted = (
        Q(search_name__in=spelled)
        | Q(search_family__in=families)
        | Q(search_given__in=spelled)
        | Q(search_sound__in=sounds)
    )
    for beginning in sorted(beginnings | cut):
        wanted |= Q(search_name__startswith=beginning)
    for beginning in sorted(cut):
        wanted |= Q(search_given__startswith=beginning)
    return wanted


def _sounds(words: Iterable[str]) -> str:
    return "".join(f"{phonetic_key(word)} " for word in words)


def _with_club(members: QuerySet[Player]) -> QuerySet[PlayerWithClub]:
    """Annotate each member with the club of the latest accepted event."""
    latest = (
        Event.objects.filter(sections__entries__player=OuterRef("pk"))
        .order_by("-ends", "-pk")
        .values("affiliate__name")[:1]
    )
    memberships = Membership.objects.filter(player=OuterRef("pk")).order_by("-expires")
    return members.annotate(
        club=Subquery(latest),
        club_id=Subquery(latest.values("affiliate__affiliate_id")[:1]),
        expires=Subquery(memberships.values("expires")[:1]),
    )


class _Pool:
    """Members to compare, with their ratings, by what their names begin with."""

    def __init__(
        self, players: Sequence[PlayerWithClub], kept: Mapping[str, int]
    ) -> None:
        self.kept = kept
        self.ratings = section_rater().current_ratings([one.pk for one in players])
        self.by_id = {player.member_id: player for player in players}
        self.by_pk = {player.pk: player for player in players}
        self.by_key: defaultdict[str, dict[int, PlayerWithClub]] = defaultdict(dict)
        for player in players:
            words = [*words_of(player.family_name), *words_of(player.given_name)]
            joined = "".join(words_of(player.family_name))
            for key in _name_keys([*words, joined]):
                self.by_key[key][player.pk] = player

    def candidates_for(self, entry: ReportedEntry) -> list[PlayerWithClub]:
        """Return the members whose name or ID may match, in the order of entry."""
        words = words_of(entry.name)
        joined = ["".join(pair) for pair in pairwise(words)]
        forms = [form for word in words for form in other_forms(word)]
        found: dict[int, PlayerWithClub] = {}
        for key in _name_keys([*words, *joined, *forms]):
            found |= self.by_key.get(key, {})
        close = ids_one_typo_away(entry.member_id, MEMBER_ID.places) & self.by_id.keys()
        found |= {(one := self.by_id[member_id]).pk: one for member_id in close}
        if kept := self.by_pk.get(self.kept.get(entry.member_id, 0)):
            found[kept.pk] = kept
        return [found[pk] for pk in sorted(found)]


def _name_keys(words: Iterable[str]) -> set[str]:
    """Return what words have in common that are spelled or sound alike."""
    return {key for word in words for key in (word[:4], f"~{phonetic_key(word)}")}


# Scores


_TYPOS = {
    "two digits swapped": (40, gettext_lazy("two digits of the ID swapped")),
    "one digit is different": (30, gettext_lazy("one digit of the ID is different")),
    "one digit missing": (30, gettext_lazy("one digit of the ID is missing")),
    "one digit too many": (30, gettext_lazy("one digit too many in the ID")),
}
_NAME_SCORES = {
    NameMatch.SAME: 40,
    NameMatch.PART: 30,
    NameMatch.SOUND: 30,
    NameMatch.NICKNAME: 30,
    NameMatch.FAMILY_ONLY: 12,
    NameMatch.GIVEN_ONLY: 5,
    NameMatch.OTHER: 0,
}
# A similar name, or the family name and one more fact, is enough.
MIN_SCORE = 20


class _MemberScorer:
    """Scores members against one entry."""

    def __init__(
        self,
        reported: ReportedEvent,
        section: ReportedSection,
        entry: ReportedEntry,
        pool: _Pool,
    ) -> None:
        self.reported, self.entry, self.pool = reported, entry, pool
        self.ratings, self.kept = pool.ratings, pool.kept.get(entry.member_id)
        self.taken = {other.member_id for other in section.entries}
        self.words = sorted(words_of(entry.name))
        self.state = entry.state or reported.state
        digits = "".join(c for c in entry.rating[:4] if c.isdecimal())
        self.rating = int(digits) if len(digits) >= 3 else None

    def best_matches(self) -> list[LikelyMember]:
        """Return the most likely members: exact names first, then by score."""
        weighed: list[tuple[tuple[bool, bool, int], LikelyMember]] = []
        for player in self.pool.candidates_for(self.entry):
            if player.member_id in self.taken:
                continue  # is in the section already, or is the member in doubt
            weight, reasons = self._score(player)
            if weight >= MIN_SCORE:
                member = self._likely_member(player, reasons)
                order = (player.pk != self.kept, not member.is_exact, -weight)
                weighed.append((order, member))
        weighed.sort(key=lambda one: one[0])
        return [member for _order, member in weighed[:MOST_LIKELY]]

    def _score(self, player: PlayerWithClub) -> tuple[int, list[str]]:
        """Return the member's score, and the reasons in words."""
        how = name_match(self.entry.name, player) if self.words else NameMatch.OTHER
        if player.pk == self.kept:
            return 1000, [_("current ID after a merge"), translated(how.value)]
        slipped = slip(self.entry.member_id, player.member_id)
        if not how.is_one_person and not slipped and how != NameMatch.FAMILY_ONLY:
            return 0, []
        if slipped and self.words and how == NameMatch.OTHER:
            return 0, []  # every ID is one typo away from dozens of strangers
        found = [
            _TYPOS.get(slipped, (0, "")),
            (_NAME_SCORES[how], translated(how.value)),
            *self._context_scores(player),
        ]
        told = [(weight, str(words)) for weight, words in found if weight]
        return sum(weight for weight, _words in told), [words for _w, words in told]

    def _context_scores(self, player: PlayerWithClub) -> list[tuple[int, str]]:
        same_club = (
            bool(player.club_id) and player.club_id == self.reported.affiliate_id
        )
        same_state = bool(self.state) and player.state == self.state
        return [
            (15 * same_club, _("same club")),
            (10 * same_state, _("same state")),
            self._score_rating(player),
        ]

    def _score_rating(self, player: Player) -> tuple[int, str]:
        known = self.ratings.get(player.pk, {}).values()
        if self.rating is None or not known:
            return 0, ""
        apart = min(abs(rating - self.rating) for rating in known)
        if apart > ROUGHLY_SIMILAR_RATING:
            return 0, ""
        return (15 if apart <= SIMILAR_RATING else 8), _("similar rating")

    def _likely_member(
        self, player: PlayerWithClub, reasons: list[str]
    ) -> LikelyMember:
        rated = self.ratings.get(player.pk, {})
        system, rating = next(iter(rated.items()), ("", 0.0))
        return LikelyMember(
            member_id=player.member_id,
            name=player.name,
            club=player.club or "",
            state=player.state,
            age_band=age_band(player.birth_date),
            rating=f"{format_rating(rating)} {system}" if system else _("unrated"),
            reason=", ".join(reasons),
            differs=", ".join(self._differences(player)),
            is_exact=player.pk == self.kept or self._is_full_name(player),
            birth_year=player.year_of_birth,
        )

    def _is_full_name(self, player: Player) -> bool:
        names = f"{player.family_name} {player.given_name}"
        return len(self.words) > 1 and self.words == sorted(words_of(names))

    def _differences(self, player: PlayerWithClub) -> Iterator[str]:
        """Yield what differs from the report, in words."""
        if player.state and self.entry.state not in ("", player.state):
            yield _("state {state}, not {reported}").format(
                state=player.state, reported=self.entry.state
            )
        known = self.ratings.get(player.pk, {}).values()
        apart = [abs(rating - self.rating) for rating in known if self.rating]
        if apart and min(apart) > ROUGHLY_SIMILAR_RATING:
            yield _("reported rating {rating}").format(rating=self.rating)
        played = self.reported.ends or timezone.localdate()
        if player.expires is None:
            yield _("no membership")
        elif player.expires < played:
            yield _("membership ended {day}").format(day=format_day(player.expires))
