"""The crosstable of a section, as the public sees it."""

import gzip
import math
import random
import re
from datetime import date

import pytest
from django.urls import resolve, reverse
from django.utils.formats import date_format

from events.checks.services import blocking_findings
from events.formats.dbf.writer import zip_report
from events.models import Event, Section
from events.reports.services.submissions import (
    override_findings,
    receive_submission,
    submit_report,
)
from events.review.services.acceptance import accept_report
from players.models import GuardianAccount, Player
from ratings.engine.rules import DEFAULT_EDITION
from ratings.models import (
    Calculation,
    Ceiling,
    Floor,
    PublishedRating,
    RatingChange,
    Run,
)
from ratings.pages.crosstable.queries.crosstable import crosstable_of
from ratings.pages.crosstable.rows import FIRST_ROWS
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Job
from ratings_site.common.ui.formatting import signed
from ratings_site.demo.names import name_of
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    make_user,
    rated_event,
    rated_section,
    section_report,
    swiss_rows,
)
from tests.response_text import contains_number

pytestmark = pytest.mark.django_db

FOUR = ["W2W D3B H0", "L1B X4 W3W", "W4W D1W L2B", "L3B F2 B0"]
BIRTH_YEAR = 1931


def members(*ratings: tuple[float, int] | None, system: str = "OTBR") -> list[Player]:
    names = ["Ada", "Bela", "Cleo", "Dora", "Emil", "Faye", "Gus", "Hana"]
    return [
        make_player(
            given_name=name,
            family_name="Lind",
            birth_date=date(BIRTH_YEAR, 7, 19),
            ratings={system: rating} if rating else None,
        )
        for name, rating in zip(names, ratings, strict=False)
    ]


def rate(players: list[Player], rows: list[str], **section) -> Section:
    report = event_report(make_td(), [section_report(players, rows, **section)])
    return rated_event(make_td(), report).sections.get()


def rate_odd(players: list[Player], rows: list[str], **section) -> Section:
    """Rate a section with findings that the TD has to confirm."""
    td = make_td()
    report = event_report(td, [section_report(players, rows, **section)])
    submission = receive_submission(
        actor=td, files=[("report.zip", zip_report(report))]
    )
    for finding in blocking_findings(submission):
        override_findings(
            submission_id=submission.pk,
            actor=td,
            finding_keys=[finding.key],
            reason="It is so.",
        )
    submit_report(submission_id=submission.pk, actor=td)
    event = accept_report(submission_id=submission.pk, actor=make_staff())
    run_due_jobs()
    return event.sections.get()


def page(client, section: Section, query: str = "") -> str:
    return client.get(section.get_absolute_url() + query).content.decode()


def row_texts(html: str) -> list[str]:
    return re.findall(r"<tr id=p.*?(?=<tr|<tbody|</table>)", html, re.DOTALL)


def rows(html: str) -> list[list[str]]:
    """The text of every cell but the place, row by row; a color disc is its letter."""
    return [cells[1:] for cells in all_cells(html)]


def all_cells(html: str) -> list[list[str]]:
    html = re.sub(r"<b class=([wb])>.</b>", r"\1", html)
    return [
        [
            re.sub(r"<.*?>", "", cell).strip()
            for cell in re.split(r"<t[dh]\b.*?>", row)[1:]
        ]
        for row in row_texts(html)
    ]


def headings(html: str) -> list[str]:
    head = re.search(r"<thead>.*?</thead>", html, re.DOTALL)[0]
    place, *others = re.findall(r"<th .*?>(.*?)</th>", head)
    assert place == "Place"
    return others


def titles(html: str) -> list[str]:
    return re.findall(r'<sup class=mark title="(.*?)">', html)


def post(section: Section, player: Player, system: str = "OTBR") -> float:
    return RatingChange.objects.get(
        calculation__section=section, calculation__system=system, player=player
    ).post_rating


def whole(rating: float) -> int:
    return math.floor(rating + 0.5)


RATINGS = (1500, 1700, 1400, 1300)


