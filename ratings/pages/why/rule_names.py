"""The names and sources of the rules, marked for translation.

The engine has no translations; a test compares these with the engine's.
"""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

NAMES = {
    "effective_games": _("Effective-games formula"),
    "lowest_rating": _("Lowest rating after each step"),
    "established_after": _("Most games of a rating that is not established"),
    "special_up_to": _("Most games for the special formula"),
    "expectancy_scale": _("Scale of the standard winning expectancy"),
    "k_numerator": _("Numerator of K"),
    "bonus_multiplier": _("Bonus multiplier"),
    "bonus_from_games": _("Fewest games for a bonus"),
    "bonus_counts_at_least": _("Fewest games counted in the bonus threshold (m′)"),
    "bonus_meetings": _("Most games against one opponent with a bonus"),
    "three_game_repeat_clause": _(
        "No bonus for three games with an opponent met twice"
    ),
    "lower_k_when_dual": _("Lower K above 2200 in dual-rated sections"),
    "lower_k": _("Formula of the lower K"),
    "provisional_reach": _("Reach of the provisional winning expectancy"),
    "special_cap": _("Highest result of the special formula"),
    "special_shift": _("Shift of the prior after only wins or only losses"),
    "blend": _("Weighting of the blended initial rating"),
    "fide_conversion": _("FIDE conversion"),
    "cfc_conversion": _("CFC conversion"),
    "age_start": _("Age-based initial rating"),
    "first_estimate_games": _("Effective games in step 3"),
    "match_limit": _("Largest change in one match"),
    "match_limit_180_days": _("Largest net change by matches in 180 days"),
    "match_limit_3_years": _("Largest net change by matches in 3 years"),
    "foreign_automatic_from": _(
        "Lowest FIDE rating updated for foreign events without opting in"
    ),
    "youth_conversion": _("FIDE conversion for opponents in foreign youth events"),
}
SOURCES = (
    gettext_noop("2020 and 2025 papers, section 1"),
    gettext_noop("2020 and 2025 papers, section 2.3; section 8 gives the year only"),
    gettext_noop("2020 and 2025 papers, section 4.1"),
    gettext_noop("2020 and 2025 papers, section 4.2"),
    gettext_noop(
        "2020 and 2025 papers, section 4.2; office announcement of May 13, 2013"
    ),
    gettext_noop("2020 and 2025 papers, section 6"),
    gettext_noop("2020 and 2025 papers, section 7"),
    gettext_noop("2020 and 2025 papers, section 7; 2006 match rules"),
    gettext_noop("2020 and 2025 papers, section 8"),
    gettext_noop("2020 and 2025 papers, sections 1 and 4.1"),
    gettext_noop("2020 and 2025 papers, sections 1 and 5"),
    gettext_noop("2020 and 2025 papers, sections 3 and 8"),
    gettext_noop("2020 paper, section 2.1; first day not printed"),
    gettext_noop("2020 paper, section 2.2; first day not printed"),
    gettext_noop("2020 paper, section 4.2"),
    gettext_noop("2020 paper, section 6; first day not printed"),
    gettext_noop("2020 paper, section 8"),
    gettext_noop("2025 paper, section 4.2"),
    gettext_noop("2025 paper, section 6"),
    gettext_noop("2025 paper, section 8"),
    gettext_noop("2025 paper, section 8: 6 “from 10”"),
    gettext_noop("2025 paper, sections 2 and 8; 2020 paper, section 2"),
    gettext_noop("2025 paper, sections 2.1 and 8"),
    gettext_noop("2025 paper, sections 2.2 and 8"),
    gettext_noop("2025 paper, sections 4.2 and 8"),
    gettext_noop("July 2025 paper, sections 4.2 and 8"),
)
