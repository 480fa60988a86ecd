"""A federation with every kind of why page."""

from collections.abc import Iterator
from datetime import date, timedelta
from urllib.parse import urlencode

from django.test import Client

from events.models import Section
from players.models import Player
from ratings.models import Calculation, CalculationInputs, Ceiling, RatingChange
from ratings_site.common.models import User
from tests.events.foreign.factories import foreign_staff
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    make_user,
    open_rating,
    rated_event,
    section_report,
)
from tests.ratings.foreign.factories import list_with_masters, master
from tests.ratings.foreign.factories import rated as rated_abroad

TWO = ["W2W", "L1B"]
DRAWN = ["D2W", "D1B"]
MATCH = ["W2W W2B W2W W2B", "L1B L1W L1B L1W"]


def rated(
    players: list[Player],
    rows: list[str],
    starts: date = date(2024, 5, 4),
    td: User | None = None,
    **fields,
) -> Section:
    td = td or make_td()
    report = event_report(
        td,
        [section_report(players, rows, **fields)],
        starts=starts,
        ends=starts + timedelta(days=1),
    )
    return rated_event(td, report).sections.get()


def why_url(section: Section, player: Player, system: str = "OTBR") -> str:
    event_id = section.event.event_id
    return f"/events/{event_id}/{section.number}/why/{player.member_id}/{system}/"


def another_line(section: Section, player: Player, **changes) -> RatingChange:
    """Add the same inputs again, as a Quick rating with another result."""
    calculation = Calculation.objects.get(section=section, system="OTBR")
    change = RatingChange.objects.get(calculation=calculation, player=player)
    document = calculation.inputs.document
    calculation.pk, calculation.system = None, "OTBQ"
    calculation.save(force_insert=True)
    CalculationInputs.objects.create(
        calculation=calculation, document=changes.pop("document", document)
    )
    change.pk, change.calculation = None, calculation
    for name, value in changes.items():
        setattr(change, name, value)
    change.save(force_insert=True)
    return change


def known(rating: float, games: int = 40, *systems: str) -> Player:
    return make_player(ratings=dict.fromkeys(systems or ("OTBR",), (rating, games)))


def with_floor(player: Player, level: int) -> Player:
    Ceiling.objects.create(
        player=player,
        system="OTBR",
        level=level,
        starts=date(2024, 1, 1),
        reason="Manipulated results",
        imposed_by=make_staff(),
    )
    return player


def with_opening(rating: float, games: int, **fields) -> Player:
    player = make_player()
    open_rating(player, "OTBR", rating, games, **fields)
    return player


def pages() -> Iterator[tuple[str, str, User | None]]:
    """Yield kind, URL and reader of every why page."""
    staff = make_staff("reader")
    for kind, section, player, system in [*standard(), *limits(), *special()]:
        yield kind, why_url(section, player, system), None
    yield from newcomers(staff)
    yield from faults(staff)
    yield from abroad(staff)
    for number, url in enumerate(estimates()):
        yield f"estimate {number}", url, None


def standard() -> Iterator[tuple[str, Section, Player, str]]:
    three = [known(1500), known(1500.25), known(1499.75)]
    section = rated(three, ["W2W D3B L2W", "L1B U0 W1B", "U0 D1W U0"])
    yield from (("standard", section, one, "OTBR") for one in three)
    both = "OTBR", "OTBQ"
    masters = [known(2300, 100, *both), known(2600, 100, *both)]
    section = rated(masters, DRAWN, time_control="G/60;d5")
    for one in masters:
        yield from (("lower K", section, one, system) for system in both)
    field = [known(1500), *(known(1700) for _ in range(4))]
    rows = ["W2W W3B W4W W5B", "L1B H H H", "H L1W H H", "H H L1B H", "H H H L1W"]
    yield "bonus", rated(field, rows), field[0], "OTBR"
    pairs = [known(1500) for _ in range(5)]
    rows = ["W2W W2B W2W", "L1B L1W L1B", "W4W W4B W5W", "L3B L3W U0", "U0 U0 L3B"]
    section = rated(pairs, rows, starts=date(2025, 3, 1))
    yield from (("no bonus", section, one, "OTBR") for one in (pairs[0], pairs[2]))
    slight = [known(1500.2), known(1500.4)]
    section = rated(slight, DRAWN)
    yield from (("slight change", section, one, "OTBR") for one in slight)
    idle = [known(1500) for _ in range(3)]
    yield "no game", rated(idle, [*TWO, "H"]), idle[2], "OTBR"
    june = [known(1500), known(1500)]
    rated(june, DRAWN, starts=date(2024, 6, 1))
    yield "late", rated(june, DRAWN), june[0], "OTBR"


def limits() -> Iterator[tuple[str, Section, Player, str]]:
    ada, eve = with_opening(1400.0, 40, peak=1600.0), with_floor(known(1400), 1410)
    section = rated([ada, eve], ["L2W", "W1B"])
    yield "floor", section, ada, "OTBR"
    yield "ceiling", section, eve, "OTBR"
    far = with_floor(known(1400), 1900)
    yield "ceiling far off", rated([far, known(1400)], DRAWN), far, "OTBR"
    two = [known(1500, 60), known(1880, 60)]
    for starts in (date(2024, 3, 1), date(2024, 4, 1), date(2024, 5, 1)):
        section = rated(two, MATCH, starts=starts, kind_letter="M")
        yield from (("match", section, one, "OTBR") for one in two)
    even = [known(1500, 60), known(1500, 60)]
    section = rated(even, DRAWN, kind_letter="M")
    yield "match within limits", section, even[0], "OTBR"
    low = with_opening(1400.0, 40, peak=1600.0)
    section = rated([known(1400), low], MATCH, kind_letter="M")
    yield "match to the floor", section, low, "OTBR"


