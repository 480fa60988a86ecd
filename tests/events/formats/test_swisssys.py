"""SwissSys's event files and published pages, compared with real ones."""

import json
import re
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.formats.checks.report import check_report
from events.formats.dbf.tables import MAX_RECORDS
from events.formats.findings import Collector, Severity
from events.formats.report import ReportedEvent, format_cell
from events.formats.report_reader import read_report
from events.formats.swisssys.event import looks_like_event, read_event
from events.formats.swisssys.web import looks_like_web, read_web
from tests.cpu_time import cpu_time
from tests.hypothesis_settings import example_count, is_search_profile

REAL = Path(__file__).parents[2] / "data" / "real-files"
FACTS = json.loads((REAL / "swisssys-facts.json").read_text())
EVENTS = sorted(FACTS)
WEB = [
    "swisssys-web/april-open-2026-04.json",
    "swisssys-web/norm-round-robin-2025-04.json",
]


def real(name):
    return (REAL / name).read_bytes()


def read(document, name="event.sjson"):
    """Read with ``read_report``; return the report and its findings' codes."""
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    result = read_report([(name, data)])
    return result.reported, Counter(finding.code for finding in result.findings)


# Real files


SPELLED = {
    "4/17/2026": date(2026, 4, 17),
    "4/18/2026": date(2026, 4, 18),
    "12/19/25": date(2025, 12, 19),
    "6-Mar-2026": date(2026, 3, 6),
    "3-Apr-2026": date(2026, 4, 3),
}
# Its one round has results, although the file counts no round as played.
ROUNDS = {"Extra Games DN": 1}


def facts_of(section):
    codes = Counter(cell.code for entry in section.entries for cell in entry.cells)
    assert not any(cell.raw for entry in section.entries for cell in entry.cells)
    return {
        "name": section.name,
        "rounds": section.rounds,
        "players": len(section.entries),
        "with_id": sum(bool(entry.member_id) for entry in section.entries),
        "decisive": codes["W"],
        "drawn": codes["D"] / 2,
        "half_byes": codes["H"],
        "full_byes": codes["B"],
        "zero": codes["U"],
        "forfeits": codes["X"] + codes["F"],
        "half_points": 2 * (codes["W"] + codes["X"] + codes["B"])
        + codes["D"]
        + codes["H"],
    }


def open_rounds(section):
    """Count the rounds without a result, which are zero points in the facts."""
    rounds = [text for one in section["Players"] for text in one["Results"]]
    return sum(text.startswith("~") for text in rounds)


@pytest.mark.parametrize("name", EVENTS)
def test_real_event_file_has_the_counts_of_the_facts(name):
    result = read_report([("any.name", real(name))])
    facts, reported = FACTS[name], result.reported
    assert Severity.ERROR not in {finding.severity for finding in result.findings}
    assert reported.name == facts["title"]
    assert (reported.starts, reported.ends) == tuple(
        SPELLED.get(facts[day]) or date.fromisoformat(facts[day])
        for day in ("starts", "ends")
    )
    # A section without players has no games.
    expected = [
        fact
        | {"zero": fact["zero"] - open_rounds(section)}
        | {"rounds": ROUNDS.get(fact["name"], fact["rounds"])}
        for fact, section in zip(
            facts["sections"], json.loads(real(name))["Sections"], strict=True
        )
        if fact["players"]
    ]
    assert [facts_of(section) for section in reported.sections] == expected
    # Both sides of every game agree.
    faults = {one.code for one in check_report(reported) if one.place.round_number}
    assert faults <= {"result.missing"}


