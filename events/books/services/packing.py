"""Keep the packed form of each section beside its entries and games."""

from array import array

from events.books.packed import Packed, digest_of, pack
from events.importers.played import HALF_POINTS
from events.models import PackedSection, Section
from events.models.documents import SectionDocument


def pack_section(section: Section) -> PackedSection:
    """Write the section's packed form again from its entries and games (3 queries).

    Called in the transaction that entered or corrected them.
    """
    data = pack(packed_form(section))
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


def packed_form(section: Section) -> Packed:
    """Read what is packed from the books (two queries)."""
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
    return Packed(
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


def packed_document(document: SectionDocument) -> Packed:
    """Return what would be packed of a section that is as a document says."""
    entries = sorted(document.entries, key=lambda entry: entry.number)
    place = {entry.number: at for at, entry in enumerate(entries)}
    games = sorted(
        document.games, key=lambda one: (one.round_number, one.leg, one.first)
    )
    return Packed(
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
    """Pack the sections that have no packed form yet; return how many.

    Sections from before there was a packed form get theirs here.
    """
    missing = list(Section.objects.filter(packed=None).order_by("pk"))
    for section in missing:
        pack_section(section)
    return len(missing)
