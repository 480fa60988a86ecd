"""Store the packed form of each section."""

from array import array

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
    entries = list(
        section.entries.order_by("pairing_number").values_list("pk", "player_id")
    )
    place = {pk: number for number, (pk, _) in enumerate(entries)}
    games = section.games.order_by(
        "round_number", "leg", "first__pairing_number"
    ).values_list("first_id", "second_id", "first_outcome", "second_outcome")
    first, second, scores = array("H"), array("H"), bytearray()
    for one, other, outcome, other_outcome in games:
        first.append(place[one])
        second.append(place[other])
        scores.append(3 * HALF_POINTS[outcome] + HALF_POINTS[other_outcome])
    return UnpackedSection(
        kind=section.kind,
        is_online=section.is_online,
        starts=section.starts,
        ends=section.ends,
        time_control=section.time_control,
        players=array("q", [player for _, player in entries]),
        first=first,
        second=second,
        scores=bytes(scores),
    )


def unpacked_document(document: SectionDocument) -> UnpackedSection:
    """Return the unpacked form of a document of the section."""
    entries = sorted(document.entries, key=lambda entry: entry.number)
    place = {entry.number: at for at, entry in enumerate(entries)}
    games = sorted(
        document.games, key=lambda one: (one.round_number, one.leg, one.first)
    )
    return UnpackedSection(
        kind=document.kind,
        is_online=document.is_online,
        starts=document.starts,
        ends=document.ends,
        time_control=document.time_control,
        players=array("q", [entry.player for entry in entries]),
        first=array("H", [place[game.first] for game in games]),
        second=array("H", [place[game.second] for game in games]),
        scores=bytes(
            3 * HALF_POINTS[game.first_outcome] + HALF_POINTS[game.second_outcome]
            for game in games
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
