"""What the office's record of a member says where a report says otherwise."""

from collections import Counter
from collections.abc import Iterator, Mapping

from events.importers.findings import Finding
from events.importers.records import ReportedEntry, ReportedEvent
from players.models import Player
from ratings_site.common.names.sounds import searchable

# What the member's record can settle: how a name is written, and the state.
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
# As long as the form for an entry takes.
LONGEST_NAME = 60

Spot = tuple[int, int]  # a section's number and a pairing number in it


def differs_from_record(finding: Finding) -> bool:
    """Tell whether a finding is about an entry that reads otherwise than the record."""
    return finding.code in DIFFERENCES


def record_changes(entry: ReportedEntry, player: Player) -> dict[str, str]:
    """Return what of *entry* changes if it is to say what the record says.

    A name of the same words in another order, or written large, is the same name.
    """
    changes = {}
    if set(searchable(entry.name).split()) != set(player.search_name.split()):
        changes["name"] = recorded_name(player)
    if player.state and player.state != entry.state:
        changes["state"] = player.state
    return changes


def recorded_name(player: Player) -> str:
    """Return the member's name as reports write it: the family name first."""
    given = f"{player.given_name} {player.suffix}".strip()
    parts = (player.family_name, given)
    return ", ".join(part for part in parts if part)[:LONGEST_NAME]


def record_in_words(player: Player) -> str:
    return ", ".join(part for part in (player.name, player.state) if part)


def records_of(
    reported: ReportedEvent, members: Mapping[str, Player]
) -> dict[Spot, str]:
    """Return, in words, the records of the members whose entries read otherwise."""
    return {
        spot: record_in_words(members[entry.member_id])
        for spot, entry in single_entries(reported)
        if entry.member_id in members
        and record_changes(entry, members[entry.member_id])
    }


def single_entries(reported: ReportedEvent) -> Iterator[tuple[Spot, ReportedEntry]]:
    """Yield the entries that their pairing number alone tells apart."""
    for section in reported.sections:
        numbers = Counter(entry.pairing_number for entry in section.entries)
        for entry in section.entries:
            if numbers[entry.pairing_number] == 1:
                yield (section.number, entry.pairing_number), entry
