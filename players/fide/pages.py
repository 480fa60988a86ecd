"""Suggested FIDE IDs, several at once: what linking them does, and what declining."""

from collections.abc import Callable, Iterable, Sequence

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from players.fide.queries import Suggestion, certain_links, suggestions_of
from players.fide.services.links import decline_link, link_fide_id
from players.members.queries import names_of
from ratings_site.common.acts.effects import Effect
from ratings_site.common.acts.pages import ActOnSeveral, Looked
from ratings_site.common.acts.several import (
    MOST_AT_ONCE,
    ChosenRow,
    DoneRow,
    RefusedRow,
)
from ratings_site.common.models import User

Says = Callable[[Suggestion], Iterable[Effect]]


def _look(says: Says) -> Callable[[Sequence[str], User], Looked]:
    """Return the function that says of each suggestion what will happen."""

    def look(keys: Sequence[str], actor: User) -> Looked:
        ids = {key: int(key.partition(":")[0]) for key in keys}
        found = suggestions_of(ids.values())
        lines = [_line(found[key], says) for key in keys if key in found]
        gone = [key for key in keys if key not in found]
        names = names_of([ids[key] for key in gone])
        sentence = _("It is not suggested now as it was listed: look at it again.")
        return lines, [
            RefusedRow(names.get(ids[key], _("Somebody")), sentence) for key in gone
        ]

    return look


def _line(one: Suggestion, says: Says) -> ChosenRow:
    return ChosenRow(
        key=one.key,
        name=one.player.name,
        about=one.player.member_id,
        url=reverse(
            "players_office:link", args=[one.player.member_id, one.fide.fide_id]
        ),
        effects=(*says(one), _evidence(one)),
    )


def _evidence(one: Suggestion) -> Effect:
    level = {"strong": "", "fair": "note", "weak": "warning"}[one.strength]
    sentence = _("Match {score}: {evidence}.").format(
        score=one.score, evidence=", ".join(one.evidence)
    )
    return Effect("evidence", sentence, level)


def _of_linking(one: Suggestion) -> Iterable[Effect]:
    listed = one.fide
    sentence = (
        _("Gets FIDE ID {fide_id}: {name}, {federation}, rated {rating}.")
        if listed.rating
        else _("Gets FIDE ID {fide_id}: {name}, {federation}, unrated.")
    )
    yield Effect(
        "linked",
        sentence.format(
            fide_id=listed.fide_id,
            name=listed.name,
            federation=listed.federation,
            rating=listed.rating,
        ),
    )


def _of_declining(one: Suggestion) -> Iterable[Effect]:
    yield Effect(
        "declined",
        _("FIDE ID {fide_id}, {name}, is not suggested for them again.").format(
            fide_id=one.fide.fide_id, name=one.fide.name
        ),
    )


def _after_linking() -> Sequence[Effect]:
    return (
        Effect(
            "ratings",
            _(
                "The ratings of all stored lists count for them, and a rerate may be "
                "marked."
            ),
        ),
        Effect("undone", _("A wrong FIDE ID can be taken away again.")),
        Effect("alone", _("Nobody else has to agree.")),
    )


def _after_declining() -> Sequence[Effect]:
    return (
        Effect("nothing_moves", _("No rating changes.")),
        Effect("alone", _("Nobody else has to agree.")),
    )


def _numbers(line: ChosenRow) -> dict[str, int]:
    player_id, fide_id, _score = line.key.split(":")
    return {"player_id": int(player_id), "fide_id": int(fide_id)}


def _link(line: ChosenRow, actor: User, reason: str) -> DoneRow:
    player = link_fide_id(**_numbers(line), actor=actor, reason=reason)
    note = _("FIDE ID {fide_id}").format(fide_id=player.fide_id)
    return DoneRow(line.name, note, player.get_absolute_url())


def _decline(line: ChosenRow, actor: User, reason: str) -> DoneRow:
    declined = decline_link(**_numbers(line), actor=actor, reason=reason)
    note = _("not FIDE ID {fide_id}").format(fide_id=declined.fide_id)
    return DoneRow(line.name, note)


def _certain(said: QueryDict) -> Sequence[str]:
    text = said.get("q", "").strip()
    return [one.key for one in certain_links(text, most=MOST_AT_ONCE + 1)]


ACTS = {
    "link": ActOnSeveral(
        asks=ngettext_lazy(
            "Link {number} member with their FIDE ID?",
            "Link {number} members with their FIDE IDs?",
            "number",
        ),
        button=ngettext_lazy("Link {number} member", "Link {number} members", "number"),
        done=ngettext_lazy(
            "{number} member is linked", "{number} members are linked", "number"
        ),
        look=_look(_of_linking),
        do=_link,
        after=_after_linking,
        every=_certain,
    ),
    "decline": ActOnSeveral(
        asks=ngettext_lazy(
            "Is {number} FIDE ID somebody else’s?",
            "Are {number} FIDE IDs somebody else’s?",
            "number",
        ),
        button=ngettext_lazy(
            "{number} is somebody else’s", "{number} are somebody else’s", "number"
        ),
        done=ngettext_lazy(
            "{number} FIDE ID is not suggested again",
            "{number} FIDE IDs are not suggested again",
            "number",
        ),
        look=_look(_of_declining),
        do=_decline,
        after=_after_declining,
    ),
}
