"""Suspected duplicates, several at once: what merging them does, what telling apart."""

from collections.abc import Iterable, Iterator, Sequence

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from players.identity.queries import SuspectedPair, differences, suspected_among
from players.identity.services import (
    MERGE,
    merge_players,
    refusals_of,
    tell_apart,
)
from players.members.queries import names_of
from ratings_site.common.acts.effects import Effect
from ratings_site.common.acts.pages import ActOnSeveral, Looked
from ratings_site.common.acts.queries import waiting_acts
from ratings_site.common.acts.several import ChosenRow, DoneRow, RefusedRow
from ratings_site.common.models import PendingAct, User

Numbers = tuple[int, int]


def _numbers(key: str) -> Numbers:
    """Return who is kept and who is merged; an unfinished key names nobody."""
    first, _colon, second = key.partition(":")
    return int(first), int(second) if second.isdecimal() else 0


def _found(keys: Sequence[str]) -> tuple[list[SuspectedPair], list[RefusedRow]]:
    """Return the pairs that are suspected still, and the others as left out."""
    asked = [_numbers(key) for key in keys]
    pairs = {
        (pair.first.pk, pair.second.pk): pair
        for pair in suspected_among([first for first, _second in asked])
    }
    gone = [numbers for numbers in asked if numbers not in pairs]
    names = names_of([first for first, _second in gone])
    sentence = _("They are not suspected now as they were listed: look at them again.")
    return (
        [pairs[numbers] for numbers in asked if numbers in pairs],
        [RefusedRow(names.get(first, _("Somebody")), sentence) for first, _s in gone],
    )


def _row(pair: SuspectedPair, effects: Iterable[Effect]) -> ChosenRow:
    ids = pair.first.member_id, pair.second.member_id
    return ChosenRow(
        key=pair.key,
        name=pair.first.name,
        about=_("{first} and {second}").format(first=ids[0], second=ids[1]),
        url=reverse("players_office:pair", args=ids),
        effects=(*effects, *_of_likeness(pair)),
    )


def _of_likeness(pair: SuspectedPair) -> Iterator[Effect]:
    """Say why they are suspected, with a mark where a birth date is missing."""
    is_guess = not (pair.first.birth_date and pair.second.birth_date)
    sentence = _("Why: {reasons}.").format(reasons="; ".join(pair.reasons))
    yield Effect("why", sentence, "warning" if is_guess else "")


# Merging


def _look_at_merging(keys: Sequence[str], actor: User) -> Looked:
    pairs, left_out = _found(keys)
    against = refusals_of([(pair.first, pair.second) for pair in pairs])
    proposed = {
        (act.payload["player_id"], act.payload["merged_id"])
        for act in waiting_acts().filter(kind=MERGE)
    }
    rows = []
    for pair, sentences in zip(pairs, against, strict=True):
        if (pair.first.pk, pair.second.pk) in proposed:
            sentences = [_("It is proposed already, and waits for a second person.")]
        row = _row(pair, _of_merging(pair))
        if sentences:
            left_out.append(RefusedRow(row.name, " ".join(sentences), row.url))
        else:
            rows.append(row)
    return rows, left_out


def _of_merging(pair: SuspectedPair) -> Iterator[Effect]:
    kept, merged = pair.first, pair.second
    sentence = _("{merged} goes on as {kept}.")
    yield Effect(
        "merged", sentence.format(merged=merged.member_id, kept=kept.member_id)
    )
    if merged.fide_id:
        yield Effect(
            "fide_id",
            _("FIDE ID {fide_id} comes along.").format(fide_id=merged.fide_id),
        )
    if kept.account_id and merged.account_id:
        yield Effect(
            "accounts",
            _("Both have an account. The merged one leads to the kept one."),
            "note",
        )
    if differs := differences(kept, merged):
        yield Effect("differ", " ".join(differs), "warning")
        yield Effect(
            "proposed",
            _("It becomes a proposal: a second person has to approve the merge."),
            "note",
        )


def _after_merging() -> Sequence[Effect]:
    return (
        Effect(
            "kept",
            _(
                "The older record of each is kept. To keep the other, leave the pair "
                "out and open it."
            ),
        ),
        Effect(
            "rerate",
            _(
                "No game and no rating moves now. What was played under either number "
                "counts for one person after the next rerate, which is marked."
            ),
        ),
        Effect("undone", _("All of it can be undone.")),
    )


def _merge(row: ChosenRow, actor: User, reason: str) -> DoneRow:
    kept, merged = _numbers(row.key)
    done = merge_players(kept_id=kept, merged_id=merged, actor=actor, reason=reason)
    if isinstance(done, PendingAct):
        note = _("proposed: waits for a second person")
        return DoneRow(row.name, note, reverse("office:approval", args=[done.pk]))
    note = _("{merged} goes on as {kept}").format(
        merged=done.merged.member_id, kept=done.kept.member_id
    )
    return DoneRow(row.name, note, done.kept.get_absolute_url())


# Telling apart


def _look_at_telling_apart(keys: Sequence[str], actor: User) -> Looked:
    pairs, left_out = _found(keys)
    effect = Effect("apart", _("They stay two members, and are not suspected again."))
    return [_row(pair, [effect]) for pair in pairs], left_out


def _tell_apart(row: ChosenRow, actor: User, reason: str) -> DoneRow:
    first, second = _numbers(row.key)
    tell_apart(first_id=first, second_id=second, actor=actor, reason=reason)
    return DoneRow(row.name, row.about)


def _after_telling_apart() -> Sequence[Effect]:
    return (
        Effect("nothing_moves", _("No rating changes.")),
        Effect("alone", _("Nobody else has to agree.")),
    )


ACTS: dict[str, ActOnSeveral] = {
    "merge": ActOnSeveral(
        asks=ngettext_lazy("Merge {number} pair?", "Merge {number} pairs?", "number"),
        button=ngettext_lazy("Merge {number} pair", "Merge {number} pairs", "number"),
        done=ngettext_lazy(
            "{number} pair is merged or proposed",
            "{number} pairs are merged or proposed",
            "number",
        ),
        look=_look_at_merging,
        do=_merge,
        after=_after_merging,
    ),
    "apart": ActOnSeveral(
        asks=ngettext_lazy(
            "Is {number} pair two people?", "Are {number} pairs two people?", "number"
        ),
        button=ngettext_lazy(
            "{number} pair is two people", "{number} pairs are two people", "number"
        ),
        done=ngettext_lazy(
            "{number} pair is told apart", "{number} pairs are told apart", "number"
        ),
        look=_look_at_telling_apart,
        do=_tell_apart,
        after=_after_telling_apart,
    ),
}
