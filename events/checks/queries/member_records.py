"""Differences between a report's entries and the members' records."""

from collections import Counter
from collections.abc import Iterator, Mapping

from events.formats.findings import Finding
from events.formats.report import ReportedEntry, ReportedEvent
from players.models import Player
from ratings_site.common.names.phonetics import searchable

# Findings that the member's record can settle: spelling, and state.
DIFFERENCES = frozenset(
    {
        "member.nickname",
        "member.spelled_otherwise",
        "member.sibling",
        "member.other_family_name",
        "member.other_name",
        "member.other_state",
    }
)
# The limit of the form for an entry.
LONGEST_NAME = 60

EntryKey = tuple[int, int]  # section number, pairing number


def differs_from_record(finding: Finding) -> bool:
    """Return whether a finding is about an entry that differs from the record."""
    return finding.code in DIFFERENCES


def record_changes(entry: ReportedEntry, player: Player) -> dict[str, str]:
    """Return the changes that make *entry* match the record.

    The same words in another order or in capitals are the same name.
    """
    changes = {}
    if set(searchable(entry.name).split()) != set(player.search_name.split()):
        changes["name"] = recorded_name(player)
    if player.state and player.state != entry.state:
        changes["state"] = player.state
    return changes


def recorded_name(player: Player) -> str:
    """Return the member's name as in reports: the family name first."""
    given = f"{player.given_name} {player.suffix}".strip()
    parts = (player.family_name, given)
    return ", ".join(part for part in parts if part)[:LONGEST_NAME]


def record_in_words(player: Player) -> str:
    return ", ".join(part for part in (player.name, player.state) if part)


def records_of(
    reported: ReportedEvent, members: Mapping[str, Player]
) -> dict[EntryKey, str]:
    """Return, in words, the records of members whose entries differ."""
    return {
        entry_key: record_in_words(members[entry.member_id])
        for entry_key, entry in single_entries(reported)
        if entry.member_id in members
        and record_changes(entry, members[entry.member_id])
    }


def player_key(entry: ReportedEntry) -> tuple[str, ...]:
    """Return the reported ID and name words: equal for one player in all sections."""
    words = sorted(searchable(entry.name).split() or entry.name.casefold().split())
    return entry.member_id if entry.member_id.strip("0") else "", *words


def player_places(reported: ReportedEvent) -> dict[EntryKey, tuple[EntryKey, ...]]:
    """Return, for each entry, all entries of the same reported player.

    Entries without a name are players of their own, as are those of one name without an
    ID if a section has it twice.
    """
    found: dict[tuple[str, ...], list[EntryKey]] = {}
    for entry_key, entry in single_entries(reported):
        found.setdefault(player_key(entry), []).append(entry_key)
    places: dict[EntryKey, tuple[EntryKey, ...]] = {}
    for (member_id, *words), own in found.items():
        in_section = Counter(section for section, _number in own)
        is_one = words and (member_id or max(in_section.values()) == 1)
        for entry_key in own:
            places[entry_key] = tuple(own) if is_one else (entry_key,)
    return places


def single_entries(reported: ReportedEvent) -> Iterator[tuple[EntryKey, ReportedEntry]]:
    """Yield the entries whose pairing number is unique."""
    for section in reported.sections:
        numbers = Counter(entry.pairing_number for entry in section.entries)
        for entry in section.entries:
            if numbers[entry.pairing_number] == 1:
                yield (section.number, entry.pairing_number), entry
