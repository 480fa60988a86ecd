"""What the pages of corrections show, joined from documents: plain records."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.access import is_td_of
from events.books.rater import rater
from events.books.services.versions import first_day, is_rated_otherwise, sharing
from events.corrections.services.reviews import Review, reported_event
from events.importers.played import HALF_POINTS
from events.models import CorrectionRequest, Section, UnplayedRound
from events.models.documents import (
    NO_GAME,
    EntryLine,
    RoundCell,
    SectionDocument,
    members_concerned,
)
from players.models import Player
from ratings_site.common.acts.effects import Effect, leaves_mark, of_nobody_else
from ratings_site.common.looks.figures import half_points
from ratings_site.common.models import User

CHIPS = {
    "asked": "open",
    "confirmed": "submitted",
    "objected": "warning",
    "approved": "accepted",
    "refused": "returned",
    "withdrawn": "waiting",
}


@dataclass(frozen=True, slots=True)
class PlainCell:
    """A cell of a crosstable without links."""

    round_number: int
    text: str
    kind: str
    color: str
    is_changed: bool = False


@dataclass(frozen=True, slots=True)
class PlainRow:
    number: int
    member_id: str
    name: str
    total: str
    cells: tuple[PlainCell, ...]
    is_other_member: bool = False


def names_in(*documents: SectionDocument) -> dict[int, str]:
    """Return the names of all members in these documents, by primary key."""
    players = {entry.player for document in documents for entry in document.entries}
    return {
        player.pk: player.name
        for player in Player.objects.filter(pk__in=players).only(
            "given_name", "family_name", "suffix"
        )
    }


def plain_rows(
    document: SectionDocument,
    names: dict[int, str],
    *,
    only: Collection[int] | None = None,
) -> list[PlainRow]:
    """Return the rows by pairing number."""
    return [
        _row(document, names, number, document)
        for number in (entry.number for entry in document.entries)
        if only is None or number in only
    ]


def _row(
    document: SectionDocument,
    names: dict[int, str],
    number: int,
    other: SectionDocument,
) -> PlainRow:
    """Return a row with what differs from another version; nobody if it has none."""
    entry = document.entry(number) or EntryLine(number, "", 0, "nobody")
    theirs = other.entry(number)
    rounds = range(1, max(document.rounds, other.rounds) + 1)
    cells = {r: document.cell(number, r) for r in rounds}
    points = [_points(cell, document) for cell in cells.values()]
    return PlainRow(
        number=number,
        member_id=entry.member_id,
        name=names.get(entry.player, entry.name),
        total=half_points(sum(points)),
        cells=tuple(
            PlainCell(
                r, *_short(cell), cell.color, is_changed=cell != other.cell(number, r)
            )
            for r, cell in cells.items()
        ),
        is_other_member=theirs is None or theirs.player != entry.player,
    )


def _points(cell: RoundCell, document: SectionDocument) -> int:
    if cell.unplayed:
        legs = 2 if document.is_double else 1
        return UnplayedRound.HALF_POINTS[cell.unplayed] * legs
    return sum(HALF_POINTS[outcome] for outcome in cell.outcomes)


def _short(cell: RoundCell) -> tuple[str, str]:
    """Return a cell's text without the color, and the class it is drawn in."""
    if cell == NO_GAME:
        return "–", "none"
    opponent = f" {cell.opponent}" if cell.opponent else ""
    if cell.unplayed:
        texts = {
            "B": _("bye 1"),
            "H": "½ bye",
            "X": _("forfeit 1"),
            "F": _("forfeit 0"),
        }
        return texts.get(cell.unplayed, "forfeit 0") + opponent, "none"
    games, points = len(cell.outcomes), sum(HALF_POINTS[o] for o in cell.outcomes)
    kind = "draw" if points == games else "win" if points > games else "lost"
    star = "" if cell.is_mirrored else "*"
    return f"{cell.outcomes}{star}{opponent}", kind


@dataclass(frozen=True, slots=True)
class Compared:
    """One pairing number before and after a correction."""

    before: PlainRow
    after: PlainRow


def compared_rows(before: SectionDocument, after: SectionDocument) -> list[Compared]:
    """Return the rows that differ, each as it is and as it would be."""
    touched = sorted(set(_touched(before, after)))
    if not touched:
        return []
    names = names_in(before, after)
    return [
        Compared(_row(before, names, number, after), _row(after, names, number, before))
        for number in touched
    ]


def _touched(before: SectionDocument, after: SectionDocument) -> Iterator[int]:
    for place in before.cells.keys() | after.cells.keys():
        if before.cells.get(place) != after.cells.get(place):
            yield place[1]
    for entry in after.entries:
        if before.entry(entry.number) != entry:
            yield entry.number


