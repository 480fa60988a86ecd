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
    CorrectionRequest,
    Entry,
    Event,
    EventRegistration,
    FindingOverride,
    ForeignEvent,
    ForeignFile,
    ForeignGame,
    ForeignResult,
    ForeignVersion,
    ForeignWork,
    Game,
    MessageMark,
    OfficeTask,
    RegisteredSection,
    ReportMessage,
    Schedule,
    Section,
    SectionVersion,
    Submission,
    SubmissionFile,
    UnplayedRound,
)
from players.models import (
    ExternalRating,
    FideLinkRefusal,
    FideList,
    FideOptIn,
    FidePlayer,
    FideRating,
    Membership,
    NotSamePerson,
    Player,
    PlayerMerge,
)
from ratings.models import (
    Adjustment,
    Calculation,
    CalculationInputs,
    Ceiling,
    Experiment,
    ExperimentVariant,
    Floor,
    FloorLowering,
    FloorRequest,
    GamesFile,
    GamesHistory,
    LifeMasterSetAside,
    ListDraft,
    OfficialList,
    OfficialListFile,
    OfficialRating,
    OpenFile,
    OpenFilePart,
    OpeningEntry,
    PlayerRating,
    PublishedRating,
    RatingChange,
    RerateMark,
    Run,
    RunDifference,
    ShadowRating,
)
from ratings_site.common.models import (
    ApiKey,
    ApiUse,
    AuditEntry,
    Job,
    Notice,
    NoticeSetting,
    PendingAct,
    Webhook,
    WebhookDelivery,
)
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
FIRST_OF_JUNE, SECOND_OF_JUNE = date(2024, 6, 1), date(2024, 6, 2)
EVE = DAY - timedelta(days=1)
FIRST = date(2024, 5, 1)

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
        other_run=Run.objects.create(kind="rerate", status="queued"),
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


def merge(world) -> dict[str, Any]:
    return {
        "kept": world.player,
        "merged": world.stranger,
        "by": world.staff,
        "reason": "One person.",
    }


def not_same_person(world) -> dict[str, Any]:
    return {
        "first": world.player,
        "second": world.stranger,
        "by": world.staff,
        "reason": "Father and son.",
    }


def fide_list(world) -> dict[str, Any]:
    return {
        "list_date": FIRST,
        "state": "refused",
        "file_name": "list.zip",
        "stored_as": "fide/list.zip",
        "sha256": "0",
        "size": 1,
    }


def some_fide_list(world) -> FideList:
    return FideList.objects.create(**fide_list(world))


def fide_player(world) -> dict[str, Any]:
    return {"list": some_fide_list(world), "fide_id": 7}


def fide_rating(world) -> dict[str, Any]:
    return {"list": some_fide_list(world), "fide_id": 7, "rating": 2100}


def link_refusal(world) -> dict[str, Any]:
    return {
        "player": world.player,
        "fide_id": 7,
        "by": world.staff,
        "reason": "An aunt.",
    }


def opt_in(world) -> dict[str, Any]:
    return {"player": world.player, "opted_in_on": DAY, "entered_by": world.staff}


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


def schedule(world) -> dict[str, Any]:
    return {
        "section": world.section,
        "place": 1,
        "time_control": "G/60;d5",
        "first_round": 1,
        "last_round": 1,
    }


def submission(world) -> dict[str, Any]:
    return {"uploaded_by": world.td, "content_digest": "fresh"}


def message(world) -> dict[str, Any]:
    return {
        "submission": world.submission,
        "by": world.td,
        "from_office": False,
        "text": "Who is number 4?",
    }


def message_mark(world) -> dict[str, Any]:
    return {
        "submission": world.submission,
        "for_office": True,
        "up_to": ReportMessage.objects.create(**message(world)),
        "by": world.staff,
    }


def registration(world) -> dict[str, Any]:
    return {
        "name": "Winter Open",
        "starts": DAY,
        "ends": DAY,
        "affiliate": world.affiliate,
        "chief": world.player,
        "registered_by": world.td,
    }


def planned_section(world) -> dict[str, Any]:
    return {
        "registration": EventRegistration.objects.create(**registration(world)),
        "number": 1,
        "name": "Open",
    }


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


def floor_request(world) -> dict[str, Any]:
    return {"player": world.player, "system": "OTBR", "floor": 1300, "day": DAY}


def lowering(world) -> dict[str, Any]:
    return {
        "player": world.player,
        "system": "OTBR",
        "level": 1200,
        "starts": DAY,
        "reason": "Asked for.",
        "decided_by": world.staff,
    }


def set_aside(world) -> dict[str, Any]:
    return {
        "player": world.player,
        "games": 300,
        "reason": "Arranged games.",
        "decided_by": world.staff,
    }


def adjustment(world) -> dict[str, Any]:
    return {
        "player": world.player,
        "system": "OTBR",
        "kind": "reinstate",
        "day": DAY,
        "rating": 1500.0,
        "games": 30,
        "reason": "Lost in the move.",
        "decided_by": world.staff,
    }


def pending_act(world) -> dict[str, Any]:
    return {
        "kind": "test",
        "title": "An act",
        "reason": "Needed.",
        "proposed_by": world.staff,
    }


def run(world) -> dict[str, Any]:
    return {"kind": "what_if", "status": "queued"}


def published_rerate() -> dict[str, Any]:
    return {
        "kind": "rerate",
        "status": "published",
        "published_at": timezone.now(),
        "publish_reason": "Good.",
    }


def undone_rerate() -> dict[str, Any]:
    return {
        **published_rerate(),
        "status": "undone",
        "undone_at": timezone.now(),
        "undo_reason": "A wrong file.",
    }


def difference(world) -> dict[str, Any]:
    return {
        "run": world.other_run,
        "player": world.player,
        "system": "OTBR",
        "before": 1500.0,
        "after": 1510.0,
    }


