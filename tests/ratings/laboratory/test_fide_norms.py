"""FIDE title norms: the handbook's numbers, and each requirement on both sides."""

from datetime import date

import pytest

from ratings.engine.rule_history import NoRuleInForce
from ratings.laboratory.fide_norms import (
    NORMS,
    UNKNOWN_PLAYER,
    Check,
    Conditions,
    FidePlayer,
    Format,
    NormGame,
    Rule,
    assess,
    is_federation_rule_waived,
    title_performance,
)

DAY = date(2024, 6, 1)
IM = NORMS["IM"]
# The annex to B.01, nine rounds: score, and the least average of the opponents.
NINE_ROUNDS = {
    "GM": {7.0: 2380, 6.5: 2434, 6.0: 2475, 5.5: 2520, 5.0: 2557, 4.5: 2600, 4.0: 2643},
    "IM": {7.0: 2230, 6.5: 2284, 6.0: 2325, 5.5: 2370, 5.0: 2407, 4.5: 2450, 4.0: 2493},
    "WGM": {7.0: 2180, 6.5: 2234, 6.0: 2275, 5.5: 2320, 5.0: 2357, 4.5: 2400},
    "WIM": {7.0: 2030, 6.5: 2084, 6.0: 2125, 5.5: 2170, 5.0: 2207, 4.5: 2250},
}


def field(average, size=9, titles=("GM", "GM", "IM", "IM", "FM"), flags=("AAA", "BBB")):
    """Opponents of one rating, the first ones with titles, flags by turns."""
    return [
        FidePlayer(
            average,
            titles[number] if number < len(titles) else "",
            flags[number % len(flags)],
        )
        for number in range(size)
    ]


def games(players, score):
    """Games against these players: wins first, then a draw, then losses."""
    return [
        NormGame(number, player, max(0.0, min(1.0, score - number)))
        for number, player in enumerate(players)
    ]


def judge(players, score, norm=IM, **changed):
    conditions = Conditions(DAY, **{"federation": "USA", **changed})
    return assess(norm, games(players, score), conditions)


def check_of(found, rule):
    [check] = [one for one in found.checks if one.rule is rule]
    return check


@pytest.mark.parametrize(
    ("title", "score", "average"),
    [(title, *row) for title, rows in NINE_ROUNDS.items() for row in rows.items()],
)
def test_the_annex_for_nine_rounds(title, score, average):
    norm = NORMS[title]
    level = title_performance(norm, [average] * 9, score)
    assert level[0] == average
    assert level[2] >= norm.performance
    assert title_performance(norm, [average - 1] * 9, score)[2] < norm.performance or (
        average == norm.average
    )


def test_only_the_lowest_opponent_is_raised_to_the_floor():
    # 2380 = (8 × 2402.5 + 2200) ÷ 9; with both low ones as they are it would be less.
    ratings = [2500, 2500, 2500, 2450, 2450, 2420, 2300, 2100, 1900]
    average, percent, performance = title_performance(NORMS["GM"], ratings, 6.0)
    assert average == round((sum(ratings) + 300) / 9)
    assert (percent, performance) == (67, average + 125)


def test_unrated_count_as_1400_but_the_lowest_as_the_floor():
    assert (
        title_performance(IM, [None, *[2400] * 8], 4.5)[0] == 2361
    )  # (19,200+2,050)/9
    assert title_performance(IM, [None, None, *[2400] * 7], 4.5)[0] == 2250


@pytest.mark.parametrize(("total", "average"), [(2245, 2245), (2244.5, 2245)])
def test_averages_are_rounded_halves_up(total, average):
    ratings = [2300, 2 * total - 2300]
    assert title_performance(IM, ratings, 1.0)[0] == average


def test_a_norm_and_what_it_lacks_by_half_a_point():
    assert judge(field(2407), 5.0).holds is True
    missed = judge(field(2407), 4.5)
    assert missed.holds is False
    assert [one.rule for one in missed.checks if not one.holds] == [Rule.PERFORMANCE]


