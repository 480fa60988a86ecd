"""What happened in the rating of chess players, year by year, for the chronology."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from ratings.laboratory.protocol import System
from ratings.laboratory.registry import SYSTEMS


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened; *keys* are the systems it is about."""

    when: str
    text: str
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
            "The Correspondence Chess League of America is the first national "
            "organization to rate its players by numbers. It takes over the Short "
            "system of clubs on the west coast. How it calculated is not known."
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
            "The league’s system of this year is often called the first modern rating "
            "system. The history that says so has no system of that year in its own "
            "list, where the Percentage System is in use until 1940."
        ),
    ),
    Event(
        "1940",
        _(
            "It goes back to points won and lost game by game, in a system of Kenneth "
            "Williams."
        ),
        ("ccla.williams",),
    ),
    Event(
        "1942",
        _(
            "The magazine Chess Review rates with an improvement of Williams’s system "
            "by Kenneth Harkness."
        ),
    ),
    Event(
        "1944 / 1947",
        _(
            "William Wilcock improves Williams’s system for the league. Histories give "
            "1944; the league itself names Hotchkiss and Wilcock, and 1947. Its chart, "
            "changed a little in 1949, is in use to this day."
        ),
        ("ccla.hotchkiss_wilcock",),
    ),
    Event(
        "1946",
        _(
            "The chess federation of the USSR classifies players without any numbers, "
            "by what they achieve. Andrey Khachaturov proposes a numerical system; its "
            "formula was not found."
        ),
        ("ussr_1946", "khachaturov"),
    ),
    Event(
        "1948",
        _(
            "Anton Hösslinger publishes the Ingo system, in which the lower number is "
            "the stronger. West Germany uses it until 1992."
        ),
        ("ingo.basic", "ingo.quarter", "ingo.development"),
    ),
    Event(
        "1949",
        _("Harkness submits his own system to the United States Chess Federation."),
        ("harkness",),
    ),
    Event(
        "1950",
        _(
            "The federation prints its first rating list in November, in Chess Life: "
            "Reuben Fine leads with 2817, before Samuel Reshevsky with 2770. An even "
            "score in the US Open is set to 2000."
        ),
        ("harkness",),
    ),
    Event(
        "1956",
        _(
            "Harkness describes his system in print. At about this time the class of "
            "experts begins to start at 2000 instead of 2100, and that of masters at "
            "2200 instead of 2300."
        ),
        ("harkness",),
    ),
    Event(
        "1958",
        _(
            "The British Chess Federation publishes the grades of Richard Clarke, "
            "which England keeps for 62 years."
        ),
        ("clarke",),
    ),
    Event(
        "1959",
        _(
            "Arpad Elo is made head of a committee of the United States Chess "
            "Federation that is to examine all rating systems."
        ),
    ),
    Event(
        "1960 / 1961",
        _(
            "The federation changes to Elo’s system, which rests on a theory of "
            "results and not on a rule of thumb. It is published in Chess Life in June "
            "1961."
        ),
        ("elo.table", "elo.linear"),
    ),
    Event(
        "1970",
        _(
            "FIDE takes over Elo’s system. Bobby Fischer is at the top of the list. In "
            "the same decade ICCF-USA rates in a way of its own, whose formula was not "
            "found."
        ),
        ("elo.table", "iccf_usa"),
    ),
    Event(
        "1978",
        _("Elo’s book appears: The Rating of Chessplayers, Past and Present."),
        ("elo.table", "elo.linear"),
    ),
    Event(
        "1993",
        _(
            "The Deutsche Wertungszahl takes the place of Ingo in Germany: a "
            "calculation of Elo’s kind, with a step that depends on rating, age and "
            "experience."
        ),
        ("dwz",),
    ),
    Event(
        "1995 / 2001",
        _(
            "Mark Glickman describes the Glicko system, in which it stands beside the "
            "rating how sure it is. Histories give 2001, the year of its successor "
            "Glicko-2. Servers and the Australian Chess Federation take them up."
        ),
        ("glicko", "glicko2"),
    ),
    Event(
        "2005",
        _(
            "Jeff Sonas publishes Chessmetrics: all players of the world are rated at "
            "once, from the games of four years, back into the 19th century."
        ),
        ("chessmetrics",),
    ),
    Event(
        "2009",
        _(
            "From July FIDE counts differences up to 400 points; until then the limit "
            "was 350."
        ),
        ("fide.standard",),
    ),
    Event(
        "2010 / 2011",
        _(
            "Two public contests ask who forecasts results best. They make binomial "
            "deviance the usual measure, and Alec Stephenson’s changes to Glicko come "
            "out of them."
        ),
        ("stephenson",),
    ),
    Event(
        "2014",
        _("From July FIDE’s K is 40, 20 or 10 in the place of 30, 15 or 10."),
        ("fide.standard",),
    ),
    Event(
        "2017",
        _(
            "The Universal Rating System is announced: one rating from classical, "
            "rapid and blitz games together. Its constants are not published. US Chess "
            "raises the threshold of its bonus to 14 in June."
        ),
        ("universal",),
    ),
    Event(
        "2020",
        _(
            "In July the English Chess Federation replaces Clarke’s grades by monthly "
            "ratings of Elo’s kind. US Chess prints its rules again in September."
        ),
        ("ecf.monthly", "clarke", "uschess.2020"),
    ),
    Event(
        "2022",
        _(
            "The correspondence federation ICCF decides on a system of Glickman’s that "
            "reckons with draws. FIDE’s rapid and blitz ratings change in October."
        ),
        ("iccf", "fide.rapid", "fide.blitz"),
    ),
    Event(
        "2023",
        _("US Chess lowers the threshold of its bonus to 12 in February."),
    ),
    Event(
        "2024",
        _(
            "On 1 March FIDE lifts all ratings below 2000, the lowest most, and begins "
            "its list at 1400. On 1 December rapid and blitz games between very "
            "unequal players cease to be rated if one is above 2600."
        ),
        ("fide.standard", "fide.rapid"),
    ),
    Event(
        "2025",
        _(
            "US Chess lowers the threshold of its bonus to 10 in January. From October "
            "FIDE no longer limits the difference to 400 points for players of 2650 "
            "and more."
        ),
        ("uschess.2025_07", "fide.standard"),
    ),
)
