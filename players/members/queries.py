"""What pages read about members."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.models import ExternalRating, Player
from players.models.player import member_id_is_eight_digits
from ratings_site.common.audit.services import entries_about
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import AuditEntry
from ratings_site.common.names.nicknames import other_forms
from ratings_site.common.names.sounds import searchable, sound_of

# No name is longer, and a search need not read more words than a name has.
LONGEST_TEXT = 140
MOST_WORDS = 8
# Shorter words and keys sound like half the federation.
SHORTEST_HEARD = 4
SHORTEST_SOUND = 2

STATUS_WORDS = {
    Player.Status.DECEASED: "Deceased",
    Player.Status.DUPLICATE: gettext_lazy("Duplicate number"),
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A text to look for: its words without case and accents, and whom they mean."""

    words: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.words)

    @property
    def number(self) -> str:
        """The text, if it may be a member ID or FIDE ID or the beginning of one."""
        return self.text if self.text.isdecimal() else ""

    def is_numbered(self) -> Q:
        return Q(member_id__startswith=self.number) | Q(fide_id__startswith=self.number)

    def is_whole_number(self) -> Q:
        return Q(member_id=self.number) | Q(fide_id=self.number)

    def is_whole_name(self) -> Q:
        return Q(search_name=self.text) | Q(search_given=self.text)

    def is_whole_family_name(self) -> Q:
        return Q(search_name__startswith=f"{self.words[0]} ") & self.is_spelled()

    def is_spelled(self) -> Q:
        return self._named([frozenset([word]) for word in self.words])

    def is_called(self) -> Q:
        """The same with nicknames: a search for Bob finds Robert too."""
        return self._named([other_forms(word) | {word} for word in self.words])

    def _named(self, words: list[frozenset[str]]) -> Q:
        return _begins("search_name", words) | _begins("search_given", words)

    def begins_alike(self) -> Q:
        """A family name with the first letter of one of the words."""
        return _any_of("search_name__startswith", {word[0] for word in self.words})

    def sounds_alike(self) -> Q:
        """A family name that sounds like one of the words, and the others somewhere."""
        sounds = [sound_of(word) for word in self.words]
        found = Q()
        for place, sound in enumerate(sounds):
            if len(self.words[place]) < SHORTEST_HEARD or len(sound) < SHORTEST_SOUND:
                continue
            alike = Q(search_sound__startswith=f"{sound} ")
            for other in filter(None, sounds[:place] + sounds[place + 1 :]):
                alike &= Q(search_sound__contains=f" {other} ")
            found |= alike
        return found


def find_players(text: str, state: str = "") -> QuerySet[Player]:
    """Return the members that *text* may mean, the likeliest first.

    Names are found in either order, without regard to case and accents, each word by
    its beginning, as nickname or full form, and family names by their sound; members
    by their own ID and FIDE ID, or the beginning of one. An empty text finds everybody
    of the state.
    """
    players = Player.objects.all()
    if state:
        players = players.filter(state=state)
    if not text.strip():
        return players if state else players.none()
    asked = _Asked(tuple(searchable(text[:LONGEST_TEXT]).split()[:MOST_WORDS]))
    if not asked.words:
        return players.none()
    found = asked.is_called()
    found |= asked.is_numbered() if asked.number else asked.sounds_alike()
    return players.filter(found).order_by(_likeliest(asked), "search_name", "member_id")


def _likeliest(asked: _Asked) -> Case:
    """Order what is found: exact, then as spelled, then as nickname, last by sound.

    Of what sounds alike comes first what begins alike: Schmitz before Cimots.
    """
    kinds = [asked.is_whole_name(), asked.is_whole_family_name(), asked.is_spelled()]
    kinds += [asked.is_called(), asked.begins_alike()]
    if asked.number:
        kinds = [asked.is_whole_number(), asked.is_numbered(), *kinds]
    places = [When(kind, then=Value(place)) for place, kind in enumerate(kinds)]
    return Case(*places, default=Value(len(kinds)), output_field=IntegerField())


def _begins(column: str, words: list[frozenset[str]]) -> Q:
    """The first word begins the name, each other one begins a word further on."""
    first, *others = words
    named = _any_of(f"{column}__startswith", first)
    for word in others:
        named &= _any_of(f"{column}__contains", {f" {form}" for form in word})
    return named


def _any_of(lookup: str, values: Iterable[str]) -> Q:
    found = Q()
    for value in sorted(values):
        found |= Q(**{lookup: value})
    return found


def states() -> list[str]:
    """Return the states that members live in."""
    return list(
        Player.objects.exclude(state="")
        .order_by("state")
        .values_list("state", flat=True)
        .distinct()
    )


def membership_of(player: Player) -> str:
    """Say in words until when somebody is a member, from prefetched memberships.

    The type of membership is left out, because a youth membership tells an age; so
    is a suspension, which is between the member and the office.
    """
    if player.status != Player.Status.ACTIVE:
        return STATUS_WORDS.get(player.status, "Not a current member")
    last = _last_day(player)
    if last is None:
        return _("No membership on record")
    if last < timezone.localdate():
        return _("Membership ended {last}").format(last=day_in_words(last))
    return _("Member until {last}").format(last=day_in_words(last))


def _last_day(player: Player) -> date | None:
    """Return the last day of the last membership, which a query may have brought."""
    if hasattr(player, "membership_until"):
        return player.membership_until
    return max((one.expires for one in player.memberships.all()), default=None)


def by_member_id(member_id: str) -> Player | None:
    """Return the member with this ID; texts that are no ID belong to nobody."""
    if not member_id_is_eight_digits.regex.fullmatch(member_id):
        return None
    return Player.objects.filter(member_id=member_id).first()


def of_members(text: str) -> Q:
    """Rows below the members that a text finds, to search them by."""
    return Q(player__in=find_players(text))


def external_ratings(body: str, text: str = "") -> QuerySet[ExternalRating]:
    """Return the ratings of one body, the newest lists first."""
    rows = ExternalRating.objects.filter(body=body).select_related("player")
    if text:
        rows = rows.filter(of_members(text))
    return rows.order_by("-list_date", "player__search_name", "pk")


def status_history(player: Player) -> QuerySet[AuditEntry]:
    return entries_about(player).filter(action="player.status_changed")


def same_person_ids(ids: Iterable[int]) -> dict[int, list[int]]:
    """Return for each canonical ID all numbers of that person, its own first."""
    kept = list(dict.fromkeys(ids))
    found: defaultdict[int, list[int]] = defaultdict(list)
    rows = Player.objects.filter(merged_into__in=kept).order_by("pk")
    for kept_id, pk in rows.values_list("merged_into", "pk"):
        found[kept_id].append(pk)
    return {pk: [pk, *found[pk]] for pk in kept}