def shadow(world) -> dict[str, Any]:
    return {
        "run": world.other_run,
        "player": world.player,
        "system": "OTBR",
        "before": 1500.0,
        "rating": 1510.0,
        "games": 31,
        "floor": 100.0,
        "rated_on": DAY,
        "last_change_id": 1,
    }


def mark(world) -> dict[str, Any]:
    return {"kind": "late", "from_day": DAY, "note": "It came late."}


def version(world) -> dict[str, Any]:
    return {
        "section": world.section,
        "number": 9,
        "document": "{}",
        "digest": "0",
        "reason": "A result was wrong.",
    }


def correction(world) -> dict[str, Any]:
    return {
        "section": world.section,
        "kind": "name",
        "change_digest": "fresh",
        "text": "The flyer says so.",
        "seen_version": 1,
        "asked_by": world.td,
    }


def api_key(world) -> dict[str, Any]:
    return {
        "owner": world.staff,
        "name": "a program",
        "prefix": "ro_begin",
        "digest": "1" * 64,
        "daily_quota": 100,
    }


def api_use(world) -> dict[str, Any]:
    return {"day": FIRST_OF_JUNE, "who": "key:1"}


def job(world) -> dict[str, Any]:
    return {"kind": "test", "key": "fresh", "run_after": timezone.now()}


def notice(world) -> dict[str, Any]:
    return {"account": world.staff, "kind": "test", "key": "fresh", "title": "News"}


def notice_setting(world) -> dict[str, Any]:
    return {"account": world.staff, "kind": "test", "channel": "mail", "is_on": True}


def webhook(world) -> dict[str, Any]:
    return {"owner": world.td, "url": "https://club.example.org/hook", "salt": "0"}


def delivery(world) -> dict[str, Any]:
    made, _ = Webhook.objects.get_or_create(**webhook(world))
    return {"webhook": made, "message_id": "msg_1", "kind": "ping", "body": "{}"}


def open_file(world) -> dict[str, Any]:
    return {
        "table": "games",
        "kind": "csv.gz",
        "rows": 0,
        "size": 0,
        "sha256": "0",
        "made_at": timezone.now(),
        "checked_at": timezone.now(),
    }


def open_file_part(world) -> dict[str, Any]:
    older, _ = OpenFile.objects.get_or_create(
        table="games", is_newest=False, defaults=open_file(world)
    )
    return {"file": older, "number": 0, "content": b"0"}


def experiment(world) -> dict[str, Any]:
    return {"title": "Which K?", "kind": "comparison", "reason": "To know."}


def some_experiment(world) -> Experiment:
    return Experiment.objects.get_or_create(**experiment(world))[0]


def variant(world) -> dict[str, Any]:
    return {
        "experiment": some_experiment(world),
        "number": 1,
        "system": "glicko",
        "label": "Glicko",
    }


def with_variant(world, number: int) -> dict[str, Any]:
    return with_row(ExperimentVariant, variant(world), number=number)


def games_file(world) -> dict[str, Any]:
    return {"name": "games.csv", "content": b"0", "sha256": "0", "size": 1}


def games_history(world) -> dict[str, Any]:
    return {"digest": "0", "content": b"0", "games": 1, "players": 2}


PUBLISHED_EXPERIMENT = {
    "status": "done",
    "results": {},
    "public_title": "Which K",
    "public_reason": "It helps.",
}


def list_draft(world) -> dict[str, Any]:
    return {
        "month": FIRST_OF_JUNE,
        "cut_off": timezone.now(),
        "digest": "0",
        "prepared_at": timezone.now(),
    }


def official_list(world) -> dict[str, Any]:
    return {
        **list_draft(world),
        "members": 1,
        "published_at": timezone.now(),
        "reason": "The month's list.",
    }


def some_list(world) -> OfficialList:
    official, _ = OfficialList.objects.get_or_create(
        month=FIRST_OF_JUNE, defaults=official_list(world)
    )
    return official


def official_rating(world) -> dict[str, Any]:
    return {
        "list": some_list(world),
        "player": world.player,
        "system": "OTBR",
        "rating": 1500,
        "games": 30,
        "is_provisional": False,
        "floor": 1300,
        "place": 1,
        "above": 0,
        "change": world.change,
        "latest": world.calculation,
    }


def list_file(world) -> dict[str, Any]:
    return {
        "list": some_list(world),
        "kind": "csv",
        "name": "ratings.csv",
        "content": b"",
        "size": 0,
        "sha256": "0",
    }


def foreign_event(world) -> dict[str, Any]:
    return {
        "name": "Lyon Open",
        "federation": "FRA",
        "starts": DAY,
        "ends": DAY,
        "list_date": FIRST,
    }


def some_foreign_event(world) -> ForeignEvent:
    event, _ = ForeignEvent.objects.get_or_create(**foreign_event(world))
    return event


def foreign_file(world) -> dict[str, Any]:
    return {
        "event": some_foreign_event(world),
        "name": "lyon.trf",
        "content": b"",
        "sha256": "0",
        "size": 0,
        "received_by": world.staff,
    }


def foreign_result(world) -> dict[str, Any]:
    return {"event": some_foreign_event(world), "player": world.player}


def some_foreign_result(world) -> ForeignResult:
    result, _ = ForeignResult.objects.get_or_create(**foreign_result(world))
    return result


def foreign_game(world) -> dict[str, Any]:
    return {
        "result": some_foreign_result(world),
        "round_number": 1,
        "half_points": 2,
        "opponent_rating": 2000,
        "rating_source": "list",
    }


def foreign_version(world) -> dict[str, Any]:
    return {
        "result": some_foreign_result(world),
        "number": 1,
        "content": {},
        "replaced_by": world.staff,
        "reason": "Round 2 was lost.",
    }


