"""Who was meant: the members beside an entry whose ID may be wrong."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from events.books.rater import rater
from events.checks.likeness import Likeness, likeness, slip, words_of
from events.importers.findings import Finding, Severity
from events.importers.records import ReportedEntry, ReportedEvent, ReportedSection
from events.models import Event
from players.models import Player
from ratings_site.common.looks.figures import in_words
from ratings_site.common.names.nicknames import other_forms
from ratings_site.common.names.slips import ids_a_slip_away
from ratings_site.common.names.sounds import searchable, sound_of

# Two or three can be told apart at a glance.
MOST_LIKELY = 3
# A report with more wrong IDs was made from a wrong file; nobody corrects it singly.
MOST_ENTRIES = 60
# So many members of one name are too many to choose among; it bounds the work as well.
MOST_MEMBERS = 600
# Ratings so close are the same player's a few events apart.
NEAR, FAIRLY_NEAR = 100, 250

# Files have so many letters for a name, or a few more, and cut what is longer.
PERHAPS_CUT = 20

ADULT = 18

# The codes that say "this may be somebody else".
IDENTITY_CODES = frozenset(
    {
        "entry.member_id_missing",
        "entry.member_id_malformed",
        "entry.member_repeated",
        "member.unknown",
        "member.deceased",
        "member.duplicate",
        "member.inactive",
        "member.suspended",
        "member.revoked",
        "member.other_name",
        "member.other_family_name",
        "member.sibling",
        "member.namesake",
        "member.other_state",
        "member.other_age",
        "member.two_places",
        "member.two_sections",
        "member.performance",
        "member.other_rating",
        "member.rating_outlier",
    }
)

# By section and pairing number.
Likely = dict[tuple[int, int], list["LikelyMember"]]


@dataclass(frozen=True, slots=True)
class LikelyMember:
    """A member whom an entry may mean, told by what a TD knows of a player."""

    member_id: str
    name: str
    club: str
    state: str
    age_band: str
    rating: str
    reason: str


def age_this_year(birth_date: date) -> int:
    """Return how old somebody is by the end of this year.

    This year, not on a day of the report: anyone who can choose the day could find the
    day on which an answer changes, and so the birth date.
    """
    return timezone.localdate().year - birth_date.year


def age_band(birth_date: date | None) -> str:
    """Return how old somebody is by now, roughly; nothing if nobody knows."""
    if birth_date is None:
        return ""
    for limit in (13, ADULT):
        if age_this_year(birth_date) < limit:
            return _("under {age}").format(age=limit)
    return _("adult")


def identity_of(finding: Finding) -> tuple[int, int] | None:
    """Return the entry that a finding says may be somebody else's, if it is such.

    A note does not say it.
    """
    place = finding.place
    code = ".".join(finding.code.split(".")[:2])
    if finding.severity == Severity.NOTE or code not in IDENTITY_CODES:
        return None
    if place.section is None or place.pairing_number is None:
        return None
    return place.section, place.pairing_number


def likely_members(reported: ReportedEvent, findings: Iterable[Finding]) -> Likely:
    """Return the likeliest members for each entry with a finding on who it is."""
    return likely_at(reported, filter(None, map(identity_of, findings)))


def likely_at(reported: ReportedEvent, spots: Iterable[tuple[int, int]]) -> Likely:
    """Return the likeliest members for entries, by section and pairing number.

    Takes three queries for any number of entries. Where nobody is likely, the entry
    is left out.
    """
    [found] = likely_in_each([(reported, spots)])
    return found


def likely_in_each(
    reports: Iterable[tuple[ReportedEvent, Iterable[tuple[int, int]]]],
) -> list[Likely]:
    """Return them for entries of several reports, in three queries for all."""
    asked = [(reported, _entries(reported, spots)) for reported, spots in reports]
    entries = [entry for _reported, found in asked for _section, entry in found]
    if not entries:
        return [{} for _report in asked]
    pool = members_like(entries, most=MOST_MEMBERS * len(asked))
    ratings = rater().current_ratings([player.pk for player in pool])
    return [
        {
            (section.number, entry.pairing_number): chosen
            for section, entry in found
            if (chosen := _Search(reported, section, entry, ratings).among(pool))
        }
        for reported, found in asked
    ]


def _entries(
    reported: ReportedEvent, spots: Iterable[tuple[int, int]]
) -> list[tuple[ReportedSection, ReportedEntry]]:
    asked = dict.fromkeys(spots)
    return [found for place in asked if (found := _entry(reported, place))][
        :MOST_ENTRIES
    ]


def _entry(
    reported: ReportedEvent, place: tuple[int, int]
) -> tuple[ReportedSection, ReportedEntry] | None:
    section = reported.section(place[0])
    entry = section.entry(place[1]) if section else None
    return (section, entry) if section and entry else None


# Who comes into question


def members_like(
    entries: Sequence[ReportedEntry], *, most: int = MOST_MEMBERS
) -> list[Player]:
    """Return members with an ID a slip away, or a name like a reported one.

    One query; whose number was merged or who has died is left out.
    """
    ids: set[str] = set()
    wanted = Q()
    for entry in entries[:MOST_ENTRIES]:
        ids |= ids_a_slip_away(entry.member_id)
        wanted |= _named_like(entry.name)
    members = Player.objects.filter(Q(member_id__in=ids) | wanted).exclude(
        status__in=(Player.Status.DUPLICATE, Player.Status.DECEASED)
    )
    return list(_with_club(members).order_by("pk")[:most])


def _named_like(name: str) -> Q:
    """Find a name in either order, its other forms, and what sounds like it."""
    words = words_of(name)
    if not words:
        return Q(pk=None)
    spelled = {searchable(name), " ".join(words)}
    for place, word in enumerate(words[:3]):
        for form in other_forms(word):
            spelled.add(" ".join([*words[:place], form, *words[place + 1 :]]))
    first, last = words[0], words[-1]
    sounds = {_sounds([first, *words[1:]]), _sounds([last, *words[:-1]])}
    whole = " ".join(words)
    family = first if "," in name or len(words) == 1 else last
    joined = {family, "".join(words[:2]), "".join(words[-2:])}
    wanted = (
        Q(search_name__in=spelled)
        | Q(search_family__in=joined)
        | Q(search_given__in=spelled)
        | Q(search_sound__in=sounds)
        | Q(search_name__startswith=f"{family} {first[:1] if family == last else ''}")
    )
    if len(whole) >= PERHAPS_CUT:
        wanted |= Q(search_name__startswith=whole) | Q(search_given__startswith=whole)
    return wanted


def _sounds(words: Iterable[str]) -> str:
    return "".join(f"{sound_of(word)} " for word in words)


def _with_club(members: QuerySet[Player]) -> QuerySet[Player]:
    """Tell with each member the club of the latest event in the books."""
    latest = (
        Event.objects.filter(sections__entries__player=OuterRef("pk"))
        .order_by("-ends", "-pk")
        .values("affiliate__name")[:1]
    )
    return members.annotate(
        club=Subquery(latest),
        club_id=Subquery(latest.values("affiliate__affiliate_id")[:1]),
    )


# Who of them is likely


_SLIP_WORDS = {
    "two digits exchanged": 40,
    "one digit differs": 30,
    "a digit left out": 30,
    "a digit too many": 30,
}
_NAME_WORDS = {
    Likeness.SAME: 40,
    Likeness.SOUND: 30,
    Likeness.NICKNAME: 30,
    Likeness.FAMILY_ONLY: 12,
    Likeness.GIVEN_ONLY: 5,
    Likeness.OTHER: 0,
}
# Less than a like name, or the family's name with something beside it, is a guess.
LEAST = 20


class _Search:
    """Weighs members against one entry."""

    def __init__(
        self,
        reported: ReportedEvent,
        section: ReportedSection,
        entry: ReportedEntry,
        ratings: dict[int, dict[str, float]],
    ) -> None:
        self.reported, self.entry, self.ratings = reported, entry, ratings
        self.taken = {other.member_id for other in section.entries}
        self.state = entry.state or reported.state
        digits = "".join(c for c in entry.rating[:4] if c.isdecimal())
        self.rating = int(digits) if len(digits) >= 3 else None

    def among(self, pool: Iterable[Player]) -> list[LikelyMember]:
        """Return the likeliest, best first."""
        weighed: defaultdict[int, list[LikelyMember]] = defaultdict(list)
        for player in pool:
            if player.member_id in self.taken:
                continue  # plays here already, or is who the report names
            weight, reasons = self._weigh(player)
            if weight >= LEAST:
                weighed[-weight].append(self._told(player, reasons))
        best = [one for weight in sorted(weighed) for one in weighed[weight]]
        return best[:MOST_LIKELY]

    def _weigh(self, player: Player) -> tuple[int, list[str]]:
        """Return how likely the member is, and why in words."""
        how = likeness(self.entry.name, player) if self.entry.name else Likeness.OTHER
        slipped = slip(self.entry.member_id, player.member_id)
        if not how.is_one_person and not slipped and how != Likeness.FAMILY_ONLY:
            return 0, []
        if slipped and self.entry.name and how == Likeness.OTHER:
            return 0, []  # every number is a slip away from dozens of strangers
        found = [
            (_SLIP_WORDS.get(slipped, 0), _slip_in_words(slipped)),
            (_NAME_WORDS[how], _name_in_words(how)),
            *self._circumstances(player),
        ]
        told = [(weight, words) for weight, words in found if weight]
        return sum(weight for weight, _words in told), [words for _w, words in told]

    def _circumstances(self, player: Player) -> list[tuple[int, str]]:
        same_club = (
            bool(player.club_id) and player.club_id == self.reported.affiliate_id
        )
        same_state = bool(self.state) and player.state == self.state
        return [
            (15 * same_club, _("same club")),
            (10 * same_state, _("same state")),
            self._weigh_rating(player),
        ]

    def _weigh_rating(self, player: Player) -> tuple[int, str]:
        known = self.ratings.get(player.pk, {}).values()
        if self.rating is None or not known:
            return 0, ""
        apart = min(abs(rating - self.rating) for rating in known)
        if apart > FAIRLY_NEAR:
            return 0, ""
        return (15 if apart <= NEAR else 8), _("rating near the reported one")

    def _told(self, player: Player, reasons: list[str]) -> LikelyMember:
        rated = self.ratings.get(player.pk, {})
        system, rating = next(iter(rated.items()), ("", 0.0))
        return LikelyMember(
            member_id=player.member_id,
            name=player.name,
            club=player.club or "",
            state=player.state,
            age_band=age_band(player.birth_date),
            rating=f"{in_words(rating)} {system}" if system else _("unrated"),
            reason=", ".join(reasons),
        )


def _slip_in_words(slipped: str) -> str:
    words = {
        "two digits exchanged": _("two digits of the ID exchanged"),
        "one digit differs": _("one digit of the ID differs"),
        "a digit left out": _("a digit of the ID left out"),
        "a digit too many": _("a digit of the ID too many"),
    }
    return words.get(slipped, "")


def _name_in_words(how: Likeness) -> str:
    words = {
        Likeness.SAME: _("same name"),
        Likeness.SOUND: _("name sounds the same"),
        Likeness.NICKNAME: _("nickname"),
        Likeness.FAMILY_ONLY: _("same family name"),
        Likeness.GIVEN_ONLY: _("same given name"),
    }
    return words.get(how, "")
