"""The history of chess ratings, year by year, for the chronology."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ratings.laboratory.protocol import System
from ratings.laboratory.registry import SYSTEMS


@dataclass(frozen=True, slots=True)
class Event:
    """An event in that history; *keys* are the systems it is about."""

    when: str
    text: str | Promise
    keys: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """The place on the page: the first year."""
        return f"y{self.when[:4]}"

    @property
    def systems(self) -> list[System]:
        return [SYSTEMS[key] for key in self.keys if key in SYSTEMS]


CHRONOLOGY = (
    Event(
        "1933",
        _(
            "The Correspondence Chess League of America becomes the first "
            "national organization with numerical ratings. It adopts the Short "
            "system of West Coast clubs. The formula is unknown."
        ),
        ("short",),
    ),
    Event(
        "1934",
        _("The league changes to Walt James’s Percentage System."),
        ("walt_james",),
    ),
    Event(
        "1939",
        _(
            "The league’s system of this year is often called the first modern "
            "rating system. But the history that says so lists no system for "
            "that year: there, the Percentage System is in use until 1940."
        ),
    ),
    Event(
        "1940",
        _(
            "The league returns to points won and lost game by game, in a system "
            "by Kenneth Williams."
        ),
        ("ccla.williams",),
    ),
    Event(
        "1942",
        _(
            "The magazine Chess Review uses Kenneth Harkness’s improved version "
            "of Williams’s system. We have not found how it differs."
        ),
    ),
    Event(
        "1944 / 1947",
        _(
            "William Wilcock improves Williams’s system for the league. "
            "Histories say 1944; the league says 1947 and names Hotchkiss and "
            "Wilcock. Its chart, slightly changed in 1949, is still in use."
        ),
        ("ccla.hotchkiss_wilcock",),
    ),
    Event(
        "1946",
        _(
            "The USSR chess federation classifies players by their achievements, "
            "without numbers. Andrey Khachaturov proposes a numerical system. We "
            "have not found its formula."
        ),
        ("ussr_1946", "khachaturov"),
    ),
    Event(
        "1948",
        _(
            "Anton Hösslinger publishes the Ingo system, in which lower numbers "
            "are better. West Germany uses it until 1992."
        ),
        ("ingo.basic", "ingo.quarter", "ingo.development"),
    ),
    Event(
        "1949",
        _(
            "Harkness submits his own system to the United States Chess Federation. "
            "One history says that the British Chess Federation used it later, "
            "until at least 1967; others have Clarke’s grades there from 1958."
        ),
        ("harkness",),
    ),
    Event(
        "1950",
        _(
            "In November, the federation prints its first rating list in Chess "
            "Life. Reuben Fine leads with 2817, ahead of Samuel Reshevsky with "
            "2770. An even score in the US Open is set at 2000."
        ),
        ("harkness",),
    ),
    Event(
        "1956",
        _(
            "Harkness publishes a description of his system. Around this time, "
            "experts start at 2000 instead of 2100 and masters at 2200 instead "
            "of 2300."
        ),
        ("harkness",),
    ),
    Event(
        "1958",
        _(
            "The British Chess Federation publishes Richard Clarke’s grades, "
            "which England uses for 62 years."
        ),
        ("clarke",),
    ),
    Event(
        "1959",
        _(
            "Arpad Elo becomes chair of a United States Chess Federation "
            "committee that examines rating systems."
        ),
    ),
    Event(
        "1960 / 1961",
        _(
            "The federation adopts Elo’s system, which is based on a statistical "
            "theory instead of a rule of thumb. Chess Life publishes it in June "
            "1961."
        ),
        ("elo.table", "elo.linear"),
    ),
    Event(
        "1970",
        _(
            "FIDE adopts Elo’s system. Bobby Fischer tops the list. In the same "
            "decade, ICCF-USA uses its own system. We have not found its "
            "formula."
        ),
        ("elo.table", "iccf_usa"),
    ),
    Event(
        "1978",
        _("Elo publishes his book, The Rating of Chessplayers, Past and Present."),
        ("elo.table", "elo.linear"),
    ),
    Event(
        "1993",
        _(
            "In Germany, the Deutsche Wertungszahl replaces Ingo. It works like "
            "Elo, with a K factor that depends on rating, age, and experience."
        ),
        ("dwz",),
    ),
    Event(
        "1995 / 2001",
        _(
            "Mark Glickman describes the Glicko system, which adds a measure of "
            "certainty to each rating. Histories say 2001, the year of its "
            "successor, Glicko-2. Chess servers and the Australian Chess "
            "Federation adopt them."
        ),
        ("glicko", "glicko2", "glicko2.acf"),
    ),
    Event(
        "2005",
        _(
            "Jeff Sonas publishes Chessmetrics, which rates all players of the "
            "world at once from four years of games, back into the 19th century."
        ),
        ("chessmetrics",),
    ),
    Event(
        "2009",
        _("From July, FIDE limits rating differences to 400 points instead of 350."),
        ("fide.standard",),
    ),
    Event(
        "2010 / 2011",
        _(
            "Two public contests test who predicts results best. They establish "
            "log loss (binomial deviance) as the usual measure. Alec "
            "Stephenson’s version of Glicko comes from them."
        ),
        ("stephenson",),
    ),
    Event(
        "2014",
        _("From July, FIDE’s K is 40, 20, or 10 instead of 30, 15, or 10."),
        ("fide.standard",),
    ),
    Event(
        "2017",
        _(
            "The Universal Rating System is announced: one rating from "
            "classical, rapid, and blitz games. Its constants are not published. "
            "US Chess raises its bonus multiplier to 14 in June."
        ),
        ("universal",),
    ),
    Event(
        "2020",
        _(
            "In July, the English Chess Federation replaces Clarke’s grades with "
            "monthly Elo-type ratings. US Chess publishes a new edition of its "
            "rules in September."
        ),
        ("ecf.monthly", "clarke", "uschess.2020"),
    ),
    Event(
        "2022",
        _(
            "The correspondence federation ICCF adopts a system by Glickman that "
            "accounts for draws, published in full in 2025. FIDE’s rapid and blitz "
            "rules change in October."
        ),
        ("iccf", "fide.rapid", "fide.blitz"),
    ),
    Event(
        "2023",
        _("US Chess lowers its bonus multiplier to 12 in February."),
    ),
    Event(
        "2024",
        _(
            "On March 1, FIDE raises all ratings below 2000, the lowest most, "
            "and starts its list at 1400. From December 1, rapid and blitz games "
            "between very unequal players are no longer rated if one is above "
            "2600."
        ),
        ("fide.standard", "fide.rapid"),
    ),
    Event(
        "2025",
        _(
            "US Chess lowers its bonus multiplier to 10 in January. From "
            "October, FIDE no longer limits rating differences to 400 points for "
            "players rated 2650 and higher."
        ),
        ("uschess.2025_07", "fide.standard"),
    ),
)
