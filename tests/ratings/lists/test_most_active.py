"""Games of twelve months on official lists, and the ranking of the most active."""

import re
from datetime import date

import pytest
import time_machine

from events.corrections.services.requests import approve_correction
from ratings.engine.systems import System
from ratings.ledger.services.rating import apply_adjustment
from ratings.lists.queries.rankings import RankingFilter, ranking
from ratings.models import Adjustment, OfficialList, OfficialRating
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from tests.events.corrections.samples import (
    cell,
    make_decider,
    make_member,
    request_correction,
    result,
)
from tests.factories import (
    event_report,
    make_player,
    make_td,
    make_user,
    merge_with_approval,
    open_rating,
    rated_event,
    section_report,
)
from tests.ratings.lists.helpers import AFTER, BEFORE, CUT_OFF, JULY, JUNE, published
from tests.ratings.rerates.factories import play

pytestmark = pytest.mark.django_db

PAGE = "/rankings/OTBR/active/"
QUICK, DUAL = "G/15;d5", "G/40;d5"


def member(number: int, family_name: str, state: str = "IL", **fields):
    player = make_player(
        f"3000000{number}", family_name=family_name, state=state, **fields
    )
    open_rating(player, "OTBR", 1500 + 10 * number, 30, as_of=date(2023, 1, 1))
    return player


def june() -> OfficialList:
    """The June list, of what was rated by May 15, 2024 at 11:45 PM in Chicago."""
    with time_machine.travel(AFTER, tick=False):
        return published(JUNE, cut_off=CUT_OFF)


def counts(official: OfficialList, system: str = "OTBR") -> dict[str, int | None]:
    rows = official.ratings.filter(system=system).order_by("player__member_id")
    return dict(rows.values_list("player__family_name", "year_games"))


def adjust(player, day: date) -> None:
    adjustment = Adjustment.objects.create(
        player=player,
        system="OTBR",
        kind="executive",
        day=day,
        rating=1950,
        games=90,
        reason="From the Executive Director.",
        decided_by=make_user(),
    )
    assert apply_adjustment(adjustment_id=adjustment.pk)


@pytest.fixture(scope="module")
def official(module_data) -> OfficialList:
    """The list of a history: seven Regular games of Abel, five of Berg, four of two."""
    with time_machine.travel(BEFORE, tick=False):
        td = make_td()
        abel, berg = member(1, "Abel"), member(2, "Berg", "OH")
        cruz, dunn = member(3, "Cruz"), member(4, "Dunn", "OH")
        for player in (abel, dunn):
            open_rating(player, "OTBQ", 1400, 30, as_of=date(2023, 1, 1))
        everyone = [abel, berg, cruz, dunn]
        # The day before the twelve months, and their first day.
        play(td, everyone, ends=date(2023, 5, 15))
        play(td, [abel, berg], ends=date(2023, 5, 16), rounds=1)
        play(td, everyone, ends=date(2023, 11, 5))
        # A bye is no game.
        bye = section_report([abel, berg], ["W2W H", "L1B H"])
        day = date(2023, 12, 3)
        rated_event(td, event_report(td, [bye], starts=day, ends=day))
        # A rating imported within the twelve months, and adjusted, without a game.
        eder = make_player(
            "30000005", family_name="Eder", state="IL", ratings={"OTBR": (1900.0, 30)}
        )
        play(td, [abel, dunn], ends=date(2024, 1, 7), rounds=1, time_control=QUICK)
        play(td, [abel, dunn], ends=date(2024, 2, 4), rounds=1, time_control=DUAL)
        adjust(eder, date(2024, 3, 1))
        # The last day of the twelve months, and the day after.
        play(td, [abel, cruz], ends=date(2024, 5, 15), rounds=1)
        play(td, everyone, ends=date(2024, 5, 16))
    return june()