@pytest.mark.parametrize("name", ["april-open-2026-04", "autumn-scholastic-2025-10"])
def test_event_file_agrees_with_its_three_dbf_files(name):
    folder = REAL / "swisssys-report" / name
    tables = [(path.name, path.read_bytes()) for path in folder.glob("*.DBF")]
    exported = read_report(tables).reported
    reported, _ = read(real(f"swisssys-report/{name}/event.sjson"))
    assert len(reported.sections) == reported.total_sections == exported.total_sections
    for ours, theirs in zip(reported.sections, exported.sections, strict=True):
        # The event file has neither directors nor the system; the tables have 30
        # letters for a name.
        expected = replace(theirs, chief_td_id="", assistant_td_id="", system_letter="")
        assert replace(ours, entries=()) == replace(expected, entries=())
        for our, their in zip(ours.entries, theirs.entries, strict=True):
            # The tables have 0 for no rating.
            rating = their.rating if their.rating != "0" else ""
            assert replace(our, name="") == replace(their, name="", rating=rating)
            assert our.name[:20] == their.name[:20]


def test_published_page_has_the_players_and_games_of_its_event_file():
    published, codes = read(real(WEB[0]), "april.json")
    reported, _ = read(real("swisssys-report/april-open-2026-04/event.sjson"))
    assert [(s.name, s.rounds, s.entries) for s in published.sections] == [
        (s.name, s.rounds, s.entries) for s in reported.sections
    ]
    assert (published.name, published.starts) == (reported.name, reported.starts)
    assert (published.city, published.state, published.ends) == ("Portland", "OR", None)
    assert codes == {"swisssys.section_empty": 1}
    # The report asks for missing values.
    asked = {finding.code for finding in check_report(published)}
    assert {"section.kind_missing", "section.time_control_missing"} <= asked


def test_norm_round_robin_has_the_members_ids_second_or_not_at_all():
    reported, codes = read(real("swisssys-event/northwest-im-norm-rr-apr-2025.sjson"))
    published, codes_of_page = read(real(WEB[1]), "norm.json")
    [ours], [theirs] = reported.sections, published.sections
    first = ours.entries[0]
    assert (first.member_id, first.rating) == ("35111198", "2517")
    assert (first.fide_id, first.fide_rating) == ("717860", "2456")
    assert (ours.kind_letter, ours.has_opponent_columns) == ("R", False)
    assert tuple(replace(entry, member_id="") for entry in ours.entries) == tuple(
        theirs.entries
    )
    assert codes == codes_of_page == {"swisssys.fide_first": 1}


def test_other_data_of_a_real_file_is_reported():
    _, codes = read(real("swisssys-event/state-championships-downstair.sjson"))
    assert codes == {
        "swisssys.section_unrated": 1,
        "swisssys.teams": 4,
        "swisssys.no_result": 4,
        "value.date_spelling": 2,
    }
    _, codes = read(real("swisssys-event/club-2025-06.sjson"))
    assert codes == {"swisssys.teams": 1, "swisssys.round_to_come": 2}


@pytest.mark.parametrize("name", [*EVENTS, *WEB])
def test_real_file_is_recognized_by_its_content(name):
    # Its name is not significant, and it may be cut off.
    for data in (real(name), real(name)[:1500]):
        assert looks_like_event("x", data) == (name not in WEB)
        assert looks_like_web("x", data) == (name in WEB)


# Generated documents


def player(number, *results, **changes):
    return {
        "Pair number": number,
        "Name": f"Player {number}",
        "ID": f"1234567{number}"[:8],
        "Rating": 1500,
        "Results": list(results),
        **changes,
    }


def event(*players, overview=(), **changes):
    section = {
        "Section name": "Open",
        "Type": 0,
        "Rounds played": 1,
        "Players": list(players) or [player(1, "+;2;W;1"), player(2, "-;1;B;1")],
        **changes,
    }
    return {
        "Overview": {"Tournament title": "May Open", **dict(overview)},
        "Sections": [section],
    }


