"""What must not be is refused by the database itself, whatever the code before it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from events.models import (
    Affiliate,
    Entry,
    Event,
    FindingOverride,
    Game,
    OfficeTask,
    Section,
    Submission,
    SubmissionFile,
    UnplayedRound,
)
from players.models import ExternalRating, Membership, Player
from ratings.models import (
    Calculation,
    CalculationInputs,
    Ceiling,
    Floor,
    OpeningEntry,
    PlayerRating,
    PublishedRating,
    RatingChange,
    Run,
)
from ratings_site.common.models import AuditEntry, Job
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    rated_event,
    section_report,
    swiss_rows,
)

OUR_APPS = ("common", "players", "events", "ratings")
DAY = date(2024, 5, 4)
EVE = DAY - timedelta(days=1)

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> SimpleNamespace:
    """One rated section of two established players, and those who handled it."""
    td, staff = make_td(), make_staff()
    players = [
        make_player(ratings={"OTBR": (1500.0, 30)}),
        make_player(ratings={"OTBR": (1600.0, 30)}),
    ]
    report = event_report(td, [section_report(players, swiss_rows(2, 1))])
    event = rated_event(td, report, staff=staff)
    section = event.sections.get()
    calculation = section.calculations.get(system="OTBR")
    return SimpleNamespace(
        td=td,
        staff=staff,
        event=event,
        submission=event.submission,
        affiliate=event.affiliate,
        section=section,
        player=players[0],
        stranger=make_player(),
        first=section.entries.get(pairing_number=1),
        second=section.entries.get(pairing_number=2),
        calculation=calculation,
        change=calculation.changes.get(player=players[0]),
        opening=OpeningEntry.objects.get(player=players[0]),
        run=calculation.run,
        other_run=Run.objects.create(kind="replay"),
        kind=players[0].memberships.get().type,
    )


# For each model: a row beside those of the world that breaks nothing.


def player(world) -> dict[str, Any]:
    return {"member_id": "31000001", "given_name": "Eve", "family_name": "Euler"}


def membership(world) -> dict[str, Any]:
    return {
        "player": world.player,
        "type": world.kind,
        "starts": DAY,
        "expires": DAY,
    }


def external_rating(world) -> dict[str, Any]:
    return {
        "player": world.player,
        "body": "FIDE",
        "list_date": DAY,
        "rating": 2000,
    }


def affiliate(world) -> dict[str, Any]:
    return {"affiliate_id": "A6000099", "name": "Rook Club", "expires": DAY}


def event(world) -> dict[str, Any]:
    return {
        "event_id": "202405059994",
        "name": "Another",
        "starts": DAY,
        "ends": DAY,
        "affiliate": world.affiliate,
        "submission": Submission.objects.create(
            uploaded_by=world.td, content_digest="another"
        ),
    }


def section(world) -> dict[str, Any]:
    return {
        "event": world.event,
        "number": 2,
        "starts": DAY,
        "ends": DAY,
        "rounds": 1,
        "time_control": "G/60;d5",
    }


def entry(world) -> dict[str, Any]:
    return {
        "section": world.section,
        "player": world.stranger,
        "pairing_number": 3,
    }


def game(world) -> dict[str, Any]:
    return {
        "section": world.section,
        "round_number": 2,
        "first": world.first,
        "second": world.second,
        "first_outcome": "W",
        "second_outcome": "L",
    }


def unplayed_round(world) -> dict[str, Any]:
    return {"entry": world.first, "round_number": 2, "kind": "B"}


def submission(world) -> dict[str, Any]:
    return {"uploaded_by": world.td, "content_digest": "fresh"}


def override(world) -> dict[str, Any]:
    return {
        "submission": world.submission,
        "finding_key": "fresh",
        "message": "Odd.",
        "reason": "It is so.",
        "by": world.td,
    }


def office_task(world) -> dict[str, Any]:
    return {
        "submission": world.submission,
        "player": world.stranger,
        "body": "FIDE",
    }


def calculation(world) -> dict[str, Any]:
    return {
        "run": world.other_run,
        "system": "OTBR",
        "section": world.section,
        "order_date": DAY,
        "order_rank": 2,
        "order_starts": DAY,
        "edition": "2025-07-26",
        "rules_day": DAY,
        "age_day": DAY,
        "engine_version": "1",
        "inputs_digest": "0",
        "is_current": False,
    }


def change(world) -> dict[str, Any]:
    return {
        "calculation": world.calculation,
        "player": world.stranger,
        "pre_rating": 1500.0,
        "pre_games": 30,
        "formula": "standard",
        "post_rating": 1510.0,
        "post_games": 33,
        "record": "mixed",
    }


def opening(world) -> dict[str, Any]:
    return {
        "player": world.stranger,
        "system": "OTBR",
        "as_of": DAY,
        "rating": 1500.0,
        "games": 30,
        "record": "mixed",
        "source": "the old books",
    }


def published(world) -> dict[str, Any]:
    return {
        "entry": world.first,
        "system": "OTBQ",
        "post_rating": 1500.0,
        "source": "the wall",
    }


def current_rating(world) -> dict[str, Any]:
    return {
        "player": world.stranger,
        "system": "OTBR",
        "rating": 1500.0,
        "games": 30,
        "record": "mixed",
        "wins": 0,
        "draws": 0,
        "losses": 0,
        "three_game_events": 0,
        "floor": 100.0,
        "rated_on": DAY,
        "last_change": world.change,
    }


def floor(world) -> dict[str, Any]:
    return {
        "player": world.player,
        "system": "OTBR",
        "kind": "office",
        "level": 1500,
        "starts": DAY,
        "reason": "Asked for.",
        "granted_by": world.staff,
    }


def ceiling(world) -> dict[str, Any]:
    return {
        "player": world.player,
        "system": "OTBR",
        "level": 1500,
        "starts": DAY,
        "reason": "Ruling.",
        "imposed_by": world.staff,
    }


def run(world) -> dict[str, Any]:
    return {"kind": "replay"}


def job(world) -> dict[str, Any]:
    return {"kind": "test", "key": "fresh", "run_after": timezone.now()}


@dataclass(frozen=True)
class Case:
    """A constraint, a row just inside it, and its neighbour just outside."""

    name: str
    model: type[models.Model]
    spare: Callable[[SimpleNamespace], dict[str, Any]]
    refused: Callable[[SimpleNamespace], dict[str, Any]]
    allowed: Callable[[SimpleNamespace], dict[str, Any]] = lambda world: {}


def always(**values: Any) -> Callable[[SimpleNamespace], dict[str, Any]]:
    return lambda world: values


NOW = timezone.now()

CASES = [
    Case(
        "fide_id_belongs_to_one_member",
        Player,
        player,
        allowed=lambda world: with_fide_id(world, "2000002"),
        refused=lambda world: with_fide_id(world, "2000001"),
    ),
    Case(
        "member_id_is_eight_digits",
        Player,
        player,
        allowed=always(member_id="10000000"),
        refused=always(member_id="01000000"),
    ),
    Case(
        "player_status_is_known",
        Player,
        player,
        allowed=always(status="revoked"),
        refused=always(status="gone"),
    ),
    Case(
        "membership_ends_after_it_starts",
        Membership,
        membership,
        refused=always(expires=EVE),
    ),
    Case(
        "one_external_rating_per_body_and_list",
        ExternalRating,
        external_rating,
        allowed=lambda world: with_fide_rating(world, body="CFC"),
        refused=lambda world: with_fide_rating(world, body="FIDE"),
    ),
    Case(
        "external_body_is_known",
        ExternalRating,
        external_rating,
        refused=always(body="ECF"),
    ),
    Case(
        "external_rating_is_plausible",
        ExternalRating,
        external_rating,
        allowed=always(rating=3500),
        refused=always(rating=3501),
    ),
    Case(
        "external_rating_is_plausible",
        ExternalRating,
        external_rating,
        allowed=always(rating=1),
        refused=always(rating=0),
    ),
    Case(
        "affiliate_id_is_letter_and_seven_digits",
        Affiliate,
        affiliate,
        allowed=always(affiliate_id="Z0000000"),
        refused=always(affiliate_id="60000001"),
    ),
    Case("event_ends_after_it_starts", Event, event, refused=always(ends=EVE)),
    Case(
        "event_id_is_twelve_digits",
        Event,
        event,
        refused=always(event_id="20240505999"),
    ),
    Case(
        "section_number_once_per_event",
        Section,
        section,
        refused=always(number=1),
    ),
    Case("section_ends_after_it_starts", Section, section, refused=always(ends=EVE)),
    Case(
        "section_status_is_known",
        Section,
        section,
        allowed=always(status="rated"),
        refused=always(status="odd"),
    ),
    Case(
        "section_kind_is_known",
        Section,
        section,
        allowed=always(kind="double_round_robin"),
        refused=always(kind="knockout"),
    ),
    Case(
        "pairing_number_once_per_section",
        Entry,
        entry,
        refused=always(pairing_number=2),
    ),
    Case(
        "pairing_number_begins_with_one",
        Entry,
        entry,
        refused=always(pairing_number=0),
    ),
    Case(
        "nobody_plays_against_himself",
        Game,
        game,
        refused=lambda world: {"second": world.first},
    ),
    Case(
        "game_outcome_is_known",
        Game,
        game,
        allowed=always(first_outcome="D", second_outcome="W"),
        refused=always(second_outcome="X"),
    ),
    Case(
        "game_outcome_is_known",
        Game,
        game,
        refused=always(first_outcome="B"),
    ),
    Case(
        "game_colour_is_known",
        Game,
        game,
        allowed=always(first_colour="B"),
        refused=always(first_colour="R"),
    ),
    Case(
        "game_leg_is_one_or_two",
        Game,
        game,
        allowed=always(leg=2),
        refused=always(leg=3),
    ),
    Case(
        "one_game_a_round_for_the_first_side",
        Game,
        game,
        allowed=lambda world: against(world, leg=2),
        refused=lambda world: against(world, round_number=1),
    ),
    Case(
        "one_game_a_round_for_the_second_side",
        Game,
        game,
        allowed=lambda world: against(world, side="first", leg=2),
        refused=lambda world: against(world, side="first", round_number=1),
    ),
    Case(
        "one_unplayed_mark_a_round",
        UnplayedRound,
        unplayed_round,
        allowed=lambda world: with_bye(world, round_number=3),
        refused=lambda world: with_bye(world, round_number=2),
    ),
    Case(
        "unplayed_kind_is_known",
        UnplayedRound,
        unplayed_round,
        allowed=always(kind="Z"),
        refused=always(kind="U"),
    ),
    Case(
        "nobody_is_forfeited_to_himself",
        UnplayedRound,
        unplayed_round,
        allowed=lambda world: {"kind": "X", "opponent": world.second},
        refused=lambda world: {"kind": "X", "opponent": world.first},
    ),
    Case(
        "same_files_only_once",
        Submission,
        submission,
        allowed=lambda world: same_files(world, state="withdrawn"),
        refused=lambda world: same_files(world, state="open"),
    ),
    Case(
        "submission_state_is_known",
        Submission,
        submission,
        allowed=always(state="withdrawn"),
        refused=always(state="lost"),
    ),
    Case(
        "submitted_report_has_a_time",
        Submission,
        submission,
        allowed=always(state="submitted", submitted_at=NOW),
        refused=always(state="submitted"),
    ),
    Case(
        "decided_report_has_a_decider",
        Submission,
        submission,
        allowed=lambda world: {"state": "returned", "decided_by": world.staff},
        refused=always(state="returned"),
    ),
    Case(
        "finding_overridden_once",
        FindingOverride,
        override,
        allowed=lambda world: with_override(world, "other"),
        refused=lambda world: with_override(world, "fresh"),
    ),
    Case(
        "override_has_a_reason",
        FindingOverride,
        override,
        refused=always(reason=""),
    ),
    Case(
        "one_task_per_player_and_body",
        OfficeTask,
        office_task,
        allowed=lambda world: with_task(world, body="CFC"),
        refused=lambda world: with_task(world, body="FIDE"),
    ),
    Case("task_body_is_known", OfficeTask, office_task, refused=always(body="ECF")),
    Case(
        "task_state_is_known",
        OfficeTask,
        office_task,
        refused=lambda world: {"state": "lost", "decided_by": world.staff},
    ),
    Case(
        "decided_task_has_a_decider",
        OfficeTask,
        office_task,
        allowed=lambda world: {"state": "done", "decided_by": world.staff},
        refused=always(state="declined"),
    ),
    Case(
        "calculation_has_exactly_one_source",
        Calculation,
        calculation,
        refused=lambda world: {"opening": world.opening},
    ),
    Case(
        "calculation_has_exactly_one_source",
        Calculation,
        calculation,
        allowed=lambda world: {"section": None, "opening": world.opening},
        refused=always(section=None),
    ),
    Case(
        "calculation_system_is_known",
        Calculation,
        calculation,
        refused=always(system="OTBX"),
    ),
    Case(
        "one_current_calculation_per_section_and_system",
        Calculation,
        calculation,
        allowed=always(system="OTBQ", is_current=True),
        refused=always(is_current=True),
    ),
    Case(
        "one_current_calculation_per_opening_entry",
        Calculation,
        calculation,
        allowed=lambda world: {"section": None, "opening": world.opening},
        refused=lambda world: {
            "section": None,
            "opening": world.opening,
            "is_current": True,
        },
    ),
    Case(
        "section_rated_once_per_run_and_system",
        Calculation,
        calculation,
        allowed=lambda world: {"run": world.run, "system": "OTBB"},
        refused=lambda world: {"run": world.run},
    ),
    Case(
        "one_change_per_calculation_and_player",
        RatingChange,
        change,
        refused=lambda world: {"player": world.player},
    ),
    Case(
        "no_rating_below_100",
        RatingChange,
        change,
        allowed=always(post_rating=100.0),
        refused=always(post_rating=99.99),
    ),
    Case(
        "games_are_never_lost",
        RatingChange,
        change,
        allowed=always(post_games=30),
        refused=always(post_games=29),
    ),
    Case(
        "rated_means_at_least_one_game",
        RatingChange,
        change,
        allowed=always(pre_rating=None, pre_games=0),
        refused=always(pre_games=0),
    ),
    Case(
        "rated_means_at_least_one_game",
        RatingChange,
        change,
        allowed=always(pre_games=1),
        refused=always(pre_rating=None, pre_games=1),
    ),
    Case(
        "formula_is_known",
        RatingChange,
        change,
        allowed=always(formula="special"),
        refused=always(formula="magic"),
    ),
    Case(
        "record_is_known",
        RatingChange,
        change,
        allowed=always(record="all_losses"),
        refused=always(record="some"),
    ),
    Case(
        "one_opening_entry_per_player_and_system",
        OpeningEntry,
        opening,
        allowed=lambda world: {"player": world.player, "system": "OTBQ"},
        refused=lambda world: {"player": world.player},
    ),
    Case(
        "opening_system_is_known",
        OpeningEntry,
        opening,
        refused=always(system="OLX"),
    ),
    Case(
        "opening_rating_is_plausible",
        OpeningEntry,
        opening,
        allowed=always(rating=100.0),
        refused=always(rating=99.9),
    ),
    Case(
        "opening_rating_is_plausible",
        OpeningEntry,
        opening,
        allowed=always(rating=3500.0),
        refused=always(rating=3500.1),
    ),
    Case(
        "opening_rating_rests_on_games",
        OpeningEntry,
        opening,
        allowed=always(games=1),
        refused=always(games=0),
    ),
    Case(
        "opening_entry_names_its_source",
        OpeningEntry,
        opening,
        refused=always(source=""),
    ),
    Case(
        "one_published_rating_per_entry_and_system",
        PublishedRating,
        published,
        allowed=lambda world: with_published(world, "OTBB"),
        refused=lambda world: with_published(world, "OTBQ"),
    ),
    Case(
        "one_current_rating_per_player_and_system",
        PlayerRating,
        current_rating,
        allowed=lambda world: {"player": world.player, "system": "OTBQ"},
        refused=lambda world: {"player": world.player},
    ),
    Case(
        "rating_system_is_known",
        PlayerRating,
        current_rating,
        refused=always(system="R"),
    ),
    Case(
        "rating_record_is_known",
        PlayerRating,
        current_rating,
        allowed=always(record="none"),
        refused=always(record=""),
    ),
    Case(
        "no_current_rating_below_100",
        PlayerRating,
        current_rating,
        allowed=always(rating=100.0),
        refused=always(rating=99.99),
    ),
    Case(
        "floor_lies_between_100_and_2200",
        Floor,
        floor,
        allowed=always(level=2200),
        refused=always(level=2201),
    ),
    Case(
        "floor_lies_between_100_and_2200",
        Floor,
        floor,
        allowed=always(level=100),
        refused=always(level=99),
    ),
    Case("floor_has_a_reason", Floor, floor, refused=always(reason="")),
    Case(
        "floor_ends_after_it_starts",
        Floor,
        floor,
        allowed=always(ends=DAY),
        refused=always(ends=EVE),
    ),
    Case("floor_system_is_known", Floor, floor, refused=always(system="R")),
    Case("floor_kind_is_known", Floor, floor, refused=always(kind="peak")),
    Case(
        "life_master_floor_is_regular_only",
        Floor,
        floor,
        allowed=always(kind="life_master", level=2200),
        refused=always(kind="life_master", level=2200, system="OTBQ"),
    ),
    Case(
        "ceiling_lies_above_100",
        Ceiling,
        ceiling,
        allowed=always(level=100),
        refused=always(level=99),
    ),
    Case("ceiling_has_a_reason", Ceiling, ceiling, refused=always(reason="")),
    Case(
        "ceiling_ends_after_it_starts",
        Ceiling,
        ceiling,
        allowed=always(ends=DAY),
        refused=always(ends=EVE),
    ),
    Case("ceiling_system_is_known", Ceiling, ceiling, refused=always(system="R")),
    Case("one_incremental_run", Run, run, refused=always(kind="incremental")),
    Case(
        "one_open_job_per_kind_and_key",
        Job,
        job,
        allowed=lambda world: with_job(world, state="done"),
        refused=lambda world: with_job(world, state="running"),
    ),
    Case(
        "job_state_is_known",
        Job,
        job,
        allowed=always(state="failed"),
        refused=always(state="lost"),
    ),
]


def with_fide_id(world, fide_id: str) -> dict[str, Any]:
    Player.objects.filter(pk=world.player.pk).update(fide_id="2000001")
    return {"fide_id": fide_id}


def with_fide_rating(world, body: str) -> dict[str, Any]:
    ExternalRating.objects.create(**external_rating(world))
    return {"body": body}


def against(world, *, side: str = "second", **changes: Any) -> dict[str, Any]:
    """A game of the first or second player's in which a newcomer takes *side*."""
    newcomer = Entry.objects.create(**entry(world))
    game_of_round_2 = {"round_number": 2, **changes}
    return {side: newcomer, **game_of_round_2}