def test_strong_play_against_weak_opponents_earns_no_norm():
    found = judge(field(2229), 9.0)
    assert found.performance == 3029
    assert [one.rule for one in found.checks if not one.holds] == [Rule.AVERAGE]


def test_thirty_five_percent():
    assert judge(field(2600), 3.5).holds is True
    low = check_of(judge(field(2800), 3.0), Rule.SCORE)
    assert (low.found, low.holds) == (3.0, False)


@pytest.mark.parametrize(
    ("titles", "holders", "level"),
    [
        (("GM", "IM", "IM", "FM", "WFM"), True, True),
        (("GM", "IM", "IM", "FM", "CM"), False, True),
        (("GM", "IM", "FM", "FM", "WGM"), True, False),
        (("GM", "GM", "GM"), False, True),
    ],
)
def test_titles_of_the_opponents(titles, holders, level):
    found = judge(field(2450, titles=titles), 6.0)
    assert check_of(found, Rule.HOLDERS).holds is holders
    assert check_of(found, Rule.TITLES).holds is level


@pytest.mark.parametrize(
    ("flags", "federations", "own", "one"),
    [
        (("AAA", "BBB", "USA"), True, True, True),
        (("AAA",), False, True, False),
        (("AAA", "FID"), False, True, True),
        # 6 of 9 are the player's own: more than three fifths, and just two thirds.
        (("USA", "USA", "AAA", "USA", "USA", "BBB"), True, False, True),
        (
            ("AAA", "AAA", "AAA", "AAA", "AAA", "AAA", "AAA", "BBB", "CCC"),
            True,
            True,
            0,
        ),
    ],
)
def test_federations_of_the_opponents(flags, federations, own, one):
    found = judge(field(2450, flags=flags), 6.0)
    assert check_of(found, Rule.FEDERATIONS).holds is federations
    assert check_of(found, Rule.OWN_FEDERATION).holds is own
    assert check_of(found, Rule.ONE_FEDERATION).holds is bool(one)


def test_an_open_to_the_world_waives_federations():
    assert judge(field(2450, flags=("USA",)), 6.0).holds is False
    assert judge(field(2450, flags=("USA",)), 6.0, is_open=True).holds is True


def test_who_makes_an_open_to_the_world():
    foreigners = [
        FidePlayer(2300, "IM" if number < 10 else "", ("AAA", "BBB", "CCC")[number % 3])
        for number in range(20)
    ]
    locals_and_fid = [FidePlayer(2500, "GM", flag) for flag in ("USA", "FID", "")] * 9
    assert is_federation_rule_waived(foreigners + locals_and_fid, "USA")
    assert not is_federation_rule_waived(foreigners[1:] + locals_and_fid, "USA")
    assert not is_federation_rule_waived(foreigners[10:] * 2 + locals_and_fid, "USA")
    two = [one._replace(federation="AAA") for one in foreigners[:19]]
    assert not is_federation_rule_waived([*two, foreigners[1]], "USA")


class TestUnknown:
    """Opponents of whom nothing is known leave open what depends on them."""

    def test_one_unknown_of_nine(self):
        players = [*field(2500, size=8), UNKNOWN_PLAYER]
        found = judge(players, 6.0)
        # Even as an unrated one, who counts as the floor, it is enough.
        assert found.average == round((8 * 2500 + 2050) / 9)
        assert found.holds is True

    def test_titles_may_or_may_not_be_enough(self):
        players = [
            *field(2500, size=8, titles=("GM", "IM", "IM", "FM")),
            UNKNOWN_PLAYER,
        ]
        found = judge(players, 6.0)
        assert check_of(found, Rule.HOLDERS).holds is None
        assert found.holds is None

    def test_a_low_average_is_open_and_too_few_points_are_not(self):
        players = [*field(2300, size=4), *[UNKNOWN_PLAYER] * 5]
        found = judge(players, 5.0)
        assert check_of(found, Rule.AVERAGE).holds is None
        assert check_of(found, Rule.PERFORMANCE).holds is None
        assert judge(players, 3.0).holds is False

    def test_no_player_is_rated_above_2900(self):
        # With the floor it is 2272 + 43; 94 more is the most that one opponent gives.
        players = [*field(2300, size=8), UNKNOWN_PLAYER]
        low = check_of(judge(players, 5.0), Rule.PERFORMANCE)
        assert low == Check(Rule.PERFORMANCE, 2315, 2450, False)
        players = [*field(2350, size=8), UNKNOWN_PLAYER]
        open_still = check_of(judge(players, 5.0), Rule.PERFORMANCE)
        assert open_still == Check(Rule.PERFORMANCE, 2360, 2450, None)

    def test_a_player_of_unknown_federation(self):
        two, three = ("AAA", "BBB"), ("AAA", "BBB", "CCC")
        for flags, holds in ((two, None), (three, True), (("AAA",), False)):
            found = judge(field(2450, flags=flags), 6.0, federation="")
            assert check_of(found, Rule.FEDERATIONS).holds is holds
            assert Rule.OWN_FEDERATION not in [one.rule for one in found.checks]