def test_games_of_the_twelve_months_up_to_the_cutoff_count_by_system(official):
    regular = {
        "Abel": 1 + 3 + 1 + 1 + 1,
        "Berg": 1 + 3 + 1,
        "Cruz": 3 + 1,
        "Dunn": 3 + 1,
        "Eder": 0,
    }
    assert counts(official) == regular
    assert counts(official, "OTBQ") == {"Abel": 1 + 1, "Dunn": 1 + 1}


def test_most_active_are_ranked_by_games_and_share_places(client, official):
    response = client.get(PAGE)
    page = re.sub(r"\s+", " ", response.content.decode())
    assert "<h1>Most active, regular</h1>" in page
    assert "4 members · " in page
    assert "games from May 16, 2023 through May 15, 2024" in page
    rows = [
        (line.place, line.is_shared, line.row.player.family_name, line.row.year_games)
        for line in response.context["ranking"].lines
    ]
    assert rows == [
        (1, False, "Abel", 7),
        (2, False, "Berg", 5),
        (3, True, "Cruz", 4),
        (3, True, "Dunn", 4),
    ]
    assert page.count('title="Tied">=') == 2
    assert re.findall(r'<td class="num">(\d)</td>', page) == ["7", "5", "4", "4"]
    assert "Higher than" not in page


def test_state_and_system_of_the_most_active(client, official):
    def shown(path: str) -> list[tuple[str, int]]:
        lines = client.get(path).context["ranking"].lines
        return [(line.row.player.family_name, line.place) for line in lines]

    assert shown(f"{PAGE}?state=OH") == [("Berg", 1), ("Dunn", 2)]
    assert shown("/rankings/OTBQ/active/") == [("Abel", 1), ("Dunn", 1)]
    # Sorted by name, everyone keeps the place by games.
    assert shown(f"{PAGE}?sort=-name") == [
        ("Dunn", 3),
        ("Cruz", 3),
        ("Berg", 2),
        ("Abel", 1),
    ]


def test_most_active_are_a_file(client, official):
    def file(path: str) -> list[str]:
        return client.get(f"{path}format=csv").getvalue().decode().splitlines()

    heading, *rows = file(f"{PAGE}?")
    assert heading == (
        "place,member_id,name,state,rating,about,games,provisional,year_games"
    )
    assert [(row[:10], row.rpartition(",")[2]) for row in rows] == [
        ("1,30000001", "7"),
        ("2,30000002", "5"),
        ("3,30000003", "4"),
        ("3,30000004", "4"),
    ]
    assert [row[:10] for row in file(f"{PAGE}?state=OH&")[1:]] == [
        "1,30000002",
        "2,30000004",
    ]
    by_games = file("/rankings/OTBR/?sort=year_games&")
    assert by_games[0].endswith(",percent_below,year_games")
    assert [row.rpartition(",")[2] for row in by_games[1:]] == list("04457")


def test_reader_is_told_the_own_place_by_games(client, official):
    berg = official.ratings.get(player__family_name="Berg").player
    berg.account = make_user()
    berg.save()
    client.force_login(berg.account)
    page = client.get(PAGE).content.decode()
    assert "Your rank: <strong>2nd</strong> of 4." in page


def test_api_gives_the_games(client, official):
    items = client.get("/api/v1/rankings/OTBR").json()["items"]
    assert {one["member_id"]: one["year_games"] for one in items} == {
        "30000001": 7,
        "30000002": 5,
        "30000003": 4,
        "30000004": 4,
        "30000005": 0,
    }


def test_age_groups_of_the_most_active_have_the_first_only(official, settings):
    settings.TOP_LIST_LENGTH = 2
    both = RankingFilter(System.OTBR, top=True, most_active=True)
    assert [line.row.year_games for line in ranking(official, both, 1).lines] == [7, 5]