def with_bye(world, round_number: int) -> dict[str, Any]:
    UnplayedRound.objects.create(**unplayed_round(world))
    return {"round_number": round_number}


def same_files(world, state: str) -> dict[str, Any]:
    return {"content_digest": world.submission.content_digest, "state": state}


def with_override(world, key: str) -> dict[str, Any]:
    FindingOverride.objects.create(**override(world))
    return {"finding_key": key}


def with_task(world, body: str) -> dict[str, Any]:
    OfficeTask.objects.create(**office_task(world))
    return {"body": body}


def with_published(world, system: str) -> dict[str, Any]:
    PublishedRating.objects.create(**published(world))
    return {"system": system}


def with_job(world, state: str) -> dict[str, Any]:
    Job.objects.create(**job(world))
    return {"state": state}


def insert(case: Case, world, changes: Callable) -> None:
    """Write the row past every check in Python, and take it back."""
    row = case.model(**{**case.spare(world), **changes(world)})
    case.model.objects.bulk_create([row])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_database_refuses_the_row_and_takes_its_neighbour(case, world):
    with transaction.atomic():
        insert(case, world, case.allowed)
        transaction.set_rollback(True)

    with pytest.raises(IntegrityError) as refusal, transaction.atomic():
        insert(case, world, case.refused)
    assert names_constraint(str(refusal.value), case)