class TestGamesThatMayBeLeftOut:
    def test_eight_games_are_not_enough_unless_one_was_spared(self):
        assert judge(field(2450, size=8), 6.0).holds is False
        assert judge(field(2450, size=8), 6.0, is_excused=True).holds is True
        assert judge(field(2450, size=7), 6.0, is_excused=True).holds is False

    def test_a_win_against_the_lowest(self):
        weak = [FidePlayer(1500, "WFM", "AAA"), FidePlayer(1000, "", "BBB")]
        rows = [
            *games(field(2450), 5.0),
            *(NormGame(9 + number, player, 1.0) for number, player in enumerate(weak)),
        ]
        conditions = Conditions(DAY, "USA", Format.ROUND_ROBIN)
        found = assess(IM, rows, conditions)
        # With both the average is 2282; without the lower one, raised, it is 2410.
        assert (found.holds, found.average) == (True, 2410)
        assert [game.opponent for game in found.games] == list(range(10))
        assert found.raised == 9
        lost = [*rows[:9], *(row._replace(score=0.0) for row in rows[9:])]
        assert assess(IM, lost, conditions).holds is False

    @pytest.mark.parametrize(
        ("format", "holds"), [(Format.SWISS, True), (Format.ROUND_ROBIN, False)]
    )
    def test_a_round_robin_has_enough_titles_in_all_of_its_games(self, format, holds):
        """Five of nine opponents have titles, and five of all eleven are too few."""
        weak = [NormGame(n, FidePlayer(1500, "", "AAA"), 1.0) for n in (20, 21)]
        rows = [*games(field(2450), 5.0), *weak]
        assert assess(IM, rows, Conditions(DAY, "USA", format)).holds is holds

    def test_what_follows_a_norm_in_a_swiss(self):
        rows = [
            *games(field(2450), 5.5),
            *(NormGame(n, FidePlayer(2450, "", "AAA"), 0.0) for n in (20, 21)),
        ]
        swiss, all_play = (
            assess(IM, rows, Conditions(DAY, "USA", format))
            for format in (Format.SWISS, Format.ROUND_ROBIN)
        )
        assert (swiss.holds, len(swiss.games)) == (True, 10)
        assert all_play.holds is False


def test_a_double_round_robin_counts_opponents_once():
    five = field(2450, size=5, titles=("GM", "IM", "IM"))
    rows = [
        NormGame(number, player, score)
        for score in (1.0, 0.5)
        for number, player in enumerate(five)
    ]
    conditions = Conditions(DAY, "USA", Format.DOUBLE_ROUND_ROBIN)
    found = assess(IM, rows, conditions)
    assert [check_of(found, rule).needed for rule in (Rule.HOLDERS, Rule.TITLES)] == [
        3,
        3,
    ]
    assert found.holds is True


def test_norms_need_games_and_a_day_with_rules():
    assert assess(IM, [], Conditions(DAY)) is None
    with pytest.raises(NoRuleInForce, match="December 31, 2023"):
        assess(IM, games(field(2450), 6.0), Conditions(date(2023, 12, 31)))