def test_rows_stand_in_order_of_score_and_then_of_the_new_rating(client):
    players = members((1500, 40), (1700, 40), (1400, 40), (1300, 40))
    section = rate(players, FOUR)
    html = page(client, section)
    new = [whole(post(section, player)) for player in players]
    gains = [signed(one - old) for one, old in zip(new, RATINGS, strict=True)]
    assert headings(html) == [
        *["No.", "Player", "Before", "After", "Change", "Total"],
        *["1", "2", "3"],
    ]
    assert rows(html) == [
        [
            "2",
            "Bela Lind",
            "1700",
            str(new[1]),
            gains[1],
            "2",
            "L 1 b",
            "forfeit 1",
            "W 3 w",
        ],
        [
            "1",
            "Ada Lind",
            "1500",
            str(new[0]),
            gains[0],
            "2",
            "W 2 w",
            "D 3 b",
            "½ bye",
        ],
        [
            "3",
            "Cleo Lind",
            "1400",
            str(new[2]),
            gains[2],
            "1½",
            "W 4 w",
            "D 1 w",
            "L 2 b",
        ],
        [
            "4",
            "Dora Lind",
            "1300",
            str(new[3]),
            gains[3],
            "1",
            "L 3 b",
            "forfeit 0",
            "bye 1",
        ],
    ]


def test_result_leads_to_the_opponents_row_and_names_to_profiles(client):
    players = members((1500, 40), (1700, 40), (1400, 40), (1300, 40))
    html = page(client, rate(players, FOUR))
    assert "<a href=#p2 class=win>W 2 <b class=w>○</b></a>" in html
    assert "<a href=#p3>D 3 <b class=b>●</b></a>" in html
    assert "<a href=#p1 class=lost>L 1 <b class=b>●</b></a>" in html
    assert '<a href=#p4 class=none title="Won by forfeit, opponent no. 4">' in html
    assert '<span class=none title="Half-point bye">½ bye</span>' in html
    profile = reverse("ratings:profile", args=[players[0].member_id])
    assert f"<a href={profile}>Ada Lind</a>" in html


def test_every_new_rating_leads_to_its_derivation(client):
    players = members((1500, 40), (1700, 40), (1400, 40), (1300, 40))
    section = rate(players, FOUR, time_control="G/60;d5")
    address = section.get_absolute_url()
    links = re.findall(r"href=(why/.*?)>", page(client, section))
    assert {f"{address}{link}" for link in links} == {
        reverse(
            "ratings:why",
            args=[section.event.event_id, 1, player.member_id, system],
        )
        for player in players
        for system in ("OTBR", "OTBQ")
    }
    assert resolve(f"{address}{links[0]}").view_name == "ratings:why"


ABOUT = "so we show it to the nearest 50"
READERS = {
    "anybody": "",
    "somebody": "",
    "another director": "",
    "the newcomer": "1",
    "the newcomer's guardian": "1",
    "an opponent": "3",
    "the director": "1234",
    "staff": "1234",
}


def sign_in(client, reader: str, section: Section, players: list[Player]) -> None:
    if reader == "anybody":
        return
    user = make_staff("clerk") if reader == "staff" else make_user("reader")
    if reader in ("the newcomer", "an opponent"):
        player = players[0 if reader == "the newcomer" else 2]
        Player.objects.filter(pk=player.pk).update(account=user)
    elif reader == "the newcomer's guardian":
        GuardianAccount.objects.create(player=players[0], account=user)
    elif reader == "another director":
        user = make_td("another").player.account
    elif reader == "the director":
        user = section.event.submission.uploaded_by
    client.force_login(user)


def rate_children() -> tuple[Section, list[Player]]:
    """Two children of the same age draw, so both ratings remain their starts by age."""
    children = [
        make_player(given_name=name, birth_date=date(2014, 9, 1))
        for name in ("Kim", "Lee")
    ]
    players = [*children, *members((1500.25, 40), (1700.75, 30))]
    section = rate(players, ["D2W", "D1B", "W4W", "L3B"])
    starts = RatingChange.objects.filter(player__in=children)
    assert {whole(line.initial_rating) for line in starts} == {484}
    assert {whole(line.post_rating) for line in starts} == {484}
    return section, players


def figures(html: str) -> dict[str, list[str]]:
    """The ratings before and after and the change, by pairing number."""
    return {
        row[0]: [re.sub(r"P\d+$", "", cell) for cell in row[2:5]] for row in rows(html)
    }


