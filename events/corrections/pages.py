"""Page data for corrections, from section documents."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.access import is_td_of
from events.corrections.services.reviews import Review, reported_event
from events.formats.played_games import HALF_POINTS
from events.models import CorrectionRequest, Section, UnplayedRound
from events.models.documents import (
    NO_GAME,
    EntryLine,
    RoundCell,
    SectionDocument,
    members_concerned,
)
from events.records.section_rater import section_rater
from events.records.services.versions import (
    affects_ratings,
    first_day,
    sections_sharing_event,
)
from players.models import Player
from ratings_site.common.approvals.preview import (
    PreviewLine,
    no_approval_line,
    pending_rerate_line,
)
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import half_points


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
            *("given_name", "family_name", "suffix"),
            *("is_private", "merged_into"),
        )
    }


def plain_rows(
    document: SectionDocument,
    names: dict[int, str],
    *,
    only: Collection[int] | None = None,
) -> list[PlainRow]:
    """Return the rows in the order of pairing numbers."""
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
    """Return a row with its differences from another version, blank if missing."""
    entry = document.entry(number) or EntryLine(number, "", 0, _("none"))
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
                r,
                *_cell_label(cell),
                cell.color,
                is_changed=cell != other.cell(number, r),
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


def _cell_label(cell: RoundCell) -> tuple[str, str]:
    """Return a cell's text without the color, and its CSS class."""
    if cell == NO_GAME:
        return "–", "none"
    opponent = f" {cell.opponent}" if cell.opponent else ""
    if cell.unplayed:
        texts = {
            "B": _("bye 1"),
            "H": _("½ bye"),
            "X": _("forfeit 1"),
            "F": _("forfeit 0"),
        }
        return texts.get(cell.unplayed, _("forfeit 0")) + opponent, "none"
    games, points = len(cell.outcomes), sum(HALF_POINTS[o] for o in cell.outcomes)
    kind = "draw" if points == games else "win" if points > games else "lost"
    star = "" if cell.is_mirrored else "*"
    return f"{cell.outcomes}{star}{opponent}", kind


def row_comparisons(
    before: SectionDocument, after: SectionDocument
) -> list[tuple[PlainRow, PlainRow]]:
    """Return the rows that differ, before and after the correction."""
    touched = sorted(set(_changed_numbers(before, after)))
    if not touched:
        return []
    names = names_in(before, after)
    return [
        (_row(before, names, number, after), _row(after, names, number, before))
        for number in touched
    ]


def _changed_numbers(before: SectionDocument, after: SectionDocument) -> Iterator[int]:
    for place in before.cells.keys() | after.cells.keys():
        if before.cells.get(place) != after.cells.get(place):
            yield place[1]
    for entry in after.entries:
        if before.entry(entry.number) != entry:
            yield entry.number


# Previews


def approval_preview(request: CorrectionRequest, review: Review) -> list[PreviewLine]:
    """Preview the effects of an approval; the dry run shows rating changes."""
    section = request.section
    return [
        *_system_lines(section, review),
        *_member_lines(review),
        *_sibling_section_lines(section, review),
        *_rerate_lines(section, review),
        *_director_answer_lines(request),
        PreviewLine(
            "told",
            _(
                "We notify the person who asked, the tournament directors, and the "
                "members whose games change. What changed and why is public."
            ),
        ),
        PreviewLine(
            "final",
            _(
                "This can’t be undone, but the old version is kept. Another "
                "correction can restore it."
            ),
        ),
        no_approval_line(),
    ]


def _system_lines(section: Section, review: Review) -> Iterator[PreviewLine]:
    reports = [reported_event(section, one) for one in (review.before, review.after)]
    before, after = (
        ", ".join(map(_, effect.systems))
        for [effect] in section_rater().effects_of(reports)
    )
    if before == after:
        yield PreviewLine("systems", _("Rated in: {systems}.").format(systems=after))
        return
    sentence = _("Rated in: {after}. Previously rated in: {before}.")
    yield PreviewLine("systems", sentence.format(after=after, before=before), "warning")