def cells(*players, **changes):
    reported, codes = read(event(*players, **changes))
    assert not codes.keys() - {"swisssys.no_result", "swisssys.round_to_come"}
    return [
        " ".join(format_cell(cell) or "-" for cell in entry.cells)
        for entry in reported.sections[0].entries
    ]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("+;14;B;10;14;14;0", "W14B"),
        ("-;14;w", "L14W"),
        ("=;14;-", "D14"),
        ("X;14;*;3;0;0;0", "X14"),
        ("X;0;-;21;0;0;0", "X0"),
        ("F;14;-;3", "F14"),
        ("H;-1;-;0;-1;-1;0", "H0"),
        ("B;0;-;0;-1;-1;0", "B0"),
        ("U;0;-;0;0;0;0", "U0"),
        # Unreadable text stays, and checks do not count it as a result.
        ("?;14;W;1;1;1;0", "?;14;W;1;1;1;0"),
        ("+;99999;W;1", "+;99999;W;1"),
        ("+;x;W", "+;x;W"),
        ("+", "+"),
        ("W14B", "W14B?"),
        (7, "“7”"),
        (True, "“True”"),
        ({"+": 1}, "{…}"),
        ([["+;1;W"]], "[…]"),
        (float("nan"), "NaN"),
    ],
)
def test_each_result_is_a_cell(text, cell):
    reported, _ = read(event(player(1, text)))
    assert format_cell(reported.sections[0].entries[0].cell(1)) == cell
    unreadable = bool(reported.sections[0].entries[0].cell(1).raw)
    reported_rounds = {
        (one.code, one.place.round_number) for one in check_report(reported)
    }
    assert (("result.unreadable", 1) in reported_rounds) == unreadable


OPEN, PAIRED = "~;0;-;0;0;0;0", "~;2;W;7;2;2;0"


@pytest.mark.parametrize(
    ("results", "changes", "expected"),
    [
        ([OPEN, OPEN, OPEN], {}, "- - -"),
        ([OPEN, "\0;0;-;0", None], {"Reserved byes": "1 2z 3 "}, "H0 U0 H0"),
        ([OPEN], {"Reserved byes": "1,3"}, "H0 - H0"),
        # Results take precedence over requested byes.
        (["+;2;W", PAIRED, "U;0;-"], {"Reserved byes": "1 2 3"}, "W2W - U0"),
        ([OPEN, OPEN, PAIRED], {"Withdrew": True}, "U0 U0 -"),
        ([OPEN, OPEN, OPEN], {"Withdrew": True, "Reserved byes": "2"}, "U0 H0 U0"),
        ([OPEN, OPEN, OPEN], {"Reserved byes": "1q 0 99 -"}, "- - -"),
    ],
)  # fmt: skip
def test_requested_bye_fills_a_round_without_a_result(results, changes, expected):
    played = player(2, "U;0", "U;0", "U;0")
    actual, _ = cells(player(1, *results, **changes), played, **{"Rounds played": 3})
    assert actual == expected


def test_future_round_is_skipped_but_no_result():
    pair = player(1, "+;2;W", "~;2;B"), player(2, "-;1;B", "~;1;W")
    assert cells(*pair) == ["W2W", "L1B"]
    played = player(1, "+;2;W", "+;2;B"), player(2, "-;1;B", "~;1;W")
    assert cells(*played) == ["W2W W2B", "L1B -"]
    reported, codes = read(event(*played))
    assert reported.sections[0].rounds == 2
    assert codes == {"swisssys.no_result": 1}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2025-03-05", date(2025, 3, 5)),
        ("2025/4/1", date(2025, 4, 1)),
        ("2026-05-16T09:30:00", date(2026, 5, 16)),
        ("2/28/2025", date(2025, 2, 28)),
        ("2-28-25", date(2025, 2, 28)),
        ("4/17/2026 10:00 AM", date(2026, 4, 17)),
        ("May 29, 2020", date(2020, 5, 29)),
        ("Friday, September 4, 2020", date(2020, 9, 4)),
        ("6-Mar-2026", date(2026, 3, 6)),
        ("6 March 26", date(2026, 3, 6)),
        ("2/29/2025", None),
        ("17/4/2026", date(2026, 4, 17)),
        ("soon", None),
        ("May 29", None),
        ("6-Mat-2026", None),
        (20250305, date(2025, 3, 5)),
        ("0000-00-00", None),
    ],
)
def test_day_is_read_in_every_spelling(text, day):
    reported, codes = read(event(overview={"Starting date": text}))
    assert reported.starts == day
    assert ("value.unreadable" in codes) == (day is None)
    assert ("value.date_spelling" in codes) == (text in (
        "2/28/2025", "2-28-25", "4/17/2026 10:00 AM",
    ))  # fmt: skip