@pytest.mark.parametrize("reader", READERS)
def test_all_readers_see_published_numbers(client, reader):
    section, players = rate_children()
    sign_in(client, reader, section, players)
    html = page(client, section)
    new = [whole(post(section, player)) for player in players[2:]]
    assert figures(html) == {
        "1": ["unrated", "about 500", ""],
        "2": ["unrated", "about 500", ""],
        "3": ["1500", str(new[0]), signed(new[0] - 1500)],
        "4": ["1701", str(new[1]), signed(new[1] - 1701)],
    }
    assert ABOUT in html
    assert not contains_number(html, 484)


@pytest.mark.parametrize("reader", READERS)
def test_decimals_are_for_the_member_the_director_and_the_office(client, reader):
    section, players = rate_children()
    sign_in(client, reader, section, players)
    whole_numbers, html = page(client, section), page(client, section, "?decimals=1")
    exact = {
        str(number): ["unrated" if number < 3 else f"{before:.2f}", f"{after:.2f}"]
        for number, before, after in zip(
            range(1, 5),
            (0, 0, 1500.25, 1700.75),
            (post(section, player) for player in players),
            strict=True,
        )
    }
    published = {number: found[:2] for number, found in figures(whole_numbers).items()}
    shown = {number: found[:2] for number, found in figures(html).items()}
    assert shown == published | {number: exact[number] for number in READERS[reader]}
    assert (">Decimals</a>" in whole_numbers) == (READERS[reader] != "")
    assert (">Whole numbers</a>" in html) == (READERS[reader] != "")
    assert (ABOUT in html) == (reader not in ("the director", "staff"))
    if READERS[reader]:
        for other in ("?decimals=0", "?decimals=true", "?decimals=1%00"):
            assert figures(page(client, section, other)) == figures(whole_numbers)


def test_equal_published_ratings_stand_by_number(client):
    """Their order would reveal who has more decimals."""
    section = rate(members((1499.6, 400), (1500.4, 400)), ["D2W", "D1B"])
    assert [row[:1] + row[2:4] for row in rows(page(client, section))] == [
        ["1", "1500", "1500"],
        ["2", "1500", "1500"],
    ]


def test_bonus_is_a_whole_number_for_the_public(client):
    players = members(None, (1000, 40), (1900, 40), (1900, 40))
    section = rate(
        players, ["D2W D3B D4W", "D1B W4W W3B", "D4W D1W L2W", "D3B L2B D1B"]
    )
    change = RatingChange.objects.get(calculation__section=section, player=players[1])
    assert change.bonus > 1
    words = f"Bonus of {whole(change.bonus)} points"
    assert words in titles(page(client, section, "?decimals=1"))
    client.force_login(make_staff())
    assert words in titles(page(client, section))
    exact = f"Bonus of {change.bonus:.2f} points"
    assert exact in titles(page(client, section, "?decimals=1"))


def test_bonus_floor_and_ceiling_are_marked_and_explained(client):
    staff = make_staff()
    players = members((1900, 40), (1500, 40), (1000, 40), (1010, 40))
    facts = {"system": "OTBR", "starts": date(2020, 1, 1), "reason": "for the test"}
    Floor.objects.create(
        player=players[0], kind="money", level=1900, granted_by=staff, **facts
    )
    Ceiling.objects.create(player=players[3], level=1020, imposed_by=staff, **facts)
    games = ["L2W L3W L4W", "W1B D4W D3B", "D4W W1B D2W", "D3B D2B W1B"]
    section = rate(players, games)
    html = page(client, section)
    bonus = RatingChange.objects.get(
        calculation__section=section, player=players[2]
    ).bonus
    found = {re.search(r"id=p(\d)", row)[1]: titles(row) for row in row_texts(html)}
    assert found["1"] == ["At the floor of 1900"]
    assert found["3"] == [f"Bonus of {whole(bonus)} points"]
    assert found["4"][0].endswith("at the ceiling of 1020")
    legend = re.sub(r"\s+", " ", re.sub(r"<.*?>", "", html.split('class="legend"')[1]))
    assert "b with a bonus; f at a floor; c at a ceiling." in legend


def test_bonus_of_a_first_rating_is_shown(client):
    sources = {"OTBQ": (1000.0, 40), "OTBB": (1000.0, 40)}
    newcomer = make_player(birth_date=date(2012, 3, 1), ratings=sources)
    players = [newcomer, *members((1900, 40), (1910, 40), (1920, 40))]
    section = rate(
        players, ["W2W W3W W4W", "L1B D4W D3B", "D4W L1B D2W", "D3B D2B L1B"]
    )
    change = RatingChange.objects.get(calculation__section=section, player=newcomer)
    assert (change.formula, change.pre_rating) == ("standard", None)
    [marks] = titles(row_texts(page(client, section))[0])
    assert marks.endswith(f", bonus of {whole(change.bonus)} points")