def foreign_work(world) -> dict[str, Any]:
    return {
        "fide_list": FideList.objects.filter(list_date=FIRST).first()
        or some_fide_list(world),
        "player": world.player,
        "games": 9,
    }


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
        "duplicate_names_the_member_it_duplicates",
        Player,
        player,
        allowed=lambda world: {"status": "duplicate", "merged_into": world.player},
        refused=always(status="duplicate"),
    ),
    Case(
        "duplicate_names_the_member_it_duplicates",
        Player,
        player,
        allowed=always(status="inactive"),
        refused=lambda world: {"merged_into": world.player},
    ),
    Case(
        "nobody_is_merged_into_himself",
        Player,
        player,
        allowed=lambda world: {"status": "duplicate", "merged_into": world.player},
        refused=always(pk=77, status="duplicate", merged_into_id=77),
    ),
    Case(
        "a_number_is_merged_once_at_a_time",
        PlayerMerge,
        merge,
        allowed=lambda world: merged_before(world, undone=True),
        refused=lambda world: merged_before(world, undone=False),
    ),
    Case(
        "merge_joins_two_numbers",
        PlayerMerge,
        merge,
        refused=lambda world: {"merged": world.player},
    ),
    Case("merge_has_a_reason", PlayerMerge, merge, refused=always(reason="")),
    Case(
        "undone_merge_says_when_who_and_why",
        PlayerMerge,
        merge,
        allowed=lambda world: undone_row(world),
        refused=lambda world: {**undone_row(world), "undo_reason": ""},
    ),
    Case(
        "undone_merge_says_when_who_and_why",
        PlayerMerge,
        merge,
        refused=lambda world: {"undone_by": world.staff},
    ),
    Case(
        "a_pair_is_told_apart_once",
        NotSamePerson,
        not_same_person,
        allowed=lambda world: told_apart(world, second=make_player()),
        refused=lambda world: told_apart(world),
    ),
    Case(
        "a_pair_told_apart_begins_with_the_older_record",
        NotSamePerson,
        not_same_person,
        refused=lambda world: {"first": world.stranger, "second": world.player},
    ),
    Case(
        "telling_apart_has_a_reason",
        NotSamePerson,
        not_same_person,
        refused=always(reason=""),
    ),
    Case(
        "one_fide_list_a_month",
        FideList,
        fide_list,
        allowed=lambda world: with_fide_list(world, state="refused"),
        refused=lambda world: {
            **with_fide_list(world, state="stored"),
            "state": "stored",
        },
    ),
    Case(
        "one_fide_list_is_read_and_one_in_force",
        FideList,
        fide_list,
        allowed=lambda world: {
            **with_fide_list(world, state="current"),
            "list_date": date(2024, 6, 1),
            "state": "loading",
        },
        refused=lambda world: {
            **with_fide_list(world, state="current"),
            "list_date": date(2024, 6, 1),
            "state": "current",
        },
    ),
    Case(
        "fide_list_state_is_known",
        FideList,
        fide_list,
        allowed=always(state="stored"),
        refused=always(state="lost"),
    ),
    Case(
        "fide_list_begins_a_month",
        FideList,
        fide_list,
        refused=always(list_date=date(2024, 5, 2)),
    ),
    Case(
        "fide_list_rates_no_more_than_it_names",
        FideList,
        fide_list,
        allowed=always(rows=7, rated=7),
        refused=always(rows=7, rated=8),
    ),
    Case(
        "fide_id_once_per_list",
        FidePlayer,
        fide_player,
        allowed=lambda world: with_fide_row(world, FidePlayer, 8),
        refused=lambda world: with_fide_row(world, FidePlayer, 7),
    ),
    Case(
        "one_fide_standing_per_list",
        FideRating,
        fide_rating,
        allowed=lambda world: with_fide_row(world, FideRating, 8),
        refused=lambda world: with_fide_row(world, FideRating, 7),
    ),
    Case(
        "fide_id_is_declined_once_per_member",
        FideLinkRefusal,
        link_refusal,
        allowed=lambda world: declined(world, 8),
        refused=lambda world: declined(world, 7),
    ),
    Case(
        "declined_fide_id_has_a_reason",
        FideLinkRefusal,
        link_refusal,
        refused=always(reason=""),
    ),
    Case(
        "one_open_opt_in_per_member",
        FideOptIn,
        opt_in,
        allowed=lambda world: with_opt_in(world, **ended(world)),
        refused=lambda world: with_opt_in(world),
    ),
    Case(
        "opt_out_is_approved_with_a_reason",
        FideOptIn,
        opt_in,
        allowed=lambda world: ended(world),
        refused=lambda world: {**ended(world), "opt_out_approved_by": None},
    ),
    Case(
        "opt_out_is_approved_with_a_reason",
        FideOptIn,
        opt_in,
        refused=lambda world: {**ended(world), "opt_out_reason": ""},
    ),
    Case(
        "opt_out_comes_after_the_opt_in",
        FideOptIn,
        opt_in,
        allowed=lambda world: ended(world),
        refused=lambda world: {**ended(world), "opted_out_on": EVE},
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
        "schedule_has_a_place_of_its_own",
        Schedule,
        schedule,
        allowed=lambda world: with_schedule(world, place=2),
        refused=lambda world: with_schedule(world, place=1),
    ),
    Case(
        "schedule_ends_after_its_first_round",
        Schedule,
        schedule,
        allowed=always(first_round=2, last_round=2),
        refused=always(first_round=2, last_round=1),
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
        "taken_report_has_taker_and_time",
        Submission,
        submission,
        allowed=lambda world: {"claimed_by": world.staff, "claimed_at": NOW},
        refused=lambda world: {"claimed_by": world.staff},
    ),
    Case(
        "lateness_is_between_two_days",
        Submission,
        submission,
        allowed=always(due=DAY, handed_in=DAY, days_late=0),
        refused=always(due=DAY, days_late=0),
    ),
    Case(
        "message_says_something",
        ReportMessage,
        message,
        refused=always(text=""),
    ),
    Case(
        "one_mark_for_each_side",
        MessageMark,
        message_mark,
        allowed=lambda world: with_mark(world, for_office=False),
        refused=lambda world: with_mark(world, for_office=True),
    ),
    Case(
        "registered_event_ends_after_it_starts",
        EventRegistration,
        registration,
        allowed=always(ends=DAY),
        refused=always(ends=EVE),
    ),
    Case(
        "registration_status_is_known",
        EventRegistration,
        registration,
        allowed=always(status="cancelled", notice="Snow."),
        refused=always(status="moved"),
    ),
    Case(
        "cancelled_event_says_why",
        EventRegistration,
        registration,
        allowed=always(status="cancelled", notice="Snow."),
        refused=always(status="cancelled"),
    ),
    Case(
        "cancelled_event_has_no_report",
        EventRegistration,
        registration,
        allowed=lambda world: {"submission": world.submission},
        refused=lambda world: {
            "submission": world.submission,
            "status": "cancelled",
            "notice": "Snow.",
        },
    ),
    Case(
        "planned_section_number_once",
        RegisteredSection,
        planned_section,
        allowed=lambda world: with_planned_section(world, 2),
        refused=lambda world: with_planned_section(world, 1),
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
        "section_rated_once_per_run_pass_and_system",
        Calculation,
        calculation,
        allowed=lambda world: {"run": world.run, "pass_number": 1},
        refused=lambda world: {"run": world.run},
    ),
    Case(
        "one_current_calculation_per_adjustment",
        Calculation,
        calculation,
        allowed=lambda world: with_calculation(
            world, adjustment=some_adjustment(world)
        ),
        refused=lambda world: with_calculation(
            world, adjustment=some_adjustment(world), is_current=True
        ),
    ),
    Case(
        "one_current_calculation_per_foreign_result",
        Calculation,
        calculation,
        allowed=lambda world: with_calculation(
            world, foreign=some_foreign_result(world)
        ),
        refused=lambda world: with_calculation(
            world, foreign=some_foreign_result(world), is_current=True
        ),
    ),
    Case(
        "one_open_rerate",
        Run,
        run,
        allowed=always(kind="rerate", status="failed"),
        refused=always(kind="rerate", status="ready"),
    ),
    Case(
        "run_kind_is_known", Run, run, allowed=always(), refused=always(kind="replay")
    ),
    Case(
        "run_status_is_known",
        Run,
        run,
        allowed=always(status="failed"),
        refused=always(status="done"),
    ),
    Case(
        "a_what_if_is_never_published",
        Run,
        run,
        allowed=always(status="ready"),
        refused=always(status="published"),
    ),
    Case(
        "a_published_rerate_has_a_reason",
        Run,
        run,
        allowed=lambda world: published_rerate(),
        refused=lambda world: {**published_rerate(), "publish_reason": ""},
    ),
    Case(
        "a_published_rerate_has_a_reason",
        Run,
        run,
        refused=lambda world: {**published_rerate(), "published_at": None},
    ),
    Case(
        "an_undone_rerate_has_a_reason",
        Run,
        run,
        allowed=lambda world: undone_rerate(),
        refused=lambda world: {**undone_rerate(), "undo_reason": ""},
    ),
    Case(
        "an_undone_rerate_has_a_reason",
        Run,
        run,
        refused=lambda world: {**undone_rerate(), "undone_at": None},
    ),
    Case(
        "one_difference_per_run_player_and_system",
        RunDifference,
        difference,
        allowed=lambda world: with_difference(world, "OTBQ"),
        refused=lambda world: with_difference(world, "OTBR"),
    ),
    Case(
        "one_shadow_rating_per_run_player_and_system",
        ShadowRating,
        shadow,
        allowed=lambda world: with_shadow(world, "OTBQ"),
        refused=lambda world: with_shadow(world, "OTBR"),
    ),
    Case(
        "shadow_rating_system_is_known",
        ShadowRating,
        shadow,
        allowed=always(system="OLB"),
        refused=always(system="OTBX"),
    ),
    *(
        Case(
            "shadow_rating_is_complete_or_gone",
            ShadowRating,
            shadow,
            allowed=always(rating=None, floor=None, rated_on=None, last_change_id=None),
            refused=always(**{column: None}),
        )
        for column in ("rating", "floor", "rated_on", "last_change_id")
    ),
    Case(
        "mark_says_what_changed",
        RerateMark,
        mark,
        allowed=always(note="x"),
        refused=always(note=""),
    ),
    Case(
        "mark_kind_is_known",
        RerateMark,
        mark,
        allowed=always(kind="undo"),
        refused=always(kind="whim"),
    ),
    Case(
        "section_version_number_once",
        SectionVersion,
        version,
        allowed=lambda world: with_section_version(world, 8),
        refused=lambda world: with_section_version(world, 9),
    ),
    Case(
        "section_versions_begin_with_one",
        SectionVersion,
        version,
        allowed=always(number=10),
        refused=always(number=0),
    ),
    Case(
        "section_version_says_why",
        SectionVersion,
        version,
        allowed=always(reason="x"),
        refused=always(reason=""),
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
        refused=always(level=2300),
    ),
    Case(
        "floor_lies_between_100_and_2200",
        Floor,
        floor,
        allowed=always(level=100),
        refused=always(level=0),
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
        "floor_is_a_hundred_point_level",
        Floor,
        floor,
        allowed=always(level=1300),
        refused=always(level=1250),
    ),
    Case(
        "floor_is_a_hundred_point_level",
        Floor,
        floor,
        allowed=always(level=150),  # an absolute floor of earlier books
        refused=always(level=150, kind="money"),
    ),
    Case(
        "money_floor_is_at_most_2000",
        Floor,
        floor,
        allowed=always(kind="money", level=2000),
        refused=always(kind="money", level=2100),
    ),
    Case(
        "one_open_floor_request_per_player_and_system",
        FloorRequest,
        floor_request,
        allowed=lambda world: with_floor_request(world, system="OTBQ"),
        refused=lambda world: with_floor_request(world),
    ),
    Case(
        "one_floor_request_per_match",
        FloorRequest,
        floor_request,
        allowed=lambda world: (
            with_floor_request(world, section=world.section) | {"section": None}
        ),
        refused=lambda world: (
            with_floor_request(world, section=world.section)
            | {"section": world.section}
        ),
    ),
    Case(
        "floor_request_status_is_known",
        FloorRequest,
        floor_request,
        allowed=always(status="refused", decision_reason="Too soon."),
        refused=always(status="lost", decision_reason="Too soon."),
    ),
    Case(
        "floor_request_is_decided_with_a_reason",
        FloorRequest,
        floor_request,
        allowed=always(status="granted", decision_reason="So be it."),
        refused=always(status="granted"),
    ),
    Case(
        "floor_is_lowered_once_a_day",
        FloorLowering,
        lowering,
        allowed=lambda world: with_lowering(world, EVE),
        refused=lambda world: with_lowering(world, DAY),
    ),
    Case(
        "lowered_floor_is_at_least_100",
        FloorLowering,
        lowering,
        allowed=always(level=100),
        refused=always(level=99),
    ),
    Case("lowering_has_a_reason", FloorLowering, lowering, refused=always(reason="")),
    Case(
        "life_master_is_set_aside_with_a_reason",
        LifeMasterSetAside,
        set_aside,
        refused=always(reason=""),
    ),
    Case(
        "one_adjustment_per_player_system_and_day",
        Adjustment,
        adjustment,
        allowed=lambda world: with_adjustment(world, withdrawn_at=NOW),
        refused=lambda world: with_adjustment(world),
    ),
    Case(
        "adjusted_rating_is_plausible",
        Adjustment,
        adjustment,
        allowed=always(rating=100.0),
        refused=always(rating=99.9),
    ),
    Case(
        "adjusted_rating_is_plausible",
        Adjustment,
        adjustment,
        allowed=always(rating=3500.0),
        refused=always(rating=3500.1),
    ),
    Case(
        "adjusted_rating_rests_on_games",
        Adjustment,
        adjustment,
        allowed=always(games=1),
        refused=always(games=0),
    ),
    Case("adjustment_has_a_reason", Adjustment, adjustment, refused=always(reason="")),
    Case(
        "adjusted_system_is_known", Adjustment, adjustment, refused=always(system="R")
    ),
    Case(
        "adjustment_kind_is_known",
        Adjustment,
        adjustment,
        allowed=always(kind="executive"),
        refused=always(kind="gift"),
    ),
    Case(
        "pending_act_status_is_known",
        PendingAct,
        pending_act,
        allowed=always(status="withdrawn"),
        refused=always(status="lost"),
    ),
    Case(
        "nobody_is_told_the_same_twice",
        Notice,
        notice,
        allowed=lambda world: with_row(Notice, notice(world), key="another"),
        refused=lambda world: with_row(Notice, notice(world)),
    ),
    Case("notice_says_something", Notice, notice, refused=always(title="")),
    Case(
        "one_notice_setting_per_kind_and_channel",
        NoticeSetting,
        notice_setting,
        allowed=lambda world: with_row(
            NoticeSetting, notice_setting(world), channel="site"
        ),
        refused=lambda world: with_row(NoticeSetting, notice_setting(world)),
    ),
    Case(
        "notice_channel_is_known",
        NoticeSetting,
        notice_setting,
        allowed=always(channel="site"),
        refused=always(channel="post"),
    ),
    Case(
        "pending_act_has_a_reason", PendingAct, pending_act, refused=always(reason="")
    ),
    Case(
        "decided_act_names_who_decided",
        PendingAct,
        pending_act,
        allowed=lambda world: {"status": "refused", "decided_by": world.staff},
        refused=always(status="refused"),
    ),
    Case(
        "nobody_approves_his_own_act",
        PendingAct,
        pending_act,
        allowed=lambda world: {"status": "approved", "decided_by": world.td},
        refused=lambda world: {"status": "approved", "decided_by": world.staff},
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
        "player_gender_is_known",
        Player,
        player,
        allowed=always(gender="F"),
        refused=always(gender="W"),
    ),
    Case(
        "one_draft_per_month",
        ListDraft,
        list_draft,
        allowed=lambda world: with_draft(world, date(2024, 7, 1)),
        refused=lambda world: with_draft(world, FIRST_OF_JUNE),
    ),
    Case(
        "draft_is_for_a_whole_month",
        ListDraft,
        list_draft,
        refused=always(month=SECOND_OF_JUNE),
    ),
    Case(
        "one_list_per_month",
        OfficialList,
        official_list,
        allowed=lambda world: with_list(world, date(2024, 7, 1)),
        refused=lambda world: with_list(world, FIRST_OF_JUNE),
    ),
    Case(
        "list_is_for_a_whole_month",
        OfficialList,
        official_list,
        refused=always(month=SECOND_OF_JUNE),
    ),
    Case(
        "list_is_published_with_a_reason",
        OfficialList,
        official_list,
        refused=always(reason=""),
    ),
    Case(
        "one_official_rating_per_list_player_and_system",
        OfficialRating,
        official_rating,
        allowed=lambda world: with_official_rating(world, "OTBQ"),
        refused=lambda world: with_official_rating(world, "OTBR"),
    ),
    Case(
        "official_rating_system_is_known",
        OfficialRating,
        official_rating,
        refused=always(system="R"),
    ),
    Case(
        "official_rating_rests_on_four_games",
        OfficialRating,
        official_rating,
        allowed=always(games=4),
        refused=always(games=3),
    ),
    Case(
        "no_official_rating_below_100",
        OfficialRating,
        official_rating,
        allowed=always(rating=100),
        refused=always(rating=99),
    ),
    Case(
        "one_file_per_list_and_kind",
        OfficialListFile,
        list_file,
        allowed=lambda world: with_list_file(world, "dbf"),
        refused=lambda world: with_list_file(world, "csv"),
    ),
    Case(
        "list_file_kind_is_known",
        OfficialListFile,
        list_file,
        allowed=always(kind="tsv"),
        refused=always(kind="xls"),
    ),
    Case(
        "api_key_is_known_once",
        ApiKey,
        api_key,
        allowed=always(digest="2" * 64),
        refused=lambda world: with_api_key(world),
    ),
    Case("api_key_says_what_it_is_for", ApiKey, api_key, refused=always(name="")),
    Case(
        "one_count_of_requests_a_day",
        ApiUse,
        api_use,
        allowed=lambda world: with_api_use(world, who="key:2"),
        refused=lambda world: with_api_use(world, who="key:1"),
    ),
    Case(
        "one_open_job_per_kind_and_key",
        Job,
        job,
        allowed=lambda world: with_job(world, state="done"),
        refused=lambda world: with_job(world, state="running"),
    ),
    Case(
        "one_webhook_per_account_and_address",
        Webhook,
        webhook,
        allowed=lambda world: with_webhook(world, owner=world.staff),
        refused=lambda world: with_webhook(world),
    ),
    Case(
        "delivery_state_is_known",
        WebhookDelivery,
        delivery,
        allowed=always(state="given_up"),
        refused=always(state="lost"),
    ),
    Case(
        "one_newest_open_file",
        OpenFile,
        open_file,
        allowed=lambda world: with_open_file(world, is_newest=False),
        refused=lambda world: with_open_file(world),
    ),
    Case(
        "open_file_kind_is_known",
        OpenFile,
        open_file,
        allowed=always(kind="parquet"),
        refused=always(kind="xls"),
    ),
    Case(
        "open_file_parts_are_numbered",
        OpenFilePart,
        open_file_part,
        allowed=lambda world: with_open_file_part(world, number=1),
        refused=lambda world: with_open_file_part(world),
    ),
    Case(
        "job_state_is_known",
        Job,
        job,
        allowed=always(state="failed"),
        refused=always(state="lost"),
    ),
    Case(
        "correction_kind_is_known",
        CorrectionRequest,
        correction,
        allowed=always(kind="other"),
        refused=always(kind="odd"),
    ),
    Case(
        "correction_state_is_known",
        CorrectionRequest,
        correction,
        refused=always(state="odd"),
    ),
    Case(
        "correction_request_says_why",
        CorrectionRequest,
        correction,
        refused=always(text=""),
    ),
    Case(
        "answered_correction_names_the_td",
        CorrectionRequest,
        correction,
        allowed=lambda world: {
            "state": "objected",
            "td_by": world.td,
            "td_at": NOW,
        },
        refused=always(state="confirmed", td_at=NOW),
    ),
    Case(
        "decided_correction_has_a_decider",
        CorrectionRequest,
        correction,
        allowed=lambda world: {
            "state": "withdrawn",
            "decided_by": world.td,
            "decided_at": NOW,
        },
        refused=always(state="withdrawn", decided_at=NOW),
    ),
    Case(
        "decided_correction_has_a_reason",
        CorrectionRequest,
        correction,
        allowed=lambda world: with_version(world, "refused"),
        refused=lambda world: {
            **with_version(world, "refused"),
            "decision_reason": "",
        },
    ),
    Case(
        "approved_correction_made_a_version",
        CorrectionRequest,
        correction,
        allowed=lambda world: with_version(world, "approved"),
        refused=lambda world: {**with_version(world, "approved"), "version": None},
    ),
    Case(
        "one_open_request_per_change",
        CorrectionRequest,
        correction,
        allowed=lambda world: with_correction(world, state="withdrawn"),
        refused=lambda world: with_correction(world, state="asked"),
    ),
    Case(
        "foreign_event_ends_after_it_starts",
        ForeignEvent,
        foreign_event,
        refused=always(ends=EVE),
    ),
    Case(
        "fide_event_code_once",
        ForeignEvent,
        foreign_event,
        allowed=lambda world: with_foreign_event(world, fide_code=""),
        refused=lambda world: with_foreign_event(world, fide_code="384210"),
    ),
    Case(
        "foreign_event_is_entered_once",
        ForeignEvent,
        foreign_event,
        allowed=lambda world: (
            with_foreign_event(world, name="Lyon Masters") | {"name": "Lyon Open"}
        ),
        refused=lambda world: with_foreign_event(world, name="Lyon Open"),
    ),
    Case(
        "same_foreign_file_once_per_event",
        ForeignFile,
        foreign_file,
        allowed=lambda world: with_row(ForeignFile, foreign_file(world), sha256="1"),
        refused=lambda world: with_row(ForeignFile, foreign_file(world)),
    ),
    Case(
        "one_result_per_foreign_event_and_player",
        ForeignResult,
        foreign_result,
        allowed=lambda world: with_row(
            ForeignResult, foreign_result(world), player=world.stranger
        ),
        refused=lambda world: with_row(ForeignResult, foreign_result(world)),
    ),
    Case(
        "foreign_result_status_is_known",
        ForeignResult,
        foreign_result,
        refused=always(status="lost"),
    ),
    Case(
        "excluded_result_says_why",
        ForeignResult,
        foreign_result,
        allowed=always(status="excluded", excluded_because="Rapid games."),
        refused=always(status="excluded"),
    ),
    Case(
        "foreign_game_is_won_drawn_or_lost",
        ForeignGame,
        foreign_game,
        refused=always(half_points=3),
    ),
    Case(
        "foreign_game_colour_is_known",
        ForeignGame,
        foreign_game,
        allowed=always(colour="B"),
        refused=always(colour="R"),
    ),
    Case(
        "foreign_opponent_rating_is_plausible",
        ForeignGame,
        foreign_game,
        allowed=always(opponent_rating=3500),
        refused=always(opponent_rating=3501),
    ),
    Case(
        "one_foreign_game_per_round",
        ForeignGame,
        foreign_game,
        allowed=lambda world: with_row(
            ForeignGame, foreign_game(world), round_number=2
        ),
        refused=lambda world: with_row(ForeignGame, foreign_game(world)),
    ),
    Case(
        "foreign_rating_source_is_known",
        ForeignGame,
        foreign_game,
        allowed=always(rating_source="hand"),
        refused=always(rating_source="talk"),
    ),
    Case(
        "one_foreign_version_of_a_number",
        ForeignVersion,
        foreign_version,
        allowed=lambda world: with_row(
            ForeignVersion, foreign_version(world), number=2
        ),
        refused=lambda world: with_row(ForeignVersion, foreign_version(world)),
    ),
    Case(
        "foreign_correction_has_a_reason",
        ForeignVersion,
        foreign_version,
        refused=always(reason=""),
    ),
    Case(
        "one_worklist_line_per_list_and_member",
        ForeignWork,
        foreign_work,
        allowed=lambda world: with_row(
            ForeignWork, foreign_work(world), player=world.stranger
        ),
        refused=lambda world: with_row(ForeignWork, foreign_work(world)),
    ),
    Case(
        "worklist_line_rests_on_rated_games",
        ForeignWork,
        foreign_work,
        allowed=always(games=1),
        refused=always(games=0),
    ),
    Case(
        "nothing_to_do_says_why_and_by_whom",
        ForeignWork,
        foreign_work,
        allowed=lambda world: {
            "nothing_to_do_because": "Rated at home.",
            "decided_by": world.staff,
            "decided_at": NOW,
        },
        refused=always(nothing_to_do_because="Rated at home."),
    ),
    Case(
        "experiment_kind_is_known",
        Experiment,
        experiment,
        allowed=always(kind="search"),
        refused=always(kind="lottery"),
    ),
    Case(
        "experiment_status_is_known",
        Experiment,
        experiment,
        allowed=always(status="cancelled"),
        refused=always(status="lost"),
    ),
    Case(
        "only_a_finished_experiment_has_results",
        Experiment,
        experiment,
        allowed=always(status="done", results={}),
        refused=always(status="cancelled", results={}),
    ),
    Case(
        "published_experiment_is_done_and_has_a_reason",
        Experiment,
        experiment,
        allowed=lambda world: {
            **PUBLISHED_EXPERIMENT,
            "published_at": NOW,
            "published_by": world.staff,
        },
        refused=lambda world: {
            **PUBLISHED_EXPERIMENT,
            "published_at": NOW,
            "published_by": world.staff,
            "public_reason": "",
        },
    ),
    Case(
        "experiment_has_a_reason",
        Experiment,
        experiment,
        allowed=always(),
        refused=always(reason=""),
    ),
    Case(
        "variants_of_an_experiment_are_numbered",
        ExperimentVariant,
        variant,
        allowed=lambda world: with_variant(world, number=2),
        refused=lambda world: with_variant(world, number=1),
    ),
    Case(
        "variant_is_wholly_done_or_not_at_all",
        ExperimentVariant,
        variant,
        allowed=always(result={}, finished_at=NOW, digest="0"),
        refused=always(result={}),
    ),
]


