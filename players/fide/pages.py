"""Bulk actions on suggested FIDE IDs: link or decline, with a preview."""

from collections.abc import Callable, Iterable, Sequence

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from players.fide.queries import Suggestion, certain_links, suggestions_of
from players.fide.services.links import PERMISSION, decline_link, link_fide_id
from players.members.queries import names_of
from ratings_site.common.approvals.bulk_actions import (
    MAX_ROWS,
    BulkAction,
    ChosenRow,
    DoneRow,
    PreviewedRows,
    RefusedRow,
    register_bulk_actions,
)
from ratings_site.common.approvals.preview import (
    PreviewLine,
    no_approval_line,
    no_rating_change_lines,
)
from ratings_site.common.models import User

PreviewFactory = Callable[[Suggestion], Iterable[PreviewLine]]


def _build_preview(
    make_preview: PreviewFactory,
) -> Callable[[Sequence[str], User], PreviewedRows]:
    """Return the function that builds the preview line of each suggestion."""

    def look(keys: Sequence[str], actor: User) -> PreviewedRows:
        ids = {key: int(key.partition(":")[0]) for key in keys}
        found = suggestions_of(ids.values())
        lines = [_line(found[key], make_preview) for key in keys if key in found]
        gone = [key for key in keys if key not in found]
        names = names_of([ids[key] for key in gone])
        sentence = _("This suggestion has changed. Check it again.")
        return lines, [
            RefusedRow(names.get(ids[key], _("Member")), sentence) for key in gone
        ]

    return look


def _line(one: Suggestion, make_preview: PreviewFactory) -> ChosenRow:
    return ChosenRow(
        key=one.key,
        name=one.player.name,
        about=one.player.member_id,
        url=reverse(
            "players_office:link", args=[one.player.member_id, one.fide.fide_id]
        ),
        effects=(*make_preview(one), _evidence(one)),
    )


def _evidence(one: Suggestion) -> PreviewLine:
    level = {"strong": "", "fair": "note", "weak": "warning"}[one.strength]
    sentence = _("Match {score}: {evidence}.").format(
        score=one.score, evidence=", ".join(one.evidence)
    )
    return PreviewLine("evidence", sentence, level)


def _linking_preview(one: Suggestion) -> Iterable[PreviewLine]:
    listed = one.fide
    sentence = (
        _("Gets FIDE ID {fide_id}: {name}, {federation}, rated {rating}.")
        if listed.rating
        else _("Gets FIDE ID {fide_id}: {name}, {federation}, unrated.")
    )
    yield PreviewLine(
        "linked",
        sentence.format(
            fide_id=listed.fide_id,
            name=listed.name,
            federation=listed.federation,
            rating=listed.rating,
        ),
    )


def _declining_preview(one: Suggestion) -> Iterable[PreviewLine]:
    yield PreviewLine(
        "declined",
        _(
            "FIDE ID {fide_id}, {name}, won’t be suggested for this member again."
        ).format(fide_id=one.fide.fide_id, name=one.fide.name),
    )


def _after_linking() -> Sequence[PreviewLine]:
    return (
        PreviewLine(
            "ratings",
            _(
                "Ratings from all stored lists will be used for these members. This "
                "may add a pending rerate."
            ),
        ),
        PreviewLine("undone", _("You can remove a wrong FIDE ID later.")),
        no_approval_line(),
    )


def _parse_key(line: ChosenRow) -> dict[str, int]:
    player_id, fide_id, _score = line.key.split(":")
    return {"player_id": int(player_id), "fide_id": int(fide_id)}


def _link(line: ChosenRow, actor: User, reason: str) -> DoneRow:
    player = link_fide_id(**_parse_key(line), actor=actor, reason=reason)
    note = _("FIDE ID {fide_id}").format(fide_id=player.fide_id)
    return DoneRow(line.name, note, player.get_absolute_url())


def _decline(line: ChosenRow, actor: User, reason: str) -> DoneRow:
    declined = decline_link(**_parse_key(line), actor=actor, reason=reason)
    note = _("not FIDE ID {fide_id}").format(fide_id=declined.fide_id)
    return DoneRow(line.name, note)


def _certain_keys(filters: QueryDict) -> Sequence[str]:
    text = filters.get("q", "").strip()
    return [one.key for one in certain_links(text, most=MAX_ROWS + 1)]


LIST = "players_office:links"
ACTIONS = {
    "link": BulkAction(
        asks=ngettext_lazy(
            "Link {number} member to a FIDE ID?",
            "Link {number} members to their FIDE IDs?",
            "number",
        ),
        button=ngettext_lazy("Link {number} member", "Link {number} members", "number"),
        done=ngettext_lazy(
            "{number} member linked", "{number} members linked", "number"
        ),
        look=_build_preview(_linking_preview),
        do=_link,
        after=_after_linking,
        every=_certain_keys,
    ),
    "decline": BulkAction(
        asks=ngettext_lazy(
            "Decline {number} suggested FIDE ID?",
            "Decline {number} suggested FIDE IDs?",
            "number",
        ),
        button=ngettext_lazy(
            "Decline {number} suggestion", "Decline {number} suggestions", "number"
        ),
        done=ngettext_lazy(
            "{number} suggestion declined", "{number} suggestions declined", "number"
        ),
        look=_build_preview(_declining_preview),
        do=_decline,
        after=no_rating_change_lines,
    ),
}
register_bulk_actions(LIST, PERMISSION, ACTIONS)