def test_list_from_before_games_were_counted_has_blanks(client, official):
    """Such a list has no count in any row."""
    rows = list(official.ratings.all())
    official.pk, official.month, official._state.adding = None, JULY, True
    official.save()
    for row in rows:
        row.pk, row.list, row.year_games = None, official, None
    OfficialRating.objects.bulk_create(rows)

    page = client.get(PAGE).content.decode()
    assert "older lists do not have this count." in page
    assert '<th scope="row" class="name">' not in page
    whole = client.get("/rankings/OTBR/").content.decode()
    assert whole.count('<td class="num wide-only"></td>') == 5
    assert "counts games in events" not in whole
    items = client.get("/api/v1/rankings/OTBR").json()["items"]
    assert [one["year_games"] for one in items] == [None] * 5


# History that changes


def rerate() -> None:
    run = start_rerate(actor=None, reason="A correction.")
    run_due_jobs()
    publish_rerate(run_id=run.pk, actor=None, reason="Reviewed.")


def remove_a_game(section) -> None:
    """Correct Abel's and Dunn's first game: it was a forfeit."""
    change = result(cell(1, 1, "X", 4))
    request = request_correction(section, make_member(), change=change)
    approve_correction(
        request_id=request.pk,
        version=section.version,
        public_note="The game was not played.",
        reason="The TD does not answer.",
        actor=make_decider(),
    )


@pytest.fixture
def people():
    with time_machine.travel(BEFORE, tick=False):
        names = enumerate(("Abel", "Berg", "Cruz", "Dunn"), start=1)
        return [member(number, name) for number, name in names]


@pytest.fixture
def section(people):
    with time_machine.travel(BEFORE, tick=False):
        rows = ["W4W W3B W2W", "W3W W4B L1B", "L2B L1W W4W", "L1B L2W L3B"]
        report = section_report(people, rows)
        day, td = date(2024, 4, 7), make_td()
        return rated_event(
            td, event_report(td, [report], starts=day, ends=day)
        ).sections.get()


def test_a_correction_counts_once_it_is_rerated_by_the_cutoff(section):
    with time_machine.travel(BEFORE, tick=False):
        remove_a_game(section)
        rerate()
    assert counts(june()) == {"Abel": 2, "Berg": 3, "Cruz": 3, "Dunn": 2}


def test_a_correction_after_the_cutoff_counts_on_the_next_list(section):
    with time_machine.travel(AFTER, tick=False):
        remove_a_game(section)
        rerate()
    assert counts(june()) == {"Abel": 3, "Berg": 3, "Cruz": 3, "Dunn": 3}
    with time_machine.travel(AFTER, tick=False):
        july = published(JULY)
    assert counts(july) == {"Abel": 2, "Berg": 3, "Cruz": 3, "Dunn": 2}


@pytest.mark.parametrize("is_rerated", [False, True])
def test_games_of_a_merged_number_count_once(people, section, is_rerated):
    """They are on the kept number from the rerate on, as its rating is."""
    abel, *_, dunn = people
    with time_machine.travel(BEFORE, tick=False):
        double = make_player("30000009", family_name="Abel", state="IL")
        play(make_td(), [double, dunn], ends=date(2024, 4, 14), rounds=2)
        merge_with_approval(abel, double)
        if is_rerated:
            rerate()
    assert counts(june()) == {
        "Abel": 3 + 2 * is_rerated,
        "Berg": 3,
        "Cruz": 3,
        "Dunn": 3 + 2,
    }


@pytest.mark.parametrize("pairs", [1, 13])
def test_most_active_take_the_same_queries_for_any_size(
    client, django_assert_num_queries, pairs
):
    with time_machine.travel(BEFORE, tick=False):
        players = [
            make_player(state="IL", ratings={"OTBR": (1500.0, 30)})
            for _ in range(2 * pairs)
        ]
        play(make_td(), players, ends=date(2024, 2, 4), rounds=1)
    june()
    for path in (PAGE, f"{PAGE}?state=IL", f"{PAGE}?sort=name"):
        with django_assert_num_queries(3):
            page = client.get(path).content
        assert page.count(b'<th scope="row" class="name">') == 2 * pairs
