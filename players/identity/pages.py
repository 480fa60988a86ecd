"""Bulk actions on suspected duplicates: merge or mark as separate, with a preview."""

from collections.abc import Iterable, Iterator, Sequence

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from players.identity.queries import SuspectedPair, differences, suspected_pairs
from players.identity.services import (
    MERGE,
    PERMISSION,
    mark_not_duplicates,
    merge_players,
    refusals_of,
)
from players.members.queries import names_of
from ratings_site.common.approvals.bulk_actions import (
    BulkAction,
    ChosenRow,
    DoneRow,
    PreviewedRows,
    RefusedRow,
    register_bulk_actions,
)
from ratings_site.common.approvals.preview import PreviewLine, no_rating_change_lines
from ratings_site.common.approvals.queries import pending_approvals
from ratings_site.common.models import PendingAct, User

PairIds = tuple[int, int]


def _parse_key(key: str) -> PairIds:
    """Return the IDs to keep and to merge; an incomplete key gives 0."""
    first, _colon, second = key.partition(":")
    return int(first), int(second) if second.isdecimal() else 0


def _load_pairs(keys: Sequence[str]) -> tuple[list[SuspectedPair], list[RefusedRow]]:
    """Return the pairs that are still suspected; refuse the others."""
    asked = [_parse_key(key) for key in keys]
    pairs = {
        (pair.first.pk, pair.second.pk): pair
        for pair in suspected_pairs([first for first, _second in asked])
    }
    gone = [numbers for numbers in asked if numbers not in pairs]
    names = names_of([first for first, _second in gone])
    sentence = _("This pair has changed. Check it again.")
    return (
        [pairs[numbers] for numbers in asked if numbers in pairs],
        [RefusedRow(names.get(first, _("Member")), sentence) for first, _s in gone],
    )


def _row(pair: SuspectedPair, effects: Iterable[PreviewLine]) -> ChosenRow:
    ids = pair.first.member_id, pair.second.member_id
    return ChosenRow(
        key=pair.key,
        name=pair.first.name,
        about=_("{first} and {second}").format(first=ids[0], second=ids[1]),
        url=reverse("players_office:pair", args=ids),
        effects=(*effects, *_match_preview(pair)),
    )


def _match_preview(pair: SuspectedPair) -> Iterator[PreviewLine]:
    """Preview the reasons, with a warning if a birth date is missing."""
    is_guess = not (pair.first.birth_date and pair.second.birth_date)
    sentence = _("Why: {reasons}.").format(reasons="; ".join(pair.reasons))
    yield PreviewLine("why", sentence, "warning" if is_guess else "")


# Merging


def _preview_merging(keys: Sequence[str], actor: User) -> PreviewedRows:
    pairs, left_out = _load_pairs(keys)
    against = refusals_of([(pair.first, pair.second) for pair in pairs])
    proposed = {
        (act.payload["player_id"], act.payload["merged_id"])
        for act in pending_approvals().filter(kind=MERGE)
    }
    rows = []
    for pair, sentences in zip(pairs, against, strict=True):
        if (pair.first.pk, pair.second.pk) in proposed:
            sentences = [_("Already proposed. It’s waiting for a second approval.")]
        row = _row(pair, _merging_preview(pair))
        if sentences:
            left_out.append(RefusedRow(row.name, " ".join(sentences), row.url))
        else:
            rows.append(row)
    return rows, left_out


def _merging_preview(pair: SuspectedPair) -> Iterator[PreviewLine]:
    kept, merged = pair.first, pair.second
    sentence = _("{merged} is merged into {kept}.")
    yield PreviewLine(
        "merged", sentence.format(merged=merged.member_id, kept=kept.member_id)
    )
    if merged.fide_id:
        yield PreviewLine(
            "fide_id",
            _("FIDE ID {fide_id} moves to the kept record.").format(
                fide_id=merged.fide_id
            ),
        )
    if kept.account_id and merged.account_id:
        yield PreviewLine(
            "accounts",
            _(
                "Both have an account. The merged member’s account will open the kept "
                "member."
            ),
            "note",
        )
    if differs := differences(kept, merged):
        yield PreviewLine("differ", " ".join(differs), "warning")
        yield PreviewLine("proposed", _("This merge needs a second approval."), "note")


def _after_merging() -> Sequence[PreviewLine]:
    return (
        PreviewLine(
            "kept",
            _(
                "We keep the older record of each pair. To keep the other one, open "
                "the pair and merge it there."
            ),
        ),
        PreviewLine(
            "rerate",
            _(
                "Games and ratings don’t change now. A pending rerate is added, and "
                "after it all games count for one person."
            ),
        ),
        PreviewLine("undone", _("You can undo all of this.")),
    )


def _merge(row: ChosenRow, actor: User, reason: str) -> DoneRow:
    kept, merged = _parse_key(row.key)
    done = merge_players(kept_id=kept, merged_id=merged, actor=actor, reason=reason)
    if isinstance(done, PendingAct):
        note = _("waiting for second approval")
        return DoneRow(row.name, note, reverse("office:approval", args=[done.pk]))
    note = _("{merged} merged into {kept}").format(
        merged=done.merged.member_id, kept=done.kept.member_id
    )
    return DoneRow(row.name, note, done.kept.get_absolute_url())


# Marking as separate


def _preview_not_duplicates(keys: Sequence[str], actor: User) -> PreviewedRows:
    pairs, left_out = _load_pairs(keys)
    effect = PreviewLine("apart", _("They stay separate and won’t be listed again."))
    return [_row(pair, [effect]) for pair in pairs], left_out


def _mark_not_duplicates(row: ChosenRow, actor: User, reason: str) -> DoneRow:
    first, second = _parse_key(row.key)
    mark_not_duplicates(first_id=first, second_id=second, actor=actor, reason=reason)
    return DoneRow(row.name, row.about)


LIST = "players_office:duplicates"
ACTIONS = {
    "merge": BulkAction(
        asks=ngettext_lazy("Merge {number} pair?", "Merge {number} pairs?", "number"),
        button=ngettext_lazy("Merge {number} pair", "Merge {number} pairs", "number"),
        done=ngettext_lazy(
            "{number} pair merged or sent for approval",
            "{number} pairs merged or sent for approval",
            "number",
        ),
        look=_preview_merging,
        do=_merge,
        after=_after_merging,
    ),
    "apart": BulkAction(
        asks=ngettext_lazy(
            "Mark {number} pair as not duplicates?",
            "Mark {number} pairs as not duplicates?",
            "number",
        ),
        button=ngettext_lazy("Mark {number} pair", "Mark {number} pairs", "number"),
        done=ngettext_lazy(
            "{number} pair marked as not duplicates",
            "{number} pairs marked as not duplicates",
            "number",
        ),
        look=_preview_not_duplicates,
        do=_mark_not_duplicates,
        after=no_rating_change_lines,
    ),
}
register_bulk_actions(LIST, PERMISSION, ACTIONS)
