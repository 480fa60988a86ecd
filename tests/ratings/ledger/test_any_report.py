"""Any report is either held with findings, or rated as previewed."""

from datetime import date

import pytest
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from events.checks.queries.members import members_of
from events.checks.services import blocking_findings
from events.formats.report import Cell, ReportedEvent
from events.models import Submission
from events.reports.services.submissions import (
    override_findings,
    reported_in,
    submit_report,
)
from events.review.services.acceptance import accept_report
from ratings.ledger.queries.published_ratings import published
from ratings.ledger.services.previews import preview_report
from ratings.ledger.services.rating import rate_section
from ratings.models import RatingChange
from tests.factories import (
    END,
    START,
    event_report,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
)
from tests.hypothesis_settings import example_count

pytestmark = pytest.mark.django_db

TABLE_BY_OPPONENTS = [
    "U0 W2W D3B W4W",
    "L1B U0 W3W D4B",
    "D1W L2B U0 W4W",
    "L1B D2W L3B U0",
]
numbers = st.integers(1, 4)
games = st.tuples(
    st.just("game"), numbers, numbers, st.integers(1, 4), st.sampled_from(["WL", "DD"])
)
cells = st.tuples(
    st.just("cell"),
    numbers,
    st.integers(1, 5),
    st.sampled_from("XFZBHUINSR$%"),
    numbers,
)
entries = st.tuples(
    st.just("entry"),
    numbers,
    st.sampled_from(
        [
            {"member_id": "01234567"},
            {"member_id": "00000000"},
            {"member_id": "20990001"},
            {"member_id": "20990002"},
            {"pairing_number": 7},
            {"name": "X" * 200},
        ]
    ),
)
sections = st.tuples(
    st.just("section"),
    st.sampled_from(
        [
            {"kind_letter": "2"},
            {"kind_letter": "D"},
            {"kind_letter": "M"},
            {"rounds": 2},
            {"rounds": 70_000},
            {"time_control": "G/60;d5"},
            {"time_control": "G/90;d5" + " " * 90},
            {"starts": date(1, 1, 1)},
            {"ends": START, "starts": END},
            {"online": True},
            {"system_letter": "RRR"},
            {"grand_prix": True, "grand_prix_points": 99_999},
            {"chief_td_id": "00000000"},
        ]
    ),
)


def edited(reported: ReportedEvent, edit: tuple) -> ReportedEvent:
    what, *rest = edit
    if what == "section":
        return reported.with_section(1, **rest[0])
    if reported.sections[0].entry(rest[0]) is None:
        return reported  # an earlier edit has renumbered this entry
    if what == "entry":
        return reported.with_entry(1, rest[0], **rest[1])
    if what == "cell":
        number, round_number, code, opponent = rest
        return reported.with_cell(1, number, round_number, Cell(code, opponent))
    one, other, round_number, codes = rest
    if reported.sections[0].entry(other) is None:
        return reported
    reported = reported.with_cell(1, one, round_number, Cell(codes[0], other, "W"))
    return reported.with_cell(1, other, round_number, Cell(codes[1], one, "B"))


@settings(
    max_examples=example_count(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    table=st.sampled_from(["S", "R"]),
    edits=st.lists(st.one_of(games, cells, entries, sections), max_size=2),
)
@example(table="S", edits=[("entry", 1, {"member_id": "01234567"})])
@example(table="S", edits=[("entry", 2, {"member_id": "20990001"})])
@example(table="S", edits=[("section", {"grand_prix_points": 99_999})])
@example(table="R", edits=[("cell", 1, 5, "B", 1)])
@example(table="R", edits=[])
def test_report_is_held_back_or_rated_as_previewed(db, table, edits):
    with transaction.atomic():
        td, staff = make_td(), make_staff()
        players = [
            make_player(f"2099000{place}", ratings={"OTBR": (1500.0, 30)})
            for place in range(1, 4)
        ]
        players.append(make_player("20990004"))
        rows = TABLE_BY_OPPONENTS if table == "R" else swiss_rows(4, 3)
        section = section_report(players, rows, kind_letter=table)
        report = event_report(td, [section])
        for edit in edits:
            report = edited(report, edit)
        submission = Submission.objects.create(
            uploaded_by=td, content_digest="any", content=report.to_json()
        )

        report = reported_in(submission)
        [preview] = preview_report(report, members_of(report))
        for finding in blocking_findings(submission):
            if finding.severity != "error":
                override_findings(
                    submission_id=submission.pk,
                    actor=td,
                    finding_keys=[finding.key],
                    reason="So it is.",
                )
        if not blocking_findings(submission):
            submit_report(submission_id=submission.pk, actor=td)
            event = accept_report(submission_id=submission.pk, actor=staff)
            rated = event.sections.get()
            rate_section(section_id=rated.pk)
            member_ids = {
                e.pairing_number: e.member_id for e in report.sections[0].entries
            }
            assert {
                (member_ids[line.pairing_number], line.system.value): line.post
                for line in preview.lines
                if line.post is not None
            } == {
                (line.player.member_id, line.calculation.system): published(line)
                for line in RatingChange.objects.filter(calculation__section=rated)
            }
        transaction.set_rollback(True)