def test_section_without_symbols_has_no_legend(client):
    section = rate(members((1500, 400), (1500, 400)), ["W2W", "L1B"])
    html = page(client, section)
    assert titles(html) == []
    assert "at the floor" not in html


def test_unrated_player_is_unrated_before_and_provisional_after(client):
    players = members(None, (1500, 12), (1400, 40))
    section = rate(players, ["W2W W3B", "L1B U0", "U0 L1W"])
    html = page(client, section)
    assert rows(html)[0][2:4] == [
        "unrated",
        f"{whole(post(section, players[0]))}P2",
    ]
    assert {row[1]: row[2] for row in rows(html)} == {
        "Ada Lind": "unrated",
        "Bela Lind": "1500P12",
        "Cleo Lind": "1400",
    }
    assert "Provisional, 12 games" in titles(html)
    assert "Provisional, 2 games" in titles(html)


def test_page_tells_no_birth_date_and_no_starting_rating(client):
    players = members(None, (1500, 12))
    section = rate(players, ["W2W", "L1B"])
    start = RatingChange.objects.get(
        calculation__section=section, player=players[0]
    ).initial_rating
    for query in ("", "?decimals=1"):
        html = page(client, section, query)
        for told in (BIRTH_YEAR, whole(start)):
            assert not contains_number(html, told)


def test_dual_rated_section_shows_both_systems(client):
    players = members((1500, 40), (1700, 40))
    section = rate(players, ["W2W", "L1B"], time_control="G/60;d5")
    html = page(client, section)
    regular, quick = (
        [whole(post(section, player, system)) for player in players]
        for system in ("OTBR", "OTBQ")
    )
    assert headings(html)[2:4] == ["Regular", "Quick"]
    assert [row[2:4] for row in rows(html)] == [
        [
            f"R 1500 → {regular[0]} {signed(regular[0] - 1500)}",
            f"Q unrated → {quick[0]}P{games(section, players[0])}",
        ],
        [
            f"R 1700 → {regular[1]} {signed(regular[1] - 1700)}",
            f"Q unrated → {quick[1]}P{games(section, players[1])}",
        ],
    ]
    edition = date_format(date.fromisoformat(DEFAULT_EDITION))
    assert f"Rated as regular and quick under the rules of {edition}." in html


def games(section: Section, player: Player) -> int:
    return RatingChange.objects.get(
        calculation__section=section, calculation__system="OTBQ", player=player
    ).post_games


def test_entries_of_a_member_who_re_entered_point_to_each_other(client):
    players = members((1500, 40), (1700, 40), (1400, 40))
    section = rate_odd(
        [*players, players[0]],
        ["L2W U0", "W1B W4W", "W4W U0", "L3B L2B"],
    )
    html = page(client, section)
    found = {row[0]: row[1:4] for row in rows(html)}
    assert found["1"][0] == "Ada Lind with no. 4: 0 in total"
    assert found["4"][0] == "Ada Lind with no. 1: 0 in total"
    assert found["1"][1:] == found["4"][1:]  # rated once, as one person
    assert "<a href=#p4>no. 4</a>" in html
    assert "All of the player’s games are rated together." in html
    assert "3 players" in html


ORDERS = {
    "": ["2", "1", "3", "4"],
    "score": ["2", "1", "3", "4"],
    "change": ["1", "3", "4", "2"],
    "number": ["1", "2", "3", "4"],
    "name": ["4", "2", "3", "1"],
}


@pytest.mark.parametrize("order", ORDERS)
def test_rows_stand_in_the_order_asked_for(client, order):
    players = members((1500, 40), (1700, 40), (1400, 40), (1300, 40))
    for player, name in zip(players, ["Żuk", "Öhm", "Olsen", "Adams"], strict=True):
        Player.objects.filter(pk=player.pk).update(family_name=name)
    section = rate(players, FOUR)
    html = page(client, section, f"?order={order}")
    assert [row[0] for row in rows(html)] == ORDERS[order]
    changes = {row[0]: row[4] for row in rows(html)}
    assert int(changes["1"]) > int(changes["3"]) > 0
    assert changes["2"].startswith("−")
    names = {"": "score", "change": "rating change", "number": "pairing number"}
    chosen = f'<strong aria-current="true">{names.get(order, order)}</strong>'
    assert chosen in html