def test_newer_files_tell_place_affiliate_and_director():
    director = {"Player ID": "12345671", "Delegation Level": "TournamentDirector"}
    overview = {
        "Program": "SwissSys",
        "Version": 11.61,
        "Organizer ID": "a6000001",
        "Organizer ID Type": "USCFAffiliateID",
        "Event city": "Hillsboro",
        "Event state": "or",
        "Event zip code": "97124 ",
        "Event country": "USA",
        "Delegations": [{"Player ID": "1", "Delegation Level": "Owner"}, director],
    }
    reported, codes = read(event(overview=overview))
    assert not codes
    assert replace(reported, sections=()) == ReportedEvent(
        program="SwissSys 11.61",
        name="May Open",
        affiliate_id="A6000001",
        city="Hillsboro",
        state="OR",
        zip_code="97124",
        country="USA",
        chief_td_id="12345671",
        total_sections=1,
    )
    # With two, the chief is unknown.
    overview["Delegations"].append(director)
    assert read(event(overview=overview))[0].chief_td_id == ""


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([("12345678", "2016192")], ("12345678", "2016192", "1500", "1450")),
        ([("12345678", None)], ("12345678", "", "1500", "")),
        ([(12345678.0, "n/a")], ("12345678", "", "1500", "")),
        ([(1234567, None)], ("01234567", "", "1500", "")),
        ([(0, None)], ("", "", "1500", "")),
        ([("123 ", None)], ("123", "", "1500", "")),
        ([("30920019", "12345678"), ("717860", "12345679")],
         ("12345678", "30920019", "1450", "1500")),
        # A single error does not swap the columns.
        ([("12345678", "2016192"), ("1234567", "12345679"), ("12345670", "717860")],
         ("12345678", "2016192", "1500", "1450")),
    ],
)  # fmt: skip
def test_both_ids_and_ratings_are_distinguished(ids, expected):
    players = [
        player(number, ID=first, ID2=second, Rating=1500, Rating2=1450)
        for number, (first, second) in enumerate(ids, start=1)
    ]
    entry = read(event(*players))[0].sections[0].entries[0]
    assert (entry.member_id, entry.fide_id, entry.rating, entry.fide_rating) == expected


def test_section_without_a_time_control_has_that_of_the_event():
    control = {"Tournament time controls": "G/90;d5"}
    assert read(event(overview=control))[0].sections[0].time_control == "G/90;d5"
    changes = {"Section time control": "G/25;+5"}
    reported, _ = read(event(overview=control, **changes))
    assert reported.sections[0].time_control == "G/25;+5"


# No result is lost silently, and no exception is raised


@pytest.mark.parametrize(
    ("document", "codes"),
    [
        ({"Overview": {}, "Sections": []}, {"swisssys.no_players"}),
        ({"Overview": {}, "Sections": None},
         {"swisssys.no_players", "swisssys.missing"}),
        (event(Players=[]), {"swisssys.no_players", "swisssys.section_empty"}),
        (event(Players=None, **{"Number of players": 8}),
         {"swisssys.no_players", "swisssys.player_count", "swisssys.missing"}),
        ({"Overview": {}, "Sections": {"a": 1}},
         {"swisssys.no_players", "swisssys.unreadable"}),
        ({"NACHEventID": 1, "rounds_paired": 2},
         {"swisssys.no_players", "swisssys.missing"}),
        ({"NACHEventID": 1, "sections": [{"rounds_paired": 0, "players": []}]},
         {"swisssys.no_players", "swisssys.section_empty"}),
        (b'{"Overview": {}, "Sections": [', {"json.unreadable"}),
        (b'{"Overview": {}, "Sections": ' + b"[" * 100_000, {"json.unreadable"}),
    ],
)  # fmt: skip
def test_file_without_players_is_rejected(document, codes):
    reported, counts = read(document)
    assert reported is None
    assert counts.keys() == codes