def with_fide_id(world, fide_id: str) -> dict[str, Any]:
    Player.objects.filter(pk=world.player.pk).update(fide_id="2000001")
    return {"fide_id": fide_id}


def with_fide_rating(world, body: str) -> dict[str, Any]:
    ExternalRating.objects.create(**external_rating(world))
    return {"body": body}


def merged_before(world, *, undone: bool) -> dict[str, Any]:
    facts = undone_row(world) if undone else {}
    PlayerMerge.objects.create(**{**merge(world), **facts})
    return {}


def undone_row(world) -> dict[str, Any]:
    return {"undone_at": NOW, "undone_by": world.staff, "undo_reason": "Twins."}


def told_apart(world, **other: Player) -> dict[str, Any]:
    NotSamePerson.objects.create(**not_same_person(world))
    return other


def with_fide_list(world, state: str) -> dict[str, Any]:
    FideList.objects.create(**{**fide_list(world), "state": state})
    return {}


def with_fide_row(world, model: type[models.Model], fide_id: int) -> dict[str, Any]:
    row = model.objects.create(list=some_fide_list(world), fide_id=7)
    return {"list": row.list, "fide_id": fide_id}


def declined(world, fide_id: int) -> dict[str, Any]:
    FideLinkRefusal.objects.create(**link_refusal(world))
    return {"fide_id": fide_id}