def special() -> Iterator[tuple[str, Section, Player, str]]:
    few = known(1200, 6)
    wins = with_opening(1700.0, 3, record="all_wins")
    losses = with_opening(900.0, 3, record="all_losses")
    strong = with_opening(2690.0, 3, record="mixed")
    strong_too = known(2700)
    for kind, one, other, rows in (
        ("few games", few, known(1300), TWO),
        ("all wins", wins, known(1500), ["L2W", "W1B"]),
        ("all losses", losses, known(1000), TWO),
        ("highest start", strong, strong_too, TWO),
    ):
        yield kind, rated([one, other], rows), one, "OTBR"


def newcomers(staff: User) -> Iterator[tuple[str, str, User | None]]:
    kid = make_player(birth_date=date(2010, 5, 5), account=make_user("kid"))
    other = make_player(birth_date=date(2012, 5, 5))
    olga = known(950)
    blended = make_player(birth_date=date(2009, 5, 5), account=make_user("blended"))
    open_rating(blended, "OTBQ", 1234.0, 5)
    ageless, adult = (
        make_player(birth_date=None),
        make_player(birth_date=None, adult=True),
    )
    old = make_player(birth_date=date(1950, 1, 1))
    nine = [make_player(birth_date=date(1990, 1, 1)), known(1510)]
    open_rating(nine[0], "OTBQ", 1500.0, 40)
    section = rated(
        [kid, other, olga, blended, ageless, adult, old, *nine],
        [
            *("D2W D3B D4W", "D1B D4W U0", "D4W D1W W5W", "D3B D2B D1B", "U0 U0 L3B"),
            *("W7W U0 U0", "L6B U0 U0", "W9W U0 U0", "L8B U0 U0"),
        ],
    )
    met = [kid, olga, blended, ageless, adult, old, *nine]
    for player in met:
        for reader in (None, staff, player.account):
            yield "newcomers", why_url(section, player), reader
    weak = [make_player(birth_date=date(2010, 5, 5)), known(100)]
    section = rated(weak, TWO)
    for reader in (None, staff):
        yield "any rating", why_url(section, weak[0]), reader
    low = [make_player(birth_date=date(2010, 5, 5)), known(1000), known(1900)]
    low += [known(1900), known(1500)]
    rows = ["D2W D3B D4W", "D1B W4W W3B", "D4W D1W L2W", "D3B L2B D1B", "U0 U0 U0"]
    section = rated(low, rows)
    for player in low[1:]:
        yield "rounded", why_url(section, player), None
    section = rated([olga, known(950)], DRAWN, starts=date(2024, 6, 1))
    yield "rounded later", why_url(section, olga), None
    two = [olga, known(950, 60)]
    section = rated(two, MATCH, starts=date(2024, 7, 1), kind_letter="M")
    yield "match after one with newcomers", why_url(section, olga), None


def faults(staff: User) -> Iterator[tuple[str, str, User | None]]:
    two = [known(1500), known(1500)]
    section = rated(two, TWO)
    another_line(section, two[0], document="nonsense")
    yield "no inputs", why_url(section, two[0], "OTBQ"), None
    section = rated(two, TWO)
    another_line(section, two[0], post_rating=1533.0, k=None)
    for reader in (None, staff):
        yield "does not match", why_url(section, two[0], "OTBQ"), reader


def abroad(staff: User) -> Iterator[tuple[str, str, User | None]]:
    list_with_masters()
    office = foreign_staff()
    newcomer = make_player()
    olga = master(9)
    home = {"starts": date(2024, 4, 1)}
    rated([olga, newcomer], TWO, **home)
    mine = master(7, account=make_user("traveller"))
    for player, results, fields in (
        (master(0), [(2400, 2), (None, 1), (1900, 2), (2300, 2)], {}),
        (mine, [(2400, 2), (2500, 2), (2550, 2), (None, 0), (None, 0)], {}),
        (master(2), [(2000, 0)], {"is_youth": True}),
        (master(3, rating=2300.0, games=30), [(1600, 0)] * 25, {}),
        (with_floor(master(4), 2310), [(2500, 2)] * 2 + [(2300, 1)], {}),
        (with_floor(master(5), 2900), [(2300, 0)] * 3, {}),
        (master(6, rating=2500.0), [(2700, 0)] * 3, {}),
        (olga, [(2400, 2), (2450, 2), (2500, 2)], {}),
    ):
        result = rated_abroad(office, player, results, **fields)
        url = f"/foreign/{result.event_id}/why/{player.member_id}/"
        for reader in (None, player.account):
            yield "abroad", url, reader
    result.games.update(half_points=0)
    for reader in (None, staff):
        yield "differs abroad", url, reader


def estimates() -> Iterator[str]:
    blended = make_player()
    open_rating(blended, "OTBQ", 1234.0, 5)
    known_as = blended.member_id
    own = {"rating": 1950, "games": 40, "o": [1900, 2000], "r": ["W", "D"]}
    yield f"/estimate/?{urlencode(own, doseq=True)}"
    own = {"rating": 1950, "o": [1900, 2000, 2100], "r": ["W"]}
    yield f"/estimate/target/?{urlencode(own, doseq=True)}"
    rows = f"unr W2 D3 D4\nunr adult L1 D4\n1654/1598 D1\n{known_as} D1 D2"
    for number in range(5):
        query = urlencode({"rows": rows, "why": number, "control": "G/60;d5"})
        yield f"/estimate/section/?{query}"


def read(client: Client, url: str, reader: User | None, language: str) -> str:
    """Return the page in a language."""
    if reader is None:
        client.logout()
    else:
        client.force_login(reader)
    response = client.get(url, headers={"accept-language": language})
    assert response.status_code == 200, url
    return response.content.decode()