@pytest.mark.parametrize(
    ("document", "codes"),
    [
        (event(player(1, Results="+;2;W")), {"swisssys.unreadable"}),
        (event(player(1, Results={"1": "+;2;W"})), {"swisssys.unreadable"}),
        (event(player(1), ["+;1;W"]), {"swisssys.unreadable"}),
        (event(player(1), {"0": player(2)}), {"swisssys.missing"}),
        ({**event(), "Sections": [*event()["Sections"], event()]},
         {"swisssys.missing"}),
        (event(player(1), **{"Number of players": 2}), {"swisssys.player_count"}),
        ({**event(), "Sections": [*event()["Sections"], 7]}, {"swisssys.unreadable"}),
        ({**event(), "Overview": [1]}, {"value.unreadable"}),
        (event(player("first", Name=["A"], Rating={})), {"value.unreadable"}),
        (event(player(10**30, ID=True)), {"value.unreadable"}),
        (event(player(1, **{"Reserved byes": 5, "Withdrew": "perhaps"})),
         {"value.unreadable"}),
        (event(player(1, Name="A\0\ud800")), {"json.characters"}),
        (event(Type="Swiss", **{"Rounds played": -3}), {"value.unreadable"}),
        (event(Teams=[1, 2], Type=float("inf")),
         {"swisssys.teams", "value.unreadable"}),
        (event(player(1, *["U;0;-"] * 100)), {"json.too_large"}),
        ({**event(), "Sections": event()["Sections"] * 100}, {"json.too_large"}),
        (json.dumps(event()).replace('"Results"', '"Results": ["+;2;B"], "Results"')
         .encode(), {"swisssys.name_twice"}),
        (json.dumps(event(player(1, Name="José")), ensure_ascii=False)
         .encode("cp1252"), {"swisssys.encoding"}),
    ],
)  # fmt: skip
def test_fault_is_reported_and_the_rest_read(document, codes):
    reported, counts = read(document)
    assert counts.keys() == codes
    assert reported.sections[0].entries
    assert ReportedEvent.from_json(reported.to_json()) == reported
    json.dumps(reported.to_json()).encode()


def test_numbers_given_twice_and_opponents_unknown_are_left_to_the_checks():
    reported, codes = read(event(player(1, "+;2;W"), player(1, "-;9;B")))
    assert not codes
    assert {"entry.pairing_number_repeated", "result.unknown_opponent"} <= {
        finding.code for finding in check_report(reported)
    }


def large(count):
    """Return a Swiss of nine rounds."""
    return event(
        *(
            player(number, *(f"+;{count + 1 - number};W;1;1;1;0",) * 9)
            for number in range(1, count + 1)
        ),
        **{"Rounds played": 9},
    )


def test_large_event_is_read_soon_and_a_hostile_one_in_part():
    data = json.dumps(large(500)).encode()
    with cpu_time() as spent:
        reported = read_event("e", data, Collector())
    assert spent.seconds < 1
    assert len(reported.sections[0].entries) == 500
    reported, codes = read(large(10_000))
    assert len(reported.sections[0].entries) == MAX_RECORDS
    assert codes == {"json.too_large": 1}


# Published pages


def page(players, pairings=(), **changes):
    section = {
        "section": "Open",
        "rounds_played": 1,
        "rounds": [{"pairings": list(pairings)}],
        "players": [
            {"name": f"P{n}", "results": [r], "colors": [c], "ops": [o]}
            for n, (r, c, o) in enumerate(players, start=1)
        ],
        **changes,
    }
    return {"NACHEventID": 1, "sections": [section]}


