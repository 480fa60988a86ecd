"""Our choices where the texts conflict or are silent, with reasons."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Decision:
    """A choice where the texts conflict or are silent."""

    title: str
    choice: str
    reason: str


DECISIONS: tuple[tuple[str, tuple[Decision, ...]], ...] = (
    (
        "Days and editions",
        (
            Decision(
                "Start day or end day",
                "The section's start day picks the rules, for every change.",
                "The history list says so in words. The office is known to have "
                "applied the bonus changes of 2017 and 2023 by the day an event ended, "
                "so a section that began before such a day and ended after it may have "
                "been rated otherwise at the time.",
            ),
            Decision(
                "Days printed as ??",
                "A day missing in the 2020 text is taken from the text of February "
                "2025. If both print a year only, the rule holds from January 1 of it.",
                "The newer text is by the same authors and was written to fill the "
                "gaps. The first of January keeps the whole printed year together.",
            ),
            Decision(
                "Bonus days that differ",
                "The history list of the edition in use decides (6 in 2008, 8 in "
                "2012).",
                "An edition must give the result its own text gives.",
            ),
            Decision(
                "Effective games and lower K in 2013",
                "From May 8, 2013.",
                "Both history lists print this day for the formula. An announcement of "
                "May 13, 2013 spoke of events that end from May 18 on and named the "
                "lower K above 2200 with it; the list is followed for both.",
            ),
            Decision(
                "First days of the 2020 conversions",
                "The FIDE, youth and CFC conversions of the 2020 text hold from June "
                "1, 2020.",
                "Their first day is printed nowhere. Blending begins on June 1, 2020 "
                "and was run with these formulas; before it the order of precedence "
                "between the sources is not known, so an earlier day would serve "
                "nothing.",
            ),
            Decision(
                "Three games with an opponent met twice",
                "No bonus for such a player in sections that start on February 10, "
                "2025 or later, by the editions of 2025; never by the 2020 text.",
                "The clause is in the body of the 2025 text, without a day and without "
                "a line in the history list. The text's own day is the first on which "
                "it can have been known.",
            ),
            Decision(
                "Money floors",
                "The smallest prize is $4,000 for prizes from January 1, 2018 and "
                "$2,000 from March 1, 2006.",
                "Both texts print $4,000 without a day. It was raised before 2018, "
                "from $2,000 set in March 2006; the exact days are not known.",
            ),
            Decision(
                "Match limits",
                "50 points in a match and 100 in 180 days hold from January 1, 2006; "
                "200 in three years and the gap of 400 always.",
                "The first two came with the match rules of 2006, the others are "
                "older.",
            ),
        ),
    ),
    (
        "Special formula",
        (
            Decision(
                "Which zero",
                "The result is the zero of the objective function nearest to the "
                "adjusted prior R0′, then at most 2700. This holds in every edition.",
                "The function never falls, so its zeros are one point or one interval. "
                "A search from R0′ ends at the nearest one. The weighted average that "
                "the older texts start from can end elsewhere when N′ = 0, although "
                "they say that both starts agree and that the office's program begins "
                "at R0′. The July 2025 text settles it for R0′. Example: "
                "prior 750 with N = 0, a loss to 2000 and a win against 100 give 750, "
                "not 1050; prior 1300 with N = 0, a loss to 2300 and a win against 100 "
                "give 1300, not 1200.",
            ),
            Decision(
                "How it is solved",
                "Exactly, from the knots of the function; no iteration, and no "
                "comparison of |M − Ri| with 400.",
                "Copied step by step into floating-point numbers, the printed search "
                "goes wrong by up to 648 points about once in 2,000 random cases.",
            ),
            Decision(
                "“More than 8 games”",
                "The count of games N decides between the formulas, never the "
                "effective games N′.",
                "Section 1 says so for the standard formula.",
            ),
            Decision(
                "All wins or all losses",
                "Looked at in each system by itself. An unrated player with an "
                "assigned N has neither.",
                "The systems have no connection but the initial rating; an assigned N "
                "stands for games whose results are not known.",
            ),
        ),
    ),
    (
        "Initial ratings",
        (
            Decision(
                "Rounding",
                "The blend is rounded to a whole number, halves up; the age-based "
                "start is not.",
                "Section 2 rounds the one and says nothing of the other, and the "
                "paper's example keeps decimals in its age-based figures. The average "
                "is taken relative to the first source, because a plain weighted "
                "average of floating-point numbers can put an exact half just below "
                "itself.",
            ),
            Decision(
                "The day of a source",
                "A US Chess rating counts as computed on the end day of the section it "
                "came from; for FIDE it is the standard list in force on the end day "
                "of the section being rated.",
                "The texts say “when that rating was computed” and no more. A day of "
                "computation inside the office changes with each rerate, the end day "
                "does not.",
            ),
            Decision(
                "The age-based figure of a source (P)",
                "Section 2.3 at the day of the source, with its rule for a missing "
                "birth date or an age under 3, also for days before birth.",
                "Section 2 refers to section 2.3 as a whole, and that section treats "
                "an impossible age as a mistake in the birth date.",
            ),
            Decision(
                "Game Factors of FIDE and CFC",
                "Always 10 or 5 (FIDE, above or up to 2000) and 5 (CFC).",
                "Only US Chess sources are limited by the games credited: the text "
                "says “credited under the system”, and foreign game counts are not "
                "kept.",
            ),
            Decision(
                "Which conversion",
                "The one in force on the start day of the section being rated.",
                "It is a rule like any other.",
            ),
            Decision(
                "Steps in the conversions",
                "The printed pieces are used unchanged, although they do not meet: "
                "FIDE 2000 gives 2060.4 and 2001 gives 2061.02. A boundary belongs to "
                "the piece whose sign (≤ or ≥) includes it.",
                "The text is the rule.",
            ),
            Decision(
                "Games of an unrated player",
                "After the section N is the assigned N plus the games played; before "
                "it the player is shown as unrated, always.",
                "Section 7 adds the games to N. A starting value can give away a birth "
                "date.",
            ),
            Decision(
                "Dual-rated sections",
                "Both systems are rated from the states before the section; neither "
                "result starts the other.",
                "Both results are computed on the same day; using one for the other "
                "would make the outcome depend on the order of the two.",
            ),
        ),
    ),
    (
        "Floors",
        (
            Decision(
                "When a floor acts",
                "Personal, peak, Life Master, money and office floors act once, after "
                "step 5. Between the steps only the 100 of the text acts.",
                "The text names 100 alone in steps 3, 4 and 5. In published "
                "crosstables, 47 of 47 opponents of floored players fit this reading "
                "and 15 of 47 the other.",
            ),
            Decision(
                "What counts as an event for the absolute floor",
                "A section in which the player completed three rated games; games in "
                "two sections of one event are not added up.",
                "The text speaks of events, but a section is the unit of rating, may "
                "be rated days before its sister section, and its result must not "
                "depend on one that is still to come. It makes a point or two for a "
                "player below 150.",
            ),
            Decision(
                "Personal absolute floor",
                "Over the board only, in each system by itself, with the wins, draws "
                "and rounds of the event being rated counted in. Online it is 100.",
                "Section 5 restricts it to ratings over the board; member records show "
                "one for each system.",
            ),
            Decision(
                "Peak floors",
                "In all six systems, each from its own established post-event ratings, "
                "not from published ones.",
                "Section 5 says “highest attained established rating” and, unlike for "
                "the Life Master floor, names no system.",
            ),
            Decision(
                "Money floors of provisional players",
                "A prize makes a floor only in a system in which the player began the "
                "section with an established rating, on every day. The value "
                "`money_floor_needs_established` is dated: with an entry of “no”, "
                "sections that start from its day on make a floor of a provisional "
                "rating too, as the text alone would have it.",
                "Section 5 asks for no established rating. The office is reported to "
                "have entered money floors for established players only, and none of a "
                "provisional player is known, so the practice stays.",
            ),
            Decision(
                "Games for the original Life Master title",
                "Games of sections begun with an established Regular rating above "
                "2200. Matches and foreign events do not count. Two other readings are "
                "values of `olm_reading`: begun at 2200 or above, and ended at 2200 or "
                "above before a floor acts. The office's page of Life Masters shows "
                "whose title each of them would grant or remove.",
                "Section 5 says “above 2200” and “rated games”. The rules of the title "
                "leave out matches, and a foreign event is not US Chess rated. A "
                "program of the office is described as counting by the rating after "
                "the event, and the forum has 2200 itself counted; "
                "neither is in the text.",
            ),
            Decision(
                "Two starting ratings of one person",
                "When members are merged who both have a rating from before our "
                "records in one system, the earlier starting rating counts. The later "
                "one replaces it if it rests on at least as many games as the rating "
                "has by then; otherwise it is left out.",
                "A starting rating covers a whole career. One on fewer games is that "
                "of a second number, and would take away games that were played.",
            ),
            Decision(
                "Life Master and money floors",
                "The Life Master floor acts in over-the-board regular only; a money "
                "floor in the systems its section was rated in.",
                "The first is printed; for the second the prize was won at those "
                "speeds.",
            ),
        ),
    ),
    (
        "Matches",
        (
            Decision(
                "A floor in a match",
                "The floor holds, and the result is marked as a request to lower it. "
                "If the office grants the request, the floor is 100 points lower and "
                "the match is rated again.",
                "Section 7 makes such a result a request, not a lower rating; until "
                "the office decides, the old floor is the only one.",
            ),
            Decision(
                "A rise or fall of more than 50",
                "The change in one match is cut to 50 points either way, before floor "
                "and ceiling.",
                "Section 7 limits the change itself.",
            ),
            Decision(
                "The windows of 180 days and three years",
                "They end on the last day of the match and count earlier matches by "
                "their last days: that of the section, if an event held more than the "
                "match. A match exactly 180 days, or three years, earlier no longer "
                "counts.",
                "Matches are rated in the order of these days. By the end of a longer "
                "event a match could be rated before another, and neither would count "
                "toward the other's limits.",
            ),
            Decision(
                "Beyond a limit",
                "Such a match is rated with what the limits leave. Who may play (both "
                "established and published, at most 400 apart, 1 to 20 games) can be "
                "waived by the office with a reason; the limits cannot.",
                "Section 7 limits the change and not the match.",
            ),
            Decision(
                "Decided once and checked again",
                "Who may play is decided when the report is accepted. The limits on "
                "change are applied again in each rerate.",
                "The first rests on published ratings, which never change; the second "
                "on ratings that a rerate may change.",
            ),
        ),
    ),
    (
        "Foreign events",
        (
            Decision(
                "Established",
                "The Regular rating must be established at the event's place in the "
                "rating order, after everything that ended by the event's last day. "
                "Each rerate checks this again. A result of a member who is not "
                "established there stays unrated until a rerate finds otherwise; games "
                "played later do not count.",
                "Section 6 speaks of established ratings and names no day. The result "
                "is rated at that place, so the rating it updates is the one that has "
                "to be established, whenever the result is entered.",
            ),
            Decision(
                "Membership",
                "It is checked on the event's last day and on the first day of the "
                "FIDE list that holds the event.",
                "Section 6 speaks of current members each time a list is produced, and "
                "names no day.",
            ),
            Decision(
                "Decided once",
                "Membership, flag, FIDE rating, opting in, opponents' ratings, games "
                "known twice and the speed of the games are decided when the office "
                "makes a result ready. A rerate does not check them again.",
                "They are facts about a day that no rerate changes. If one of them was "
                "wrong, the office corrects the result or leaves it out, and that "
                "leaves a pending rerate.",
            ),
            Decision(
                "2200 and the flag",
                "Both are those of the FIDE list in force on the event's first day; "
                "exactly 2200 is enough.",
                "Others have to opt in before the event begins, so all members "
                "must be able to know by then on which side of the limit they are.",
            ),
            Decision(
                "Opting in",
                "The opt-in must lie on a day before the first day of the event.",
                "Section 6 says in advance of the event; on the day itself the "
                "order cannot be known.",
            ),
            Decision(
                "Residents with another flag",
                "They need a decision of the office, and under FIDE 2200 an opt-in as "
                "well. A member whom FIDE does not know yet has no other flag.",
                "Section 6 lets the office include them and asks all members under "
                "2200 to opt in.",
            ),
            Decision(
                "Opponents' ratings",
                "Those of the FIDE list in force on the event's first day. A rating "
                "that a report states counts only where that list cannot tell.",
                "It is the list FIDE rates the event with.",
            ),
            Decision(
                "Floors and ceilings",
                "They act as in a section, and the games count toward the absolute "
                "floor.",
                "The text excepts foreign events from neither.",
            ),
        ),
    ),
    (
        "Time controls",
        (
            Decision(
                "Shortest first control",
                "At least 5 minutes in quick, dual and regular sections and 3 in "
                "blitz; otherwise the section is not rated, at any date.",
                "Office practice; the paper's footnote only gives totals, and its "
                "example G/3+2 is blitz.",
            ),
            Decision(
                "Online",
                "30 or more is online regular; there is no dual rating.",
                "The footnote speaks of dual rating for the quick and regular ratings "
                "over the board only.",
            ),
            Decision(
                "Seconds in old time controls",
                "Minutes and seconds are added on every day.",
                "The texts write every range that way. In the years before 2013 a "
                "delay was not counted, so the systems that an old section was really "
                "rated in are stored with it and the ranges are not asked again.",
            ),
            Decision(
                "Before 2004",
                "Quick began at 10 and regular at 30.",
                "The list says only that 2004 extended quick to 5; 10 is the lower end "
                "of the rulebook of that time.",
            ),
        ),
    ),
)