def chip_of(request: CorrectionRequest) -> str:
    return CHIPS[request.state]


# What will happen


def of_approving(request: CorrectionRequest, review: Review) -> list[Effect]:
    """Say what correcting the section does; what it does to ratings is a dry run."""
    section = request.section
    return [
        *_of_systems(section, review),
        *_of_members(review),
        *_of_sisters(section, review),
        *_of_mark(section, review),
        *_of_directors_word(request),
        Effect(
            "told",
            _(
                "Who asked, the tournament directors and the members whose games "
                "change are told. Everybody can read what changed and why."
            ),
        ),
        Effect(
            "final",
            _(
                "It cannot be undone, but the section as it was is kept, and another "
                "correction can put it back."
            ),
        ),
        of_nobody_else(),
    ]


def _of_systems(section: Section, review: Review) -> Iterator[Effect]:
    reports = [reported_event(section, one) for one in (review.before, review.after)]
    before, after = (
        ", ".join(map(_, effect.systems)) for [effect] in rater().effects_of(reports)
    )
    if before == after:
        yield Effect("systems", _("Rated in: {systems}.").format(systems=after))
        return
    sentence = _("Rated in: {after}. Until now it was rated in: {before}.")
    yield Effect("systems", sentence.format(after=after, before=before), "warning")


def _of_members(review: Review) -> Iterator[Effect]:
    if number := len(members_concerned(review.before, review.after)):
        yield Effect(
            "members",
            ngettext(
                "The row or a game of {number:,} member changes.",
                "The rows or games of {number:,} members change.",
                number,
            ).format(number=number),
        )


def _of_sisters(section: Section, review: Review) -> Iterator[Effect]:
    if number := len(sharing(section, review.before, review.after)):
        yield Effect(
            "sisters",
            ngettext(
                "{number:,} other section of the event changes with it.",
                "{number:,} other sections of the event change with it.",
                number,
            ).format(number=number),
        )


def _of_mark(section: Section, review: Review) -> Iterator[Effect]:
    if not is_rated_otherwise(review.before, review.after):
        yield Effect(
            "no_mark", _("No rating rests on what changes, so no rerate follows.")
        )
    elif section.status != Section.Status.RATED:
        yield Effect(
            "not_rated", _("The section is not rated yet; it will be as corrected.")
        )
    else:
        day = first_day(review.before, review.after)
        yield leaves_mark(day, rater().next_rerate_from())
        yield Effect(
            "ratings_wait",
            _("Ratings stay as they are until that rerate is published."),
        )


def _of_directors_word(request: CorrectionRequest) -> Iterator[Effect]:
    sentences = {
        CorrectionRequest.State.ASKED: _(
            "The tournament director has not answered: you decide without that word, "
            "and say why."
        ),
        CorrectionRequest.State.OBJECTED: _(
            "The tournament director objects: you decide against that word, and say "
            "why."
        ),
    }
    state = CorrectionRequest.State(request.state)
    if sentence := sentences.get(state):
        yield Effect("without_director", sentence, "warning")


def of_refusing() -> list[Effect]:
    return [
        Effect("stays", _("The section and all ratings stay as they are.")),
        Effect("told", _("Who asked and the tournament directors read the reason.")),
        Effect("final", _("It cannot be undone; the same can be asked for again.")),
        of_nobody_else(),
    ]


def of_restating(request: CorrectionRequest, user: User) -> list[Effect]:
    if is_td_of(user, request.section):
        word = Effect(
            "confirmed",
            _("You are a tournament director of it: with this it is confirmed."),
        )
    else:
        word = Effect(
            "asked_again",
            _(
                "The tournament director is asked to confirm what you enter here; a "
                "word given so far no longer counts."
            ),
        )
    return [
        Effect("stays", _("Nothing of the section changes yet.")),
        word,
        Effect("told", _("Who asked and the tournament directors are told.")),
        Effect(
            "again",
            _("It can be changed again, approved or refused until it is decided."),
        ),
    ]


def of_asking(section: Section, user: User) -> list[Effect]:
    if is_td_of(user, section):
        word = Effect(
            "confirmed",
            _("You are a tournament director of it: by asking you confirm it."),
        )
    else:
        word = Effect("director", _("The tournament director is asked to confirm it."))
    return [
        Effect("stays", _("Nothing changes until the ratings office decides.")),
        word,
        Effect(
            "ratings_wait",
            _("Ratings follow with the next rerate after the section is corrected."),
        ),
        Effect("undo", _("You can withdraw it until it is decided.")),
    ]


def of_answering() -> list[Effect]:
    return [
        Effect("office", _("The ratings office decides, and reads your answer first.")),
        Effect("undo", _("You can answer again until it is decided.")),
    ]
