"""Entries without a member ID that are exactly a member, by FIDE ID or by name.

Birth dates take no part, though FIDE's report file has them: anyone who may send
reports could find a namesake's by trying days.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from events.checks.queries.identity import GONE
from events.checks.queries.record import Spot, single_entries
from events.importers.records import ReportedEntry, ReportedEvent
from players.models import Player
from ratings_site.common.names.sounds import searchable

BY_FIDE_ID = _("FIDE ID")
BY_NAME = _("the name, which nobody else has")


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """An entry, the member it is, and by what one knows."""

    spot: Spot
    name: str
    player: Player
    by: Any  # said in the reader's language


def exact_matches(reported: ReportedEvent) -> list[ExactMatch]:
    """Return the matches that leave no doubt, in the report's order (one query).

    A name counts if it is whole and one member's only. Nobody is matched twice in a
    section, nor who plays there under the own ID.
    """
    nameless = [
        (spot, entry)
        for spot, entry in single_entries(reported)
        if not entry.member_id.strip("0")
        and (entry.plain_fide_id or _is_whole(entry.name))
    ]
    if not nameless:
        return []
    known = _Known([entry for _spot, entry in nameless])
    matches = [
        ExactMatch(spot, entry.name, *found)
        for spot, entry in nameless
        if (found := known.find(entry))
    ]
    return _without_doubles(reported, matches)


class _Known:
    """Members by FIDE ID and by the words of their names."""

    def __init__(self, entries: Collection[ReportedEntry]) -> None:
        names = {searchable(entry.name) for entry in entries if _is_whole(entry.name)}
        fide_ids = {entry.plain_fide_id for entry in entries} - {""}
        players = Player.objects.filter(
            Q(fide_id__in=fide_ids)
            | Q(search_name__in=names)
            | Q(search_given__in=names)
        ).exclude(status__in=GONE)
        self.by_fide_id: dict[str, Player] = {}
        self.by_words: defaultdict[tuple[str, ...], list[Player]] = defaultdict(list)
        for player in players:
            self.by_words[_words(player.search_name)].append(player)
            if player.fide_id:
                self.by_fide_id[player.fide_id] = player

    def find(self, entry: ReportedEntry) -> tuple[Player, Any] | None:
        if entry.plain_fide_id in self.by_fide_id:
            return self.by_fide_id[entry.plain_fide_id], BY_FIDE_ID
        if not _is_whole(entry.name):
            return None
        same = self.by_words[_words(searchable(entry.name))]
        # Another FIDE ID on record is another person's.
        if len(same) != 1 or (entry.plain_fide_id and same[0].fide_id):
            return None
        return same[0], BY_NAME


def _words(name: str) -> tuple[str, ...]:
    return tuple(sorted(name.split()))


def _is_whole(name: str) -> bool:
    """Tell whether a name has a given and a family name, and no initial for either."""
    words = searchable(name).split()
    return len([word for word in words if len(word) > 1]) > 1


def _without_doubles(
    reported: ReportedEvent, matches: Iterable[ExactMatch]
) -> list[ExactMatch]:
    matches = list(matches)
    here = _ids_by_section(reported)
    often = Counter((match.spot[0], match.player.pk) for match in matches)
    return [
        match
        for match in matches
        if often[match.spot[0], match.player.pk] == 1
        and match.player.member_id not in here[match.spot[0]]
    ]


def _ids_by_section(reported: ReportedEvent) -> Mapping[int, set[str]]:
    return {
        section.number: {entry.member_id for entry in section.entries}
        for section in reported.sections
    }