def names_constraint(message: str, case: Case) -> bool:
    """Tell whether the refusal is this constraint's; SQLite names no unique one."""
    constraint = constraints()[case.name]
    if connection.vendor == "sqlite" and isinstance(
        constraint, models.UniqueConstraint
    ):
        table = case.model._meta.db_table
        columns = [
            f"{table}.{case.model._meta.get_field(name).column}"
            for name in constraint.fields
        ]
        return message == f"UNIQUE constraint failed: {', '.join(columns)}"
    return case.name in message


def constraints() -> dict[str, models.BaseConstraint]:
    return {
        constraint.name: constraint
        for app in OUR_APPS
        for model in apps.get_app_config(app).get_models()
        for constraint in model._meta.constraints
    }


def test_every_constraint_has_a_case():
    assert {case.name for case in CASES} == set(constraints())


def history(world) -> dict[str, models.Model]:
    return {
        "ledger": world.change,
        "inputs": CalculationInputs.objects.get(calculation=world.calculation),
        "calculation": world.calculation,
        "opening": world.opening,
        "audit": AuditEntry.objects.first(),
        "file": SubmissionFile.objects.first(),
    }


# A column of each table; none of them may change.
HISTORY = {
    "ledger": ("post_rating", 2800.0),
    "inputs": ("document", "{}"),
    "calculation": ("inputs_digest", "forged"),
    "opening": ("rating", 2800.0),
    "audit": ("reason", "another one"),
    "file": ("name", "another.dbf"),
}


