"""The history lists of the papers (section 8), and how each line is implemented."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RuleChange:
    """A line of the history list (section 8); None where a text lacks it."""

    in_2020: str | None
    in_2025: str | None
    change: str
    interpretation: str


AS_PRINTED = "As printed."
HISTORY_LINES = (
    RuleChange(
        "2002-??-??",
        "2002-??-??",
        "Regular sections up to 60 (minutes + seconds) are rated as quick too.",
        "From January 1, 2002, the first day of the printed year.",
    ),
    RuleChange(
        "20??-??-??",
        "20??-??-??",
        "Dual rating reaches 65.",
        "From March 1, 2013, the first dated line that changes time-control ranges. "
        "The step from 60 to 65 lets G/60 with 5 seconds stay dual.",
    ),
    RuleChange(
        "2004-??-??",
        "2004-??-??",
        "Quick rating begins at 5.",
        "From January 1, 2004, the first day of the printed year; before it at 10, "
        "which the texts do not print.",
    ),
    RuleChange(
        "2006-??-??",
        "2006-??-??",
        "The age-based initial rating changes.",
        "Today's formula from January 1, 2006. The formula before it is not printed, "
        "so earlier days have none.",
    ),
    RuleChange(
        "2008-08-07",
        "2008-06-06",
        "The bonus multiplier falls from 10 to 6.",
        "Each edition follows its own day. The value before it, 10, is taken from "
        "January 1, 2001, where the list begins.",
    ),
    RuleChange(
        "2008-08-07",
        "2008-08-07",
        "Floors of their own for very low rated players.",
        "As printed: the personal absolute floor (100 to 150), over the board only.",
    ),
    RuleChange(
        "2010-04-01",
        "2010-04-01",
        "Peak floors of 1200 and 1300; the lowest had been 1400.",
        AS_PRINTED,
    ),
    RuleChange(
        "2012-08-04",
        "2012-08-03",
        "The bonus multiplier rises to 8.",
        "Each edition follows its own day.",
    ),
    RuleChange(
        "2013-??-??",
        "2013-03-01",
        "Blitz ratings over the board; the quick range changes.",
        "From March 1, 2013 in every edition. Games of 5 to 10 were quick before.",
    ),
    RuleChange(
        "2013-05-08",
        "2013-05-08",
        "The effective-games formula gives lower values.",
        "As printed. The formula before it is not printed, so no section that started "
        "earlier can be rated again. The lower K above 2200 was announced with it and "
        "has the same first day here.",
    ),
    RuleChange(
        "2014-03-20", "2014-03-20", "The bonus multiplier rises to 10.", AS_PRINTED
    ),
    RuleChange(
        None,
        "2014-09-01",
        "Ratings are stored with decimals.",
        "Changes no formula. Whole ratings imported from before are taken as they are, "
        "and a rerate keeps decimals on every day.",
    ),
    RuleChange(
        "20??-??-??",
        "2014-10-01",
        "Online blitz ratings.",
        "From October 1, 2014 in every edition.",
    ),
    RuleChange(
        "2020-??-??",
        "2015-03-01",
        "Online quick ratings.",
        "From March 1, 2015 in every edition; the year printed in 2020 is the text's "
        "mistake, by its own successor.",
    ),
    RuleChange(
        "2015-06-01", "2015-06-01", "The bonus multiplier rises to 12.", AS_PRINTED
    ),
    RuleChange(
        "2017-06-01",
        "2017-06-01",
        "The bonus multiplier rises to 14.",
        "As printed here. Section 4.2 of the 2020 text says May 1, 2017; the list is "
        "followed because it says it is the list of first days.",
    ),
    RuleChange(
        "2020-??-??",
        "2020-06-01",
        "Online regular ratings.",
        "From June 1, 2020 in every edition.",
    ),
    RuleChange(
        None,
        "2020-06-01",
        "Initial ratings are blended from other systems.",
        "From June 1, 2020 in every edition: the 2020 text describes it without a day.",
    ),
    RuleChange(
        None,
        "2023-02-01",
        "The bonus multiplier falls to 12.",
        "From that day in the editions of 2025.",
    ),
    RuleChange(
        None,
        "2024-03-01",
        "New FIDE conversions.",
        "From that day in the editions of 2025, also for youth events (section 6).",
    ),
    RuleChange(
        None,
        "2025-01-01",
        "New CFC conversion.",
        "From that day in the editions of 2025.",
    ),
)
# A paragraph for each edition after February 2025.
LATER_EDITIONS = (
    "The edition of July 26, 2025 adds one line: the bonus multiplier falls to 10 on "
    "January 1, 2025. It holds from that day in this edition only.",
)
