"""The sentences for why a row of ratings is not taken."""

from django.utils.translation import gettext_lazy

COLUMNS = {
    "system": gettext_lazy("System"),
    "rating": gettext_lazy("Rating"),
    "games": gettext_lazy("Games"),
    "as_of": gettext_lazy("As of"),
    "record": gettext_lazy("Record"),
    "wins": gettext_lazy("Wins"),
    "draws": gettext_lazy("Draws"),
    "losses": gettext_lazy("Losses"),
    "three_game_events": gettext_lazy("Events of three games"),
    "peak": gettext_lazy("Peak"),
    "floor": gettext_lazy("Floor"),
    "floor_kind": gettext_lazy("Kind of floor"),
    "floor_from": gettext_lazy("Floor from"),
    "floor_evidence": gettext_lazy("Evidence"),
}

SENTENCES = {
    "system_unknown": gettext_lazy(
        "“{cell}” is no rating system. Write OTBR, OTBQ, OTBB, OLR, OLQ, OLB, FIDE or "
        "CFC."
    ),
    "rating_out_of_range": gettext_lazy(
        "A rating lies between 100 and 3500, and {cell} does not."
    ),
    "rating_without_games": gettext_lazy(
        "The rating rests on no games. An unrated member needs no row."
    ),
    "more_results_than_games": gettext_lazy(
        "Wins, draws and losses are {cell} together, and the games only {games}."
    ),
    "day_out_of_range": gettext_lazy(
        "{column}: {cell} lies before the first ratings, or is still to come."
    ),
    "record_unknown": gettext_lazy(
        "Record: “{cell}” is not known. Write mixed, all wins or all losses."
    ),
    "floor_kind_unknown": gettext_lazy(
        "Kind of floor: “{cell}” is not known. Write office, money or life master."
    ),
    "floor_not_possible": gettext_lazy(
        "There is no such floor: {cell}. A granted floor is at a hundred, up to 2200; "
        "a money floor up to 2000; that of a Life Master is 2200 in the Regular system."
    ),
    "member_unknown": gettext_lazy(
        "No member has the ID “{cell}”. Take in the members first."
    ),
    "rating_twice": gettext_lazy(
        "Line {line} has a rating of this member in this system already."
    ),
    "rated_already": gettext_lazy(
        "The member is rated already, with {cell}. What is in the books is corrected "
        "by an adjustment."
    ),
    "needs_a_person": gettext_lazy(
        "A granted floor names who entered it. Say who it is: --by and a user name."
    ),
    "totals_differ": gettext_lazy(
        "The totals of the books would not be those of the file: {cell}. Nothing was "
        "entered."
    ),
}