def with_opt_in(world, **changes: Any) -> dict[str, Any]:
    FideOptIn.objects.create(**{**opt_in(world), **changes})
    return {}


def ended(world) -> dict[str, Any]:
    return {
        "opted_out_on": DAY,
        "opt_out_approved_by": world.staff,
        "opt_out_reason": "Ill.",
    }


def against(world, *, side: str = "second", **changes: Any) -> dict[str, Any]:
    """A game of the first or second player's in which a newcomer takes *side*."""
    newcomer = Entry.objects.create(**entry(world))
    game_of_round_2 = {"round_number": 2, **changes}
    return {side: newcomer, **game_of_round_2}


def with_bye(world, round_number: int) -> dict[str, Any]:
    UnplayedRound.objects.create(**unplayed_round(world))
    return {"round_number": round_number}


def with_schedule(world, place: int) -> dict[str, Any]:
    Schedule.objects.create(**schedule(world))
    return {"place": place}


def same_files(world, state: str) -> dict[str, Any]:
    return {"content_digest": world.submission.content_digest, "state": state}


def with_mark(world, *, for_office: bool) -> dict[str, Any]:
    mark = message_mark(world)
    MessageMark.objects.create(**mark)
    return {"up_to": mark["up_to"], "for_office": for_office}


def with_planned_section(world, number: int) -> dict[str, Any]:
    section = planned_section(world)
    RegisteredSection.objects.create(**section)
    return {"registration": section["registration"], "number": number}