def test_newcomers_stand_last_by_rating_change(client):
    players = members(None, (1700, 40), (1600, 40))
    section = rate(players, ["W2W D3B U0", "L1B U0 L3W", "U0 D1W W2B"])
    assert [row[0] for row in rows(page(client, section, "?order=change"))] == [
        "3",
        "2",
        "1",
    ]


def test_equal_scores_share_a_place_in_every_order(client):
    players = members((1500, 40), (1700, 40), (1400, 40), (1300, 40))
    section = rate(players, FOUR)
    for order in ORDERS:
        html = page(client, section, f"?order={order}")
        places = {cells[1]: cells[0] for cells in all_cells(html)}
        assert places == {"1": "1=", "2": "1=", "3": "3", "4": "4"}


def test_compact_table_has_neither_colors_nor_ratings_before(client):
    players = members((1500, 40), (1700, 40))
    section = rate(players, ["W2W", "L1B"])
    html = page(client, section, "?view=compact&order=number")
    new = [whole(post(section, player)) for player in players]
    assert headings(html) == ["No.", "Player", "After", "Change", "Total", "1"]
    assert rows(html) == [
        ["1", "Ada Lind", str(new[0]), signed(new[0] - 1500), "1", "W 2"],
        ["2", "Bela Lind", str(new[1]), signed(new[1] - 1700), "0", "L 1"],
    ]
    # Each switch keeps the values of the others.
    client.force_login(make_staff())
    html = page(client, section, "?view=compact&order=number")
    assert '<a class="nowrap" href="?order=name&amp;view=compact">name</a>' in html
    assert '<a class="nowrap" href="?order=number">wide</a>' in html
    assert 'href="?order=number&amp;view=compact&amp;decimals=1">Decimals' in html


def test_compact_table_of_two_systems_keeps_both(client):
    players = members((1500, 40), (1700, 40))
    section = rate(players, ["W2W", "L1B"], time_control="G/60;d5")
    html = page(client, section, "?view=compact")
    new = whole(post(section, players[0]))
    assert rows(html)[0][2] == f"R {new} {signed(new - 1500)}"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("order=rank", "“rank” is not a sort order. The table is sorted by score."),
        ("order=<b>", "“&lt;b&gt;” is not a sort order. The table is sorted by score."),
        ("view=%00", "“\u0000” is not a view. This is the wide view."),
        ("view=" + "x" * 4000, f"“{'x' * 40}” is not a view. This is the wide view."),
    ],
)
def test_unknown_order_or_view_is_told_and_shows_the_table(client, query, said):
    players = members((1500, 40), (1700, 40))
    html = page(client, rate(players, ["W2W", "L1B"]), f"?{query}")
    assert said in html
    assert [row[0] for row in rows(html)] == ["1", "2"]


def test_match_is_shown_game_by_game_with_the_running_score(client):
    one, other = members((1500, 40), (1510, 40))
    section = rate(
        [one, other], ["W2W D2B L2W D2B", "L1B D1W W1B D1W"], kind_letter="M"
    )
    html = page(client, section)
    sheet = re.search(r'<table class="table match">.*?</table>', html, re.DOTALL)[0]
    body = sheet.split("<tbody>")[1]
    games = [
        [
            re.sub(r"<.*?>", "", cell).strip()
            for cell in re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row, re.DOTALL)
        ]
        for row in body.split("<tr>")[1:]
    ]
    assert games == [
        ["1", "1 ○White", "0 ●Black", "1–0"],
        ["2", "½ ●Black", "½ ○White", "1½–½"],
        ["3", "0 ○White", "1 ●Black", "1½–1½"],
        ["4", "½ ●Black", "½ ○White", "2–2"],
    ]
    assert "One match can change a rating by at most 50 points" in html
    assert f"?one={one.member_id}&amp;other={other.member_id}&amp;system=OTBR" in html
    address = section.get_absolute_url()
    assert f'href="{address}why/{one.member_id}/OTBR/"' in html
    assert "View: " not in html  # two rows need no other order


