"""The names and sources of the rules, marked for translation.

The engine has no translations; a test compares these with the engine's.
"""

from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as _

NAMES = {
    "effective_games": gettext_lazy("Effective-games formula"),
    "lowest_rating": gettext_lazy("Lowest rating after each step"),
    "established_after": gettext_lazy("Most games of a rating that is not established"),
    "special_up_to": gettext_lazy("Most games for the special formula"),
    "expectancy_scale": gettext_lazy("Scale of the standard winning expectancy"),
    "k_numerator": gettext_lazy("Numerator of K"),
    "bonus_multiplier": gettext_lazy("Bonus multiplier"),
    "bonus_from_games": gettext_lazy("Fewest games for a bonus"),
    "bonus_counts_at_least": gettext_lazy(
        "Fewest games counted in the bonus threshold (m′)"
    ),
    "bonus_meetings": gettext_lazy("Most games against one opponent with a bonus"),
    "three_game_repeat_clause": gettext_lazy(
        "No bonus for three games with an opponent met twice"
    ),
    "lower_k_when_dual": gettext_lazy("Lower K above 2200 in dual-rated sections"),
    "lower_k": gettext_lazy("Formula of the lower K"),
    "provisional_reach": gettext_lazy("Reach of the provisional winning expectancy"),
    "special_cap": gettext_lazy("Highest result of the special formula"),
    "special_shift": gettext_lazy("Shift of the prior after only wins or only losses"),
    "blend": gettext_lazy("Weighting of the blended initial rating"),
    "fide_conversion": gettext_lazy("FIDE conversion"),
    "cfc_conversion": gettext_lazy("CFC conversion"),
    "age_start": gettext_lazy("Age-based initial rating"),
    "first_estimate_games": gettext_lazy("Effective games in step 3"),
    "match_limit": gettext_lazy("Largest change in one match"),
    "match_limit_180_days": gettext_lazy("Largest net change by matches in 180 days"),
    "match_limit_3_years": gettext_lazy("Largest net change by matches in 3 years"),
    "foreign_automatic_from": gettext_lazy(
        "Lowest FIDE rating updated for foreign events without opting in"
    ),
    "youth_conversion": gettext_lazy(
        "FIDE conversion for opponents in foreign youth events"
    ),
}
SOURCES = (
    _("2020 and 2025 papers, section 1"),
    _("2020 and 2025 papers, section 2.3; section 8 gives the year only"),
    _("2020 and 2025 papers, section 4.1"),
    _("2020 and 2025 papers, section 4.2"),
    _("2020 and 2025 papers, section 4.2; office announcement of May 13, 2013"),
    _("2020 and 2025 papers, section 6"),
    _("2020 and 2025 papers, section 7"),
    _("2020 and 2025 papers, section 7; 2006 match rules"),
    _("2020 and 2025 papers, section 8"),
    _("2020 and 2025 papers, sections 1 and 4.1"),
    _("2020 and 2025 papers, sections 1 and 5"),
    _("2020 and 2025 papers, sections 3 and 8"),
    _("2020 paper, section 2.1; first day not printed"),
    _("2020 paper, section 2.2; first day not printed"),
    _("2020 paper, section 4.2"),
    _("2020 paper, section 6; first day not printed"),
    _("2020 paper, section 8"),
    _("2025 paper, section 4.2"),
    _("2025 paper, section 6"),
    _("2025 paper, section 8"),
    _("2025 paper, section 8: 6 “from 10”"),
    _("2025 paper, sections 2 and 8; 2020 paper, section 2"),
    _("2025 paper, sections 2.1 and 8"),
    _("2025 paper, sections 2.2 and 8"),
    _("2025 paper, sections 4.2 and 8"),
    _("July 2025 paper, sections 4.2 and 8"),
)