@pytest.mark.parametrize("kind", HISTORY)
def test_history_is_neither_changed_nor_deleted(world, kind):
    row = history(world)[kind]
    table, key = row._meta.db_table, row._meta.pk.column
    column, value = HISTORY[kind]
    before = type(row).objects.filter(pk=row.pk).values().get()

    for statement, arguments in (
        (f"UPDATE {table} SET {column} = %s WHERE {key} = %s", [value, row.pk]),  # noqa: S608
        (f"DELETE FROM {table} WHERE {key} = %s", [row.pk]),  # noqa: S608
    ):
        with (
            pytest.raises(IntegrityError, match=f"{table} is history"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, arguments)

    assert type(row).objects.filter(pk=row.pk).values().get() == before


def test_every_column_of_the_ledger_is_history(world):
    columns = [field.column for field in RatingChange._meta.fields]
    for column in columns:
        with (
            pytest.raises(IntegrityError, match="is history"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(f"UPDATE ratings_ratingchange SET {column} = {column}")  # noqa: S608


def test_flag_of_a_calculation_is_the_only_thing_that_changes(world):
    mine = Calculation.objects.filter(pk=world.calculation.pk)
    before = mine.values().get()

    mine.update(is_current=False)

    assert mine.values().get() == {**before, "is_current": False}
    for field in Calculation._meta.fields:
        if field.name == "is_current":
            continue
        with pytest.raises(IntegrityError, match="is history"), transaction.atomic():
            mine.update(**{field.name: models.F(field.name)})