def test_match_shows_published_numbers(client):
    section = rate(
        members((1500, 40), (1510, 40)), ["W2W D2B", "L1B D1W"], kind_letter="M"
    )
    replace_calculation(section, post_rating=583.03, age_start=583.03)
    for reader in ("anybody", "staff"):
        sign_in(client, reader, section, [])
        stats = page(client, section).split('<ul class="stats">')[1].split("</ul>")[0]
        words = re.sub(r"\s+", " ", re.sub(r"<.*?>", "", stats))
        assert words.count("→ about 600") == 2
        assert not contains_number(stats, 583)


def test_swiss_of_two_is_no_match(client):
    section = rate(members((1500, 40), (1510, 40)), ["W2W", "L1B"])
    assert "Game by game" not in page(client, section)


def test_player_without_a_game_keeps_the_rating(client):
    players = members((1500, 40), (1700, 40), (1400, 40))
    section = rate(players, ["W2W", "L1B", "B0"])
    found = {row[0]: row[1:] for row in rows(page(client, section))}
    assert found["3"] == ["Cleo Lind", "no rated games", "1", "bye 1"]


def test_double_games_stand_in_one_cell(client):
    players = members((1500, 40), (1700, 40), (1400, 40))
    section = rate(players, ["#2W $3B", "D1B H0", "B0 L1W"], kind_letter="2")
    found = {row[0]: row[5:] for row in rows(page(client, section))}
    assert found == {
        "1": ["3½", "WD 2 w", "WW 3 b"],
        "2": ["1½", "LD 1 b", "1 bye"],
        "3": ["2", "bye 2", "LL 1 w"],
    }


def test_game_scored_for_one_side_only_has_a_star(client):
    players = members((1500, 40), (1700, 40))
    html = page(client, rate_odd(players, ["N2W", "R1B"]))
    assert [row[-1] for row in rows(html)] == ["W* 2 w", "D* 1 b"]
    assert "result counts for one player only" in html


def test_published_numbers_stand_beside_ours_where_they_differ(client):
    players = members((1500, 40), (1700, 40))
    section = rate(players, ["W2W", "L1B"])
    ours = [post(section, player) for player in players]
    first, second = section.entries.order_by("pairing_number")
    facts = {"system": "OTBR", "source": "the <old> books"}
    PublishedRating.objects.create(
        entry=first, post_rating=whole(ours[0]), decimals=0, **facts
    )
    PublishedRating.objects.create(
        entry=second, post_rating=ours[1] + 0.1, decimals=2, **facts
    )
    html = page(client, section)
    assert headings(html)[5] == "Published"
    assert [row[5] for row in rows(html)] == ["", f"≠ {ours[1] + 0.1:.2f}"]
    assert (
        "1 of 2 ratings agree with the numbers published by the &lt;old&gt; books."
    ) in html
    assert 'title="Published by the &lt;old&gt; books"' in html


def test_waiting_section_shows_results_and_that_it_waits(client):
    td = make_td()
    players = members((1500, 40), (1700, 40))
    report = event_report(td, [section_report(players, ["W2W", "L1B"])])
    section = accepted_event(td, report).sections.get()
    html = page(client, section)
    assert "This section will be rated soon" in html
    assert headings(html) == ["No.", "Player", "Total", "1"]
    assert rows(html) == [
        ["1", "Ada Lind", "1", "W 2 w"],
        ["2", "Bela Lind", "0", "L 1 b"],
    ]
    run_due_jobs()
    html = page(client, section)
    assert "will be rated soon" not in html
    assert "After" in headings(html)


def test_what_stopped_a_rating_is_told_to_staff_only(client):
    td, staff = make_td(), make_staff()
    players = members((1500, 40), (1700, 40))
    report = event_report(td, [section_report(players, ["W2W", "L1B"])])
    section = accepted_event(td, report, staff=staff).sections.get()
    Job.objects.update(state=Job.State.FAILED, message="OperationalError: disk")
    public = page(client, section)
    assert "This section could not be rated. The office is working on it." in public
    assert "OperationalError" not in public
    client.force_login(staff)
    assert "OperationalError: disk" in page(client, section)


def test_late_section_is_labeled(client):
    td, staff = make_td(), make_staff()
    players = members((1500, 40), (1700, 40))
    pair = section_report(players, ["W2W", "L1B"])
    later = rated_event(td, event_report(td, [pair]), staff=staff)
    earlier = rated_event(
        td,
        event_report(
            td,
            [pair],
            name="April Open",
            starts=date(2024, 4, 6),
            ends=date(2024, 4, 7),
        ),
        staff=staff,
    )
    assert "Rated late." in page(client, earlier.sections.get())
    assert "Rated late." not in page(client, later.sections.get())


