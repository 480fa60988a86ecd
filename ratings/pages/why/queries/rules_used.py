"""The rules used in one calculation, with their first days and sources."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from ratings.engine.explanation import Explanation, FormulaReason
from ratings.engine.initialization import BY_AGE, Basis
from ratings.engine.inputs import Kind, RatingInput
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import PARAMETERS, Rules
from ratings.engine.systems import Body
from ratings.pages.why.rule_names import NAMES
from ratings_site.common.ui.formatting import format_constant, format_day

ALWAYS = ("effective_games", "lowest_rating", "established_after", "special_up_to")
STANDARD = (
    "expectancy_scale",
    "k_numerator",
    "bonus_multiplier",
    "bonus_from_games",
    "bonus_counts_at_least",
    "bonus_meetings",
    "three_game_repeat_clause",
)
SPECIAL = ("provisional_reach", "special_cap")
CONVERSIONS = ((Body.FIDE, "fide_conversion"), (Body.CFC, "cfc_conversion"))
MATCH = ("match_limit", "match_limit_180_days", "match_limit_3_years")


def rules_used(
    why: Explanation, rating_input: RatingInput, rules: Rules
) -> list[tuple[str, str, str, str]]:
    """Return name, value, first day and source of every rule used."""
    return rows_of(_names_of_rules(why, rating_input), rules)


def rows_of(names: Iterable[str], rules: Rules) -> list[tuple[str, str, str, str]]:
    """Return name, value, first day and source of these rules, if any."""
    rows = []
    for name in names:
        dated = PARAMETERS[name]
        try:
            entry = dated.entry(rules.day, rules.edition)
        except NoRuleInForce:
            continue
        since = _("always") if entry.day is None else format_day(entry.day)
        rows.append((str(NAMES[name]), _value(entry.value), since, _(entry.source)))
    return rows


def _names_of_rules(why: Explanation, rating_input: RatingInput) -> list[str]:
    names = list(ALWAYS)
    final = why.final
    if final is not None and final.standard is not None:
        names += STANDARD
        if final.standard.is_lower_k:
            names += ["lower_k_when_dual", "lower_k"]
    elif final is not None:
        names += SPECIAL
    if why.reason in (FormulaReason.ONLY_WINS, FormulaReason.ONLY_LOSSES):
        names.append("special_shift")
    if why.start.basis is Basis.BLEND:
        sources = {share.source.source for share in why.start.shares}
        names += ["blend", *(name for one, name in CONVERSIONS if one in sources)]
    if why.start.basis in BY_AGE:
        names += ["age_start", "first_estimate_games"]
    if rating_input.kind is Kind.MATCH:
        names += MATCH
    return names


def _value(value: object) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, int | float):
        return format_constant(value)
    return _("formula")