def with_override(world, key: str) -> dict[str, Any]:
    FindingOverride.objects.create(**override(world))
    return {"finding_key": key}


def with_task(world, body: str) -> dict[str, Any]:
    OfficeTask.objects.create(**office_task(world))
    return {"body": body}


def with_published(world, system: str) -> dict[str, Any]:
    PublishedRating.objects.create(**published(world))
    return {"system": system}


def with_correction(world, state: str) -> dict[str, Any]:
    CorrectionRequest.objects.create(**correction(world))
    return {"state": state, "decided_by": world.staff, "decided_at": NOW}


def with_version(world, state: str) -> dict[str, Any]:
    version = SectionVersion.objects.create(
        section=world.section, number=9, document="{}", reason="So."
    )
    return {
        "state": state,
        "decided_by": world.staff,
        "decided_at": NOW,
        "decision_reason": "So.",
        "version": version if state == "approved" else None,
    }


def with_draft(world, month: date) -> dict[str, Any]:
    ListDraft.objects.create(**list_draft(world))
    return {"month": month}


def with_list(world, month: date) -> dict[str, Any]:
    OfficialList.objects.create(**official_list(world))
    return {"month": month}


def with_official_rating(world, system: str) -> dict[str, Any]:
    OfficialRating.objects.create(**{**official_rating(world), "system": system})
    return {}