def test_sections_of_the_event_are_a_click_apart(client):
    td = make_td()
    players = members((1500, 40), (1700, 40))
    sections = [
        section_report(players, ["W2W", "L1B"], number=n, name=f"Part & {n}")
        for n in (1, 2)
    ]
    event = rated_event(td, event_report(td, sections))
    html = page(client, event.sections.get(number=2))
    address = f"/events/{event.event_id}"
    assert f'<a href="{address}/1/">1. Part &amp; 1</a>' in html
    assert f'<a href="{address}/2/" aria-current="page">2. Part &amp; 2</a>' in html
    assert f'href="{address}/report.zip"' in html
    assert f'<a href="{address}/">May Open</a>' in html
    assert f'Chief TD <a href="/players/{td.player.member_id}/">Tessa Director' in html
    assert "2 players, 1 game, <span" in html


def test_names_are_escaped(client):
    players = members((1500, 40), (1700, 40))
    Player.objects.filter(pk=players[0].pk).update(given_name='<b onclick="x">&')
    html = page(client, rate(players, ["W2W", "L1B"]))
    assert "&lt;b onclick=&quot;x&quot;&gt;&amp; Lind</a>" in html
    assert "<b onclick" not in html


def test_readers_own_row_is_highlighted(client):
    user = make_user()
    players = members((1500, 40), (1700, 40))
    Player.objects.filter(pk=players[1].pk).update(account=user)
    section = rate(players, ["W2W", "L1B"])
    assert "class=mine" not in page(client, section)
    client.force_login(user)
    html = page(client, section)
    assert re.findall(r"<tr id=(p\d) class=mine>", html) == ["p2"]


def test_own_row_does_not_wait_on_a_phone(client):
    people = [make_player(ratings={"OTBR": (1500, 30)}) for _ in range(FIRST_ROWS + 2)]
    section = rate(people, swiss_rows(len(people), 1))
    last = re.findall(r"/players/(\d+)/>", page(client, section))[-1]
    user = make_user()
    Player.objects.filter(member_id=last).update(account=user)
    client.force_login(user)
    html = page(client, section)
    assert re.findall(r"<tr id=p\d+ class=(\w+)>", html) == ["far", "mine"]


@pytest.mark.parametrize("players", [2, 20])
@pytest.mark.parametrize("time_control", ["G/90;d5", "G/60;d5"])
def test_crosstable_takes_four_queries_for_any_size(
    client, django_assert_num_queries, players, time_control
):
    td = make_td()
    people = [make_player(ratings={"OTBR": (1500, 40)}) for _ in range(players)]
    report = section_report(people, swiss_rows(players, 1), time_control=time_control)
    event = accepted_event(td, event_report(td, [report]))
    section = event.sections.get()
    with django_assert_num_queries(4):  # it is pending
        client.get(section.get_absolute_url())
    run_due_jobs()
    for entry in section.entries.all():
        PublishedRating.objects.create(
            entry=entry, system="OTBR", post_rating=1500, source="a book"
        )
    with django_assert_num_queries(4):
        client.get(section.get_absolute_url() + "?order=change&view=compact")
    with django_assert_num_queries(4):
        response = client.get(section.get_absolute_url())
    assert len(rows(response.content.decode())) == players


def made_up_rows(strengths: list[float], rounds: int, chance: random.Random):
    """A Swiss without a pattern, so that it does not compress well."""
    count = len(strengths)
    rows = [[] for _ in range(count)]
    scores = [0.0] * count
    for _ in range(rounds):
        order = sorted(range(count), key=lambda one: (-scores[one], chance.random()))
        for pair in zip(order[::2], order[1::2], strict=True):
            white, black = chance.sample(pair, 2)
            lead = strengths[white] - strengths[black]
            score = round(2 * chance.betavariate(2, 2) + lead / 400) / 2
            score = min(1, max(0, score))
            scores[white] += score
            scores[black] += 1 - score
            ours, theirs = {0: "LW", 0.5: "DD", 1: "WL"}[score]
            rows[white].append(f"{ours}{black + 1}W")
            rows[black].append(f"{theirs}{white + 1}B")
    return [" ".join(row) for row in rows]


