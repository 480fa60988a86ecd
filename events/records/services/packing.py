"""Store the packed form of each section."""

from array import array
from collections.abc import Iterable

from events.formats.played_games import HALF_POINTS
from events.models import PackedSection, Section
from events.models.documents import SectionDocument
from events.records.packed_section import UnpackedSection, digest_of, pack


def pack_section(section: Section) -> PackedSection:
    """Update the section's packed form from its entries and games (3 queries).

    Called in the transaction that entered or corrected them.
    """
    data = pack(unpacked_section(section))
    packed = PackedSection(
        section=section, version=section.version, data=data, digest=digest_of(data)
    )
    PackedSection.objects.bulk_create(
        [packed],
        update_conflicts=True,
        unique_fields=["section"],
        update_fields=["version", "data", "digest"],
    )
    return packed


def unpacked_section(section: Section) -> UnpackedSection:
    """Return a section's unpacked form from its entries and games (two queries)."""
    entries = section.entries.order_by("pairing_number")
    games = section.games.order_by("round_number", "leg", "first__pairing_number")
    return _unpacked(
        section,
        entries.values_list("pk", "player_id"),
        games.values_list("first_id", "second_id", "first_outcome", "second_outcome"),
    )


def unpacked_document(document: SectionDocument) -> UnpackedSection:
    """Return the unpacked form of a document of the section."""
    entries = sorted(document.entries, key=lambda entry: entry.number)
    games = sorted(
        document.games, key=lambda one: (one.round_number, one.leg, one.first)
    )
    return _unpacked(
        document,
        [(entry.number, entry.player) for entry in entries],
        [(g.first, g.second, g.first_outcome, g.second_outcome) for g in games],
    )


def _unpacked(
    facts: Section | SectionDocument,
    entries: Iterable[tuple[int, int]],
    games: Iterable[tuple[int, int, str, str]],
) -> UnpackedSection:
    """Return the unpacked form of ordered entries (key, player) and their games."""
    players = dict(entries)
    place = {key: at for at, key in enumerate(players)}
    games = list(games)
    return UnpackedSection(
        kind=facts.kind,
        is_online=facts.is_online,
        starts=facts.starts,
        ends=facts.ends,
        time_control=facts.time_control,
        players=array("q", players.values()),
        first=array("H", [place[first] for first, *_ in games]),
        second=array("H", [place[second] for _, second, *_ in games]),
        scores=bytes(
            3 * HALF_POINTS[ours] + HALF_POINTS[theirs] for *_, ours, theirs in games
        ),
    )


def pack_missing() -> int:
    """Pack the sections without a packed form; return how many.

    These are sections from before the packed form existed.
    """
    missing = list(Section.objects.filter(packed=None).order_by("pk"))
    for section in missing:
        pack_section(section)
    return len(missing)