def pairing(white, black, result):
    return {"white": white, "black": black, "board": 1, "result": result}


WON, LOST, UNREPORTED = ("W", "W", 2), ("L", "B", 1), ("", "-", 0)


@pytest.mark.parametrize(
    ("players", "pairings", "expected", "codes"),
    [
        ([WON, LOST], [pairing(1, 2, "(1-0)")], ["W2W", "L1B"], {}),
        ([WON, LOST], [], ["W2W", "L1B"], {}),
        ([UNREPORTED, UNREPORTED], [pairing(2, 1, "(0.5-0.5)")], ["D2B", "D1W"], {}),
        ([UNREPORTED, UNREPORTED], [pairing(1, 0, "(1)"), pairing(2, 0, "(0.5)")],
         ["B0", "H0"], {}),
        ([UNREPORTED, WON], [pairing(1, 0, "(0)")], ["U0", "W2W"], {}),
        ([("X", "-", 2), ("F", "-", 1)], [pairing(1, 2, "(1-0)")], ["X2", "F1"], {}),
        ([("F", "W", 2), ("F", "B", 1)], [pairing(1, 2, "(0-0)")],
         ["F2W", "F1B"], {}),
        ([("X", "-", 0), UNREPORTED], [pairing(1, 0, "(1)")], ["X0", "-"], {}),
        ([("", "W", 2), ("", "B", 1)], [pairing(1, 2, "")], ["-", "-"],
         {"no_result": 2}),
        # The two contradict each other.
        ([WON, LOST], [pairing(1, 2, "(0-1)")], ["W2W (0-1)", "L1B (0-1)"],
         {"pairing_differs": 2}),
        ([WON, LOST, ("B", "-", 0)], [pairing(1, 3, "(1-0)")],
         ["W2W (1-0)", "L1B", "B0 (1-0)"], {"pairing_differs": 2}),
        # An unknown result.
        ([WON, LOST], [pairing(1, 2, "(+--)")], ["W2W", "L1B"],
         {"pairing_differs": 2}),
        ([UNREPORTED, UNREPORTED], [pairing(1, 2, "(2-0)")], ["(2-0)", "(2-0)"], {}),
        ([("I", "W", 2), (None, None, None)], [], ["I?", "-"], {}),
        ([WON, LOST], [pairing(1, 9, "(1-0)")], ["W2W", "L1B"],
         {"pairing_unknown": 1}),
    ],
)  # fmt: skip
def test_players_lists_and_pairings_are_compared(players, pairings, expected, codes):
    reported, counts = read(page(players, pairings))
    assert [
        format_cell(cell) or "-"
        for entry in reported.sections[0].entries
        for cell in entry.cells
    ] == expected
    assert counts == {f"swisssys.{code}": count for code, count in codes.items()}


# Each result of a damaged real file is a cell, or an error says why not


WRONG = [
    None, True, -1, 0, 7, 10**30, 1e308, float("nan"), "", "x", "+", "\0\ud800",
    "W1W", [], {}, [[[]]], {"": 5}, "9" * 600,
]  # fmt: skip
CHANGES = st.sampled_from(
    [
        *(lambda value, wrong=wrong: deepcopy(wrong) for wrong in WRONG),
        lambda value: [value],
        lambda value: {"0": value},
        str,
        lambda value: dict(enumerate(value)) if isinstance(value, list) else value,
        lambda value: value * 2 if isinstance(value, (str, list)) else value,
    ]
)
QUICK = ("2026-03-22.sjson", "senior-open-2025.sjson", "christmas-blitz.sjson")
# None drops the value.
DONE = st.lists(
    st.tuples(st.integers(0, 10**6), st.none() | CHANGES), min_size=1, max_size=4
)
CUTS = st.none() | st.tuples(st.integers(0, 10**6), st.integers(1, 300))