def test_large_crosstable_is_small_on_the_wire(client):
    chance = random.Random(1)
    strengths = sorted((chance.gauss(1500, 350) for _ in range(300)), reverse=True)
    people = [
        make_player(
            str(chance.randint(10_000_000, 32_000_000)),
            *name_of(chance.randrange(10**6)),
            ratings={
                "OTBR": (max(150.0, strength), chance.choice([9, 20, 40, 80, 150]))
            },
        )
        for strength in strengths
    ]
    section = rate(people, made_up_rows(strengths, 9, chance))
    response = client.get(
        section.get_absolute_url(), headers={"accept-encoding": "gzip"}
    )
    html = gzip.decompress(response.content).decode()
    assert len(rows(html)) == 300
    assert len(response.content) <= 30_000
    kinds = re.findall(r"<tr id=p\d+(?: class=(\w+))?>", html)
    assert kinds == [""] * FIRST_ROWS + ["far"] * (300 - FIRST_ROWS)


def test_page_is_sent_again_only_when_it_changed(client):
    section = rated_section(players=4, rounds=2)
    address = section.get_absolute_url()
    first = client.get(address)
    tag = first["ETag"]
    assert re.fullmatch(r'W/"[.0-9a-f]+"', tag)
    again = client.get(address, headers={"if-none-match": tag})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", tag)
    decimals = client.get(address + "?decimals=1", headers={"if-none-match": tag})
    assert decimals.status_code == 200
    replace_calculation(section, post_rating=1234.0)
    changed = client.get(address, headers={"if-none-match": tag})
    assert changed.status_code == 200
    assert changed["ETag"] != tag
    assert b"1234" in changed.content
    assert b"1234" not in first.content


def replace_calculation(section: Section, **columns) -> None:
    """Replace the current calculation of the section, as a rerate does."""
    old = Calculation.objects.get(section=section)
    changes = list(old.changes.all())
    Calculation.objects.filter(pk=old.pk).update(is_current=False)
    new = Calculation.objects.get(pk=old.pk)
    new.pk, new.is_current, new.run = (
        None,
        True,
        Run.objects.create(kind="rerate", status="queued"),
    )
    new.save(force_insert=True)
    for change in changes:
        change.pk, change.calculation = None, new
        vars(change).update(columns)
    RatingChange.objects.bulk_create(changes)


def test_compressed_page_can_be_kept_too(client):
    address = rated_section(players=4, rounds=2).get_absolute_url()
    sent = client.get(address, headers={"accept-encoding": "gzip"})
    assert sent["Content-Encoding"] == "gzip"
    again = client.get(
        address, headers={"accept-encoding": "gzip", "if-none-match": sent["ETag"]}
    )
    assert again.status_code == 304


def test_new_name_of_a_player_changes_the_page(client):
    section = rated_section(players=4, rounds=2)
    address = section.get_absolute_url()
    tag = client.get(address)["ETag"]
    Player.objects.filter(given_name="Given1").update(family_name="Newname")
    changed = client.get(address, headers={"if-none-match": tag})
    assert (changed.status_code, b"Newname" in changed.content) == (200, True)


def test_page_of_a_signed_in_account_is_never_cached_for_others(client):
    address = rated_section(players=4, rounds=2).get_absolute_url()
    tag = client.get(address)["ETag"]
    client.force_login(make_user())
    response = client.get(address, headers={"if-none-match": tag})
    assert response.status_code == 200
    assert "ETag" not in response
    assert response["Cache-Control"] == "private, no-store"
    assert "Cookie" in response["Vary"]


@pytest.mark.parametrize(
    "address",
    [
        "{event}/2/",
        "{event}/0/",
        "{event}/-1/",
        "{event}/one/",
        "{event}/1000000000000000000000000000000/",
        "{event}/" + "9" * 5000 + "/",
        "{event}/١/",
        "202405059994/1/",
        "horse/1/",
        "%F0%9F%90%B4/1/",
        "20240505000%00/1/",
    ],
)
def test_unknown_section_is_not_found(client, address):
    event = rated_section(players=2, rounds=1).event
    response = client.get(f"/events/{address.format(event=event.event_id)}")
    assert response.status_code == 404
    assert "Page not found" in response.content.decode()


def test_query_knows_only_sections_that_exist():
    section = rated_section(players=2, rounds=1)
    event_id = Event.objects.get().event_id
    assert crosstable_of(event_id, 1).section == section
    assert crosstable_of(event_id, 2) is None
    assert crosstable_of("1", 1) is None