def with_list_file(world, kind: str) -> dict[str, Any]:
    OfficialListFile.objects.create(**{**list_file(world), "kind": kind})
    return {}


def with_api_key(world) -> dict[str, Any]:
    ApiKey.objects.create(**api_key(world))
    return {}


def with_api_use(world, who: str) -> dict[str, Any]:
    ApiUse.objects.create(**api_use(world))
    return {"who": who}


def with_job(world, state: str) -> dict[str, Any]:
    Job.objects.create(**job(world))
    return {"state": state}


def with_webhook(world, **changes: Any) -> dict[str, Any]:
    Webhook.objects.create(**webhook(world))
    return changes


def with_open_file(world, **changes: Any) -> dict[str, Any]:
    OpenFile.objects.create(**open_file(world))
    return changes


def with_open_file_part(world, **changes: Any) -> dict[str, Any]:
    OpenFilePart.objects.create(**open_file_part(world))
    return changes


def with_floor_request(world, **changes: Any) -> dict[str, Any]:
    FloorRequest.objects.create(**floor_request(world) | changes)
    return {}


def with_lowering(world, day: date) -> dict[str, Any]:
    FloorLowering.objects.create(**lowering(world) | {"starts": day})
    return {}


def with_adjustment(world, **changes: Any) -> dict[str, Any]:
    Adjustment.objects.create(**adjustment(world) | changes)
    return {}