def places(value, path=()):
    """Yield the containers and keys of all values, except those of teams."""
    keys = {dict: value, list: range(len(value))}[type(value)]
    for key in keys:
        if key != "Teams":
            yield value, key
            if isinstance(value[key], (dict, list)):
                yield from places(value[key])


def damaged(data, done, cut):
    document = json.loads(data)
    for number, change in done:
        nodes = list(places(document))
        container, key = nodes[number % len(nodes)]
        if change is None:
            del container[key]
        else:
            container[key] = change(container[key])
        if not document:
            break
    data = json.dumps(document).encode()
    if cut is not None:
        start = cut[0] % len(data)
        data = data[:start] + data[start + cut[1] :]
    return data


def texts(value, path=()):
    """Yield every text of a document with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in items:
            yield from texts(one, (*path, key))


def pointer(path):
    return "".join(
        f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path
    )


def entries_by_path(document, report, sections, players):
    """Return the entries by the path of their player in the document."""
    kept = iter(report.sections)
    by_path = {}
    for index, section in enumerate(document[sections]):
        listed = section.get(players) if isinstance(section, dict) else None
        listed = listed if isinstance(listed, list) else []
        there = [place for place, one in enumerate(listed) if isinstance(one, dict)]
        if there:
            for place, entry in zip(there, next(kept).entries, strict=True):
                by_path[sections, index, players, place] = entry
    return by_path


def accounted_for(read_it, data, names, is_result):
    findings = Collector()
    report = read_it("x", data, findings)
    errors = [f for f in findings.in_order() if f.severity is Severity.ERROR]
    if report is None:
        assert errors
        return
    assert ReportedEvent.from_json(report.to_json()) == report
    json.dumps(report.to_json()).encode()
    check_report(report)
    document = json.loads(data)
    entries = entries_by_path(document, report, *names[:2])
    for path, text in texts(document):
        if not is_result(path, text):
            continue
        entry = entries.get(path[:4])
        place = path[5] if len(path) > 5 and path[4:5] == names[2:] else None
        is_cell = (
            isinstance(place, int) and entry and not entry.cell(place + 1).is_blank
        )
        if not is_cell:
            place = pointer(path) + "/"
            assert any(place.startswith(place_of_finding(f) + "/") for f in errors), (
                path
            )


def place_of_finding(finding):
    """Return the path of a finding; a missing value may be anywhere next to it."""
    where = finding.place.field
    is_missing = finding.code == "swisssys.missing"
    return where.rpartition("/")[0] if is_missing else where


def is_result_of_event(path, text):
    """Return whether a text is in a list of results, or similar, and not of teams."""
    if "Teams" in path:
        return False
    listed = "Results" in path[:5] and text.strip("\0\ud800 ")[:1] not in ("", "~", ";")
    return listed or re.match(r"[-+=HBUXF];-?[0-9]+;", text)


def is_result_of_page(path, text):
    return "results" in path[:5] and bool(text.strip("\0\ud800 ~-"))


@settings(max_examples=example_count(300), deadline=None)
@given(
    st.sampled_from(
        EVENTS
        if is_search_profile()
        else [one for one in EVENTS if one.endswith(QUICK)]
    ),
    DONE,
    CUTS,
)
def test_no_result_of_a_damaged_event_file_is_lost_silently(name, done, cut):
    data = damaged(real(name), done, cut)
    names = ("Sections", "Players", "Results")
    accounted_for(read_event, data, names, is_result_of_event)


@settings(max_examples=example_count(150), deadline=None)
@given(st.sampled_from(WEB if is_search_profile() else WEB[1:]), DONE, CUTS)
def test_no_result_of_a_damaged_page_is_lost_silently(name, done, cut):
    data = damaged(real(name), done, cut)
    names = ("sections", "players", "results")
    accounted_for(read_web, data, names, is_result_of_page)