def _member_lines(review: Review) -> Iterator[PreviewLine]:
    if number := len(members_concerned(review.before, review.after)):
        yield PreviewLine(
            "members",
            ngettext(
                "The entry or a game of {number:,} member changes.",
                "The entries or games of {number:,} members change.",
                number,
            ).format(number=number),
        )


def _sibling_section_lines(section: Section, review: Review) -> Iterator[PreviewLine]:
    if number := len(sections_sharing_event(section, review.before, review.after)):
        yield PreviewLine(
            "sisters",
            ngettext(
                "{number:,} other section of the event changes with it.",
                "{number:,} other sections of the event change with it.",
                number,
            ).format(number=number),
        )


def _rerate_lines(section: Section, review: Review) -> Iterator[PreviewLine]:
    if not affects_ratings(review.before, review.after):
        yield PreviewLine(
            "no_mark", _("No rating depends on this change, so no rerate is needed.")
        )
    elif section.status != Section.Status.RATED:
        yield PreviewLine(
            "not_rated",
            _("The section isn’t rated yet. It will be rated with the correction."),
        )
    else:
        day = first_day(review.before, review.after)
        yield pending_rerate_line(day, section_rater().next_rerate_from())
        yield PreviewLine(
            "ratings_wait", _("Ratings don’t change until that rerate is published.")
        )


def _director_answer_lines(request: CorrectionRequest) -> Iterator[PreviewLine]:
    sentences = {
        CorrectionRequest.State.ASKED: _(
            "The tournament director hasn’t answered. If you approve, give a reason."
        ),
        CorrectionRequest.State.OBJECTED: _(
            "The tournament director objects. If you approve, give a reason."
        ),
    }
    state = CorrectionRequest.State(request.state)
    if sentence := sentences.get(state):
        yield PreviewLine("without_director", sentence, "warning")


def refusal_preview() -> list[PreviewLine]:
    return [
        PreviewLine("stays", _("The section and all ratings stay the same.")),
        PreviewLine(
            "told",
            _("The person who asked and the tournament directors see your reason."),
        ),
        PreviewLine(
            "final",
            _("This can’t be undone, but the same correction can be requested again."),
        ),
        no_approval_line(),
    ]


def restatement_preview(request: CorrectionRequest, user: User) -> list[PreviewLine]:
    if is_td_of(user, request.section):
        word = PreviewLine(
            "confirmed",
            _(
                "You’re a tournament director of this event, so this also confirms the "
                "request."
            ),
        )
    else:
        word = PreviewLine(
            "asked_again",
            _(
                "We’ll ask the tournament director to confirm your change. Any "
                "earlier answer no longer applies."
            ),
        )
    return [
        PreviewLine("stays", _("The section doesn’t change yet.")),
        word,
        PreviewLine(
            "told", _("We notify the person who asked and the tournament directors.")
        ),
        PreviewLine(
            "again",
            _(
                "Until it’s decided, you can change it again, approve it, or decline "
                "it."
            ),
        ),
    ]


def request_preview(section: Section, user: User) -> list[PreviewLine]:
    if is_td_of(user, section):
        word = PreviewLine(
            "confirmed",
            _(
                "You’re a tournament director of this event, so your request is "
                "already confirmed."
            ),
        )
    else:
        word = PreviewLine(
            "director", _("We’ll ask the tournament director to confirm it.")
        )
    return [
        PreviewLine(
            "stays", _("Nothing changes until the ratings office approves it.")
        ),
        word,
        PreviewLine(
            "ratings_wait",
            _("If the section is corrected, ratings update with the next rerate."),
        ),
        PreviewLine("undo", _("You can withdraw it until it’s decided.")),
    ]


def answer_preview() -> list[PreviewLine]:
    return [
        PreviewLine(
            "office", _("The ratings office reads your answer and makes the decision.")
        ),
        PreviewLine("undo", _("You can change your answer until it’s decided.")),
    ]