def with_row(
    model: type[models.Model], spare: dict[str, Any], **changes: Any
) -> dict[str, Any]:
    model.objects.create(**spare | changes)
    return {}


def with_calculation(world, *, is_current: bool = False, **source: Any) -> dict:
    """A source that is rated already; only a current row beside it is refused."""
    values = {"section": None, **source}
    Calculation.objects.create(
        **calculation(world) | values | {"is_current": True, "pass_number": 7}
    )
    return {**values, "is_current": is_current}


def some_adjustment(world) -> Adjustment:
    return Adjustment.objects.create(**adjustment(world))


def with_difference(world, system: str) -> dict[str, Any]:
    return with_row(RunDifference, difference(world), system=system)


def with_shadow(world, system: str) -> dict[str, Any]:
    return with_row(ShadowRating, shadow(world), system=system)


def with_section_version(world, number: int) -> dict[str, Any]:
    return with_row(SectionVersion, version(world), number=number)


def with_foreign_event(world, **changes: Any) -> dict[str, Any]:
    """Another event, with the same values as the row beside it."""
    ForeignEvent.objects.create(**{**foreign_event(world), "name": "X"} | changes)
    return changes


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
        "official list": some_list(world),
        "official rating": OfficialRating.objects.create(**official_rating(world)),
        "list file": OfficialListFile.objects.create(**list_file(world)),
        "fide rating": FideRating.objects.create(**fide_rating(world)),
        "merge": PlayerMerge.objects.create(**merge(world)),
        "opt-in": FideOptIn.objects.create(**opt_in(world)),
        "told apart": NotSamePerson.objects.create(**not_same_person(world)),
        "declined": FideLinkRefusal.objects.create(**link_refusal(world)),
        "floor": Floor.objects.create(**floor(world)),
        "ceiling": Ceiling.objects.create(**ceiling(world)),
        "lowering": FloorLowering.objects.create(**lowering(world)),
        "adjustment": Adjustment.objects.create(**adjustment(world)),
        "set aside": LifeMasterSetAside.objects.create(**set_aside(world)),
        "difference": RunDifference.objects.create(**difference(world)),
        "foreign file": ForeignFile.objects.create(**foreign_file(world)),
        "foreign version": ForeignVersion.objects.create(**foreign_version(world)),
        "games file": GamesFile.objects.create(**games_file(world)),
        "games history": GamesHistory.objects.create(**games_history(world)),
    }


# A column of each table; none of them may change.
HISTORY = {
    "ledger": ("post_rating", 2800.0),
    "inputs": ("document", "{}"),
    "calculation": ("inputs_digest", "forged"),
    "opening": ("rating", 2800.0),
    "audit": ("reason", "another one"),
    "file": ("name", "another.dbf"),
    "official list": ("reason", "another one"),
    "official rating": ("rating", 2800),
    "list file": ("sha256", "forged"),
    "fide rating": ("rating", 2800),
    "merge": ("reason", "another one"),
    "opt-in": ("opted_in_on", EVE),
    "told apart": ("reason", "another one"),
    "declined": ("reason", "another one"),
    "floor": ("level", 2000),
    "ceiling": ("level", 2000),
    "lowering": ("level", 2000),
    "adjustment": ("rating", 2800.0),
    "set aside": ("reason", "another one"),
    "difference": ("after", 2800.0),
    "foreign file": ("name", "another.trf"),
    "foreign version": ("reason", "another one"),
    "games file": ("name", "another.csv"),
    "games history": ("games", 2),
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
        if field.name in ("is_current", "superseded_by"):
            continue
        with pytest.raises(IntegrityError, match="is history"), transaction.atomic():
            mine.update(**{field.name: models.F(field.name)})
