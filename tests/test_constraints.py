"""Database constraints refuse invalid rows."""

from collections.abc import Iterator
from datetime import date, timedelta
from operator import attrgetter as of
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from allauth.idp.oidc.models import Client
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from events.review.groups import COMMITTEE
from events.review.services.acceptance import accept_report
from ratings.models import Calculation, OpeningEntry, RatingChange, Run
from ratings_site.common.api_keys.services import create_key
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import (
    event_report,
    handed_in,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
)

OUR_APPS = ("common", "players", "events", "ratings")
DAY, NOW = date(2024, 5, 4), timezone.now()
EVE = DAY - timedelta(days=1)
SUBJECT = "0b3c6a5e-5f0e-4c0f-9a54-6f2d4c1f7a10"
MAY, JUNE = date(2024, 5, 1), date(2024, 6, 1)

pytestmark = pytest.mark.django_db


class Case(NamedTuple):
    """A constraint, a change that violates it, and one that does not.

    Both change the model's plain row; with *allowed_neighbor* another row exists
    already. A value can be an attribute of the world (``of("staff")``).
    """

    name: str
    refused: dict[str, Any]
    allowed: dict[str, Any] = {}
    allowed_neighbor: dict[str, Any] | None = None


def duplicate_case(name: str, another: dict[str, Any]) -> Case:
    """The plain row cannot be duplicated; one with *another* value can be added."""
    return Case(name, {}, another, allowed_neighbor={})


def rows(plain: dict[str, Any], *cases: Case) -> tuple[dict[str, Any], tuple]:
    return plain, cases


DECIDED = {"decided_by": of("staff"), "decided_at": NOW, "decision_reason": "So."}
HIDDEN = {"state": "done", "decided_by": of("staff"), "reason": "Yes."}
OPTED_OUT = {
    "opted_out_on": DAY,
    "opt_out_approved_by": of("staff"),
    "opt_out_reason": "Ill.",
}
PUBLISHED = {
    "kind": "rerate",
    "status": "published",
    "published_at": NOW,
    "publish_reason": "Good.",
}
SHOWN = {
    "status": "done",
    "results": {},
    "public_title": "Which K",
    "public_reason": "It helps.",
    "published_at": NOW,
    "published_by": of("staff"),
}
TAKEN_BACK = {"undone_at": NOW, "undone_by": of("staff"), "undo_reason": "Twins."}
UNDONE = PUBLISHED | {
    "status": "undone",
    "undone_at": NOW,
    "undo_reason": "A wrong file.",
}

# For each model a plain row, which breaks nothing, and its constraints.
# fmt: off
TABLE = {
    "common.PendingAct": rows(
        {"kind": "test", "title": "An act", "reason": "Needed.",
         "proposed_by": of("staff")},
        Case("pending_act_status_is_known", {"status": "lost"},
            {"status": "withdrawn"}),
        Case("pending_act_has_a_reason", {"reason": ""}),
        Case("decided_act_names_who_decided", {"status": "refused"},
            {"status": "refused", "decided_by": of("staff")}),
        Case("nobody_approves_his_own_act",
            {"status": "approved", "decided_by": of("staff")},
            {"status": "approved", "decided_by": of("td")}),
    ),
    "common.ApiKey": rows(
        {"owner": of("staff"), "name": "a program", "prefix": "ro_begin", "digest": "1"
         * 64, "daily_quota": 100},
        duplicate_case("api_key_is_known_once", {"digest": "2" * 64}),
        Case("api_key_says_what_it_is_for", {"name": ""}),
        Case("api_key_of_a_feed_does_nothing_else",
            {"may_feed": True, "may_submit": True}, {"may_feed": True}),
    ),
    "common.ProgramAccess": rows(
        {"owner": of("staff"), "client": of("program"), "member_id": "12000001",
         "scopes": "openid"},
        Case("program_acts_for_one_member_at_a_time", {"member_id": "12000002"},
            {"member_id": "12000002", "revoked_at": NOW}, allowed_neighbor={}),
        Case("one_access_per_account_program_and_member", {"revoked_at": NOW},
            {"member_id": "12000002", "revoked_at": NOW}, allowed_neighbor={}),
        Case("subject_names_one_access",
            {"member_id": "12000002", "revoked_at": NOW, "subject": SUBJECT},
            {"member_id": "12000002", "revoked_at": NOW},
            allowed_neighbor={"subject": SUBJECT}),
    ),
    "common.Office": rows(
        {"id": 1, "name": "Chess Federation"},
        Case("there_is_one_office", {"id": 2}),
        Case("office_has_a_name", {"name": ""}),
    ),
    "common.ApiUse": rows(
        {"day": JUNE, "who": "key:1"},
        duplicate_case("one_count_of_requests_a_day", {"who": "key:2"}),
    ),
    "common.ApiKeyUse": rows(
        {"key": of("api_key"), "operation": "members.member", "last_used_on": JUNE},
        duplicate_case("one_use_per_key_and_name", {"name": "state"}),
    ),
    "common.GivenPermission": rows(
        {"group": of("committee"), "permission": of("permission")},
        duplicate_case("permission_is_given_once", {"group": of("other_group")}),
    ),
    "common.Job": rows(
        {"kind": "test", "key": "fresh", "run_after": NOW},
        Case("one_open_job_per_kind_and_key", {"state": "running"}, {"state": "done"},
            allowed_neighbor={}),
        Case("job_state_is_known", {"state": "lost"}, {"state": "failed"}),
    ),
    "common.Notice": rows(
        {"account": of("staff"), "kind": "test", "key": "fresh", "title": "News"},
        duplicate_case("nobody_is_told_the_same_twice", {"key": "another"}),
        Case("notice_says_something", {"title": ""}),
    ),
    "common.NoticeSetting": rows(
        {"account": of("staff"), "kind": "test", "channel": "mail", "is_on": True},
        duplicate_case("one_notice_setting_per_kind_and_channel", {"channel": "site"}),
        Case("notice_channel_is_known", {"channel": "post"}, {"channel": "site"}),
    ),
    "common.UploadPart": rows(
        {"name": "reports/a.trf", "number": 0, "content": b"0"},
        duplicate_case("upload_parts_are_numbered", {"number": 1}),
    ),
    "common.Webhook": rows(
        {"owner": of("td"), "url": "https://club.example.org/hook", "salt": "0"},
        duplicate_case("one_webhook_per_account_and_address", {"owner": of("staff")}),
    ),
    "common.WebhookDelivery": rows(
        {"webhook": of("webhook"), "message_id": "msg_1", "kind": "ping", "body": "{}"},
        Case("delivery_state_is_known", {"state": "lost"}, {"state": "given_up"}),
    ),
    "players.ExternalRating": rows(
        {"player": of("player"), "body": "FIDE", "list_date": DAY, "rating": 2000},
        duplicate_case("one_external_rating_per_body_and_list", {"body": "CFC"}),
        Case("external_body_is_known", {"body": "ECF"}),
        Case("external_rating_is_plausible", {"rating": 3501}, {"rating": 3500}),
        Case("external_rating_is_plausible", {"rating": 0}, {"rating": 1}),
    ),
    "players.FideList": rows(
        {"list_date": MAY, "state": "refused", "file_name": "list.zip",
         "stored_as": "fide/list.zip", "sha256": "0", "size": 1},
        Case("one_fide_list_a_month",
             {"state": "stored"}, allowed_neighbor={"state": "stored"}),
        Case("one_fide_list_is_read_and_one_in_force",
            {"list_date": JUNE, "state": "current"},
            {"list_date": JUNE, "state": "loading"},
             allowed_neighbor={"state": "current"}),
        Case("fide_list_state_is_known", {"state": "lost"}, {"state": "stored"}),
        Case("fide_list_begins_a_month", {"list_date": date(2024, 5, 2)}),
        Case("fide_list_rates_no_more_than_it_names", {"rows": 7, "rated": 8},
            {"rows": 7, "rated": 7}),
    ),
    "players.FidePlayer": rows(
        {"list": of("fide_list"), "fide_id": 7},
        duplicate_case("fide_id_once_per_list", {"fide_id": 8}),
    ),
    "players.FideRating": rows(
        {"list": of("fide_list"), "fide_id": 7, "rating": 2100},
        duplicate_case("one_fide_standing_per_list", {"fide_id": 8}),
    ),
    "players.FideLinkRefusal": rows(
        {"player": of("player"), "fide_id": 7, "by": of("staff"), "reason": "An aunt."},
        duplicate_case("fide_id_is_declined_once_per_member", {"fide_id": 8}),
        Case("declined_fide_id_has_a_reason", {"reason": ""}),
    ),
    "players.Membership": rows(
        {"player": of("player"), "type": of("kind"), "starts": DAY, "expires": DAY},
        Case("membership_ends_after_it_starts", {"expires": EVE}),
    ),
    "players.PlayerMerge": rows(
        {"kept": of("player"), "merged": of("stranger"), "by": of("staff"),
         "reason": "One person."},
        duplicate_case("a_number_is_merged_once_at_a_time", TAKEN_BACK),
        Case("merge_joins_two_numbers", {"merged": of("player")}),
        Case("merge_has_a_reason", {"reason": ""}),
        Case("undone_merge_says_when_who_and_why", TAKEN_BACK | {"undo_reason": ""},
            TAKEN_BACK),
        Case("undone_merge_says_when_who_and_why", {"undone_by": of("staff")}),
    ),
    "players.NotSamePerson": rows(
        {"first": of("player"), "second": of("stranger"), "by": of("staff"),
         "reason": "Father and son."},
        duplicate_case("a_pair_is_told_apart_once", {"second": of("other")}),
        Case("a_pair_told_apart_begins_with_the_older_record",
            {"first": of("stranger"), "second": of("player")}),
        Case("telling_apart_has_a_reason", {"reason": ""}),
    ),
    "players.FideOptIn": rows(
        {"player": of("player"), "opted_in_on": DAY, "entered_by": of("staff")},
        duplicate_case("one_open_opt_in_per_member", OPTED_OUT),
        Case("opt_out_is_approved_with_a_reason",
            OPTED_OUT | {"opt_out_approved_by": None}, OPTED_OUT),
        Case("opt_out_is_approved_with_a_reason", OPTED_OUT | {"opt_out_reason": ""}),
        Case("opt_out_comes_after_the_opt_in", OPTED_OUT | {"opted_out_on": EVE},
            OPTED_OUT),
    ),
    "players.ForgetRequest": rows(
        {"player": of("player"), "account": of("staff")},
        duplicate_case("one_open_forget_request_per_member", {"state": "done"}),
        Case("forget_request_state_is_known", {"state": "lost"}, {"state": "done"}),
        Case("refused_forget_request_says_by_whom_and_why",
            {"state": "refused", "decided_by": of("staff")},
            {"state": "refused", "decided_by": of("staff"), "reason": "No."}),
        Case("refused_forget_request_says_by_whom_and_why",
            {"state": "refused", "reason": "No."}),
    ),
    "players.PrivacyRequest": rows(
        {"player": of("player"), "account": of("staff"), "make_private": True},
        duplicate_case("one_open_privacy_request_per_member", HIDDEN),
        Case("privacy_request_state_is_known", HIDDEN | {"state": "lost"}, HIDDEN),
        Case("decided_privacy_request_says_by_whom_and_why",
            HIDDEN | {"decided_by": None}, HIDDEN),
        Case("decided_privacy_request_says_by_whom_and_why", HIDDEN | {"reason": ""}),
    ),
    "players.Invitation": rows(
        {"player": of("player"), "at_age": 13},
        duplicate_case("own_account_is_offered_once_at_each_age", {"at_age": 18}),
    ),
    "players.Claim": rows(
        {"player": of("player"), "account": of("staff"), "salt": "x"},
        Case("claim_state_is_known", {"state": "lost"}, {"state": "granted"}),
        Case("refused_claim_says_by_whom_and_why",
            {"state": "refused", "decided_by": of("staff")},
            {"state": "refused", "decided_by": of("staff"), "reason": "No."}),
        Case("refused_claim_says_by_whom_and_why",
            {"state": "refused", "reason": "No."}),
        Case("td_request_is_for_the_member", {"as_td": True, "as_guardian": True},
            {"as_td": True}),
        duplicate_case("one_open_claim_of_a_kind_per_member_and_account",
            {"state": "withdrawn"}),
    ),
    "players.Intake": rows(
        {"kind": "members", "file_name": "a.csv", "stored_as": "a", "sha256": "1" * 64,
         "size": 1},
        Case("intake_kind_is_known", {"kind": "pictures"}, {"kind": "ratings"}),
        Case("intake_state_is_known", {"state": "lost"}, {"state": "ready"}),
        Case("entered_intake_says_when", {"state": "entered"},
            {"state": "entered", "decided_at": NOW}),
        Case("undone_intake_says_when", {"state": "undone", "decided_at": NOW},
            {"state": "undone", "decided_at": NOW, "undone_at": NOW}),
    ),
    "players.IntakeRow": rows(
        {"intake": of("intake"), "line": 2, "kind": "new", "key": "12345678"},
        Case("intake_row_kind_is_known", {"kind": "odd"}, {"kind": "refused"}),
    ),
    "players.ImportWord": rows(
        {"word": "LAPSED", "meaning": "inactive"},
        Case("status_word_has_a_known_meaning", {"meaning": "odd"}, {"meaning": ""}),
    ),
    "players.GuardianAccount": rows(
        {"player": of("player"), "account": of("staff")},
        duplicate_case("one_guardian_account_per_child_and_account", {"ended_at": NOW}),
    ),
    "players.Follow": rows(
        {"account": of("staff"), "player": of("player")},
        duplicate_case("account_follows_a_player_once", {"player": of("other")}),
    ),
    "players.GuardianConsent": rows(
        {"player": of("player"), "kind": "follow", "account": of("staff")},
        Case("guardian_consent_kind_is_known", {"kind": "print"}, {"kind": "share"}),
        duplicate_case("one_consent_per_child_and_kind", {"kind": "share"}),
    ),
    "players.ShareLink": rows(
        {"player": of("player"), "account": of("staff")},
        duplicate_case("one_share_link_per_player_and_account",
            {"player": of("other")}),
    ),
    "players.Player": rows(
        {"member_id": "31000001", "given_name": "Eve", "family_name": "Euler"},
        Case("fide_id_belongs_to_one_member", {"fide_id": "2000001"},
            {"fide_id": "2000002"}),
        Case("member_id_is_eight_digits", {"member_id": "01000000"},
            {"member_id": "10000000"}),
        Case("player_status_is_known", {"status": "gone"}, {"status": "revoked"}),
        Case("duplicate_names_the_member_it_duplicates", {"status": "duplicate"},
            {"status": "duplicate", "merged_into": of("player")}),
        Case("duplicate_names_the_member_it_duplicates", {"merged_into": of("player")},
            {"status": "inactive"}),
        Case("nobody_is_merged_into_himself",
            {"pk": 77, "status": "duplicate", "merged_into_id": 77},
            {"status": "duplicate", "merged_into": of("player")}),
        Case("player_gender_is_known", {"gender": "W"}, {"gender": "F"}),
    ),
    "events.CorrectionRequest": rows(
        {"section": of("section"), "kind": "name", "change_digest": "fresh",
         "text": "The flyer says so.", "seen_version": 1, "asked_by": of("td")},
        Case("correction_kind_is_known", {"kind": "odd"}, {"kind": "other"}),
        Case("correction_state_is_known", {"state": "odd"}),
        Case("correction_request_says_why", {"text": ""}),
        Case("answered_correction_names_the_td", {"state": "confirmed", "td_at": NOW},
            {"state": "objected", "td_by": of("td"), "td_at": NOW}),
        Case("decided_correction_has_a_decider",
            {"state": "withdrawn", "decided_at": NOW},
            {"state": "withdrawn", "decided_by": of("td"), "decided_at": NOW}),
        Case("decided_correction_has_a_reason",
            DECIDED | {"state": "refused", "decision_reason": ""},
            DECIDED | {"state": "refused"}),
        Case("approved_correction_made_a_version", DECIDED | {"state": "approved"},
            DECIDED | {"state": "approved", "version": of("version")}),
        Case("one_open_request_per_change", DECIDED | {"state": "asked"},
            DECIDED | {"state": "withdrawn"}, allowed_neighbor={}),
    ),
    "events.Event": rows(
        {"event_id": "202405059994", "name": "Another", "starts": DAY, "ends": DAY,
         "affiliate": of("affiliate"), "submission": of("other_submission")},
        Case("event_ends_after_it_starts", {"ends": EVE}),
        Case("event_id_is_twelve_digits", {"event_id": "20240505999"}),
    ),
    "events.Section": rows(
        {"event": of("event"), "number": 2, "starts": DAY, "ends": DAY, "rounds": 1,
         "time_control": "G/60;d5"},
        Case("section_number_once_per_event", {"number": 1}),
        Case("section_ends_after_it_starts", {"ends": EVE}),
        Case("section_status_is_known", {"status": "odd"}, {"status": "rated"}),
        Case("section_kind_is_known", {"kind": "knockout"},
            {"kind": "double_round_robin"}),
    ),
    "events.Entry": rows(
        {"section": of("section"), "player": of("stranger"), "pairing_number": 3},
        Case("pairing_number_once_per_section", {"pairing_number": 2}),
        Case("pairing_number_begins_with_one", {"pairing_number": 0}),
    ),
    "events.Game": rows(
        {"section": of("section"), "round_number": 2, "first": of("first"),
         "second": of("second"), "first_outcome": "W", "second_outcome": "L"},
        Case("nobody_plays_against_himself", {"second": of("first")}),
        Case("game_outcome_is_known", {"second_outcome": "X"},
            {"first_outcome": "D", "second_outcome": "W"}),
        Case("game_outcome_is_known", {"first_outcome": "B"}),
        Case("game_color_is_known", {"first_color": "R"}, {"first_color": "B"}),
        Case("game_leg_is_one_or_two", {"leg": 3}, {"leg": 2}),
        Case("one_game_a_round_for_the_first_side",
            {"second": of("newcomer"), "round_number": 1},
            {"second": of("newcomer"), "leg": 2}),
        Case("one_game_a_round_for_the_second_side",
            {"first": of("newcomer"), "round_number": 1},
            {"first": of("newcomer"), "leg": 2}),
    ),
    "events.UnplayedRound": rows(
        {"entry": of("first"), "round_number": 2, "kind": "B"},
        duplicate_case("one_unplayed_mark_a_round", {"round_number": 3}),
        Case("unplayed_kind_is_known", {"kind": "U"}, {"kind": "Z"}),
        Case("nobody_is_forfeited_to_himself", {"kind": "X", "opponent": of("first")},
            {"kind": "X", "opponent": of("second")}),
    ),
    "events.ForeignEvent": rows(
        {"name": "Lyon Open", "federation": "FRA", "starts": DAY, "ends": DAY,
         "list_date": MAY},
        Case("foreign_event_ends_after_it_starts", {"ends": EVE}),
        Case("fide_event_code_once", {"fide_code": "384210"}, {"fide_code": ""},
            allowed_neighbor={"name": "X", "fide_code": "384210"}),
        duplicate_case("foreign_event_is_entered_once", {"name": "Lyon Masters"}),
    ),
    "events.ForeignFile": rows(
        {"event": of("foreign_event"), "name": "lyon.trf",
         "sha256": "0", "size": 0, "received_by": of("staff")},
        duplicate_case("same_foreign_file_once_per_event", {"sha256": "1"}),
    ),
    "events.ForeignResult": rows(
        {"event": of("foreign_event"), "player": of("player")},
        duplicate_case(
            "one_result_per_foreign_event_and_player", {"player": of("stranger")}),
        Case("foreign_result_status_is_known", {"status": "lost"}),
        Case("excluded_result_says_why", {"status": "excluded"},
            {"status": "excluded", "excluded_because": "Rapid games."}),
    ),
    "events.ForeignGame": rows(
        {"result": of("foreign_result"), "round_number": 1, "half_points": 2,
         "opponent_rating": 2000, "rating_source": "list"},
        Case("foreign_game_is_won_drawn_or_lost", {"half_points": 3}),
        Case("foreign_game_color_is_known", {"color": "R"}, {"color": "B"}),
        Case("foreign_opponent_rating_is_plausible", {"opponent_rating": 3501},
            {"opponent_rating": 3500}),
        duplicate_case("one_foreign_game_per_round", {"round_number": 2}),
        Case("foreign_rating_source_is_known", {"rating_source": "talk"},
            {"rating_source": "hand"}),
    ),
    "events.ForeignVersion": rows(
        {"result": of("foreign_result"), "number": 1, "content": {},
         "replaced_by": of("staff"), "reason": "Round 2 was lost."},
        duplicate_case("one_foreign_version_of_a_number", {"number": 2}),
        Case("foreign_correction_has_a_reason", {"reason": ""}),
    ),
    "events.ForeignWork": rows(
        {"fide_list": of("fide_list"), "player": of("player"), "games": 9},
        duplicate_case(
            "one_worklist_line_per_list_and_member", {"player": of("stranger")}),
        Case("worklist_line_rests_on_rated_games", {"games": 0}, {"games": 1}),
        Case("nothing_to_do_says_why_and_by_whom",
            {"nothing_to_do_because": "Rated at home."},
            {"nothing_to_do_because": "Rated at home.", "decided_by": of("staff"),
             "decided_at": NOW}),
    ),
    "events.ReportMessage": rows(
        {"submission": of("submission"), "by": of("td"), "from_office": False,
         "text": "Who is number 4?"},
        Case("message_says_something", {"text": ""}),
    ),
    "events.MessageMark": rows(
        {"submission": of("submission"), "for_office": True, "up_to": of("message"),
         "by": of("staff")},
        duplicate_case("one_mark_for_each_side", {"for_office": False}),
    ),
    "events.PendingMember": rows(
        {
            "submission": of("submission"),
            "number": "NEW-1",
            "given_name": "Sam",
            "family_name": "Newman",
            "birth_year": 2016,
            "told_by": of("td"),
        },
        duplicate_case("temporary_number_once_per_report", {"number": "NEW-2"}),
        Case("temporary_number_is_new_and_digits", {"number": "NEW-0"}),
        Case(
            "newcomer_has_birth_date_or_year",
            {"birth_year": None},
            {"birth_year": None, "birth_date": DAY},
        ),
        Case(
            "newcomer_has_birth_date_or_year",
            {"birth_date": DAY},
        ),
        Case(
            "resolved_newcomer_has_member_time_and_way",
            {"resolved_to": of("player"), "resolved_at": NOW},
            {
                "resolved_to": of("player"),
                "resolved_at": NOW,
                "resolved_how": "matched",
            },
        ),
        Case(
            "resolved_newcomer_has_member_time_and_way", {"resolved_how": "issued"}
        ),
    ),
    "events.OfficeTask": rows(
        {"submission": of("submission"), "player": of("stranger"), "body": "FIDE"},
        duplicate_case("one_task_per_player_and_body", {"body": "CFC"}),
        Case("task_body_is_known", {"body": "ECF"}),
        Case("task_state_is_known", {"state": "lost", "decided_by": of("staff")}),
        Case("decided_task_has_a_decider", {"state": "declined"},
            {"state": "done", "decided_by": of("staff")}),
    ),
    "events.Affiliate": rows(
        {"affiliate_id": "A6000099", "name": "Rook Club", "expires": DAY},
        Case("affiliate_id_is_letter_and_seven_digits", {"affiliate_id": "60000001"},
            {"affiliate_id": "Z0000000"}),
    ),
    "events.RatingFee": rows(
        {"starts": DAY, "amount": 1},
        duplicate_case("one_fee_from_a_day", {"system": "OTBQ"}),
        Case("fee_is_not_negative", {"amount": -1}, {"amount": 0}),
        Case("fee_is_not_negative", {"minimum": -1}, {"minimum": 0}),
        Case("fee_is_not_negative", {"office_amount": -1}, {"office_amount": 0}),
        Case("fee_is_not_negative", {"basis": "week"}, {"basis": "player"}),
    ),
    "events.FeeCharge": rows(
        {"affiliate": of("affiliate"), "event": of("event"), "section": of("section"),
         "cause": "accepted", "basis": "game", "quantity": 6, "rate": 1},
        duplicate_case("section_is_charged_once", {"cause": "correction"}),
        Case("charge_is_of_a_section_or_the_minimum", {"section": None},
            {"section": None, "cause": "minimum"}),
        Case("charge_is_of_a_section_or_the_minimum", {"cause": "other"}),
    ),
    "events.EventRegistration": rows(
        {"name": "Winter Open", "starts": DAY, "ends": DAY,
         "affiliate": of("affiliate"), "chief": of("player"),
         "registered_by": of("td")},
        Case("registered_event_ends_after_it_starts", {"ends": EVE}),
        Case("registration_status_is_known", {"status": "moved"},
            {"status": "canceled", "notice": "Snow."}),
        Case("canceled_event_says_why", {"status": "canceled"},
            {"status": "canceled", "notice": "Snow."}),
        Case("canceled_event_has_no_report",
            {"submission": of("submission"), "status": "canceled", "notice": "Snow."},
            {"submission": of("submission")}),
    ),
    "events.RegisteredSection": rows(
        {"registration": of("registration"), "number": 1, "name": "Open"},
        duplicate_case("planned_section_number_once", {"number": 2}),
    ),
    "events.Schedule": rows(
        {"section": of("section"), "place": 1, "time_control": "G/60;d5",
         "first_round": 1, "last_round": 1},
        duplicate_case("schedule_has_a_place_of_its_own", {"place": 2}),
        Case("schedule_ends_after_its_first_round", {"first_round": 2},
            {"first_round": 2, "last_round": 2}),
    ),
    "events.Submission": rows(
        {"uploaded_by": of("td"), "content_digest": "fresh"},
        Case("same_files_only_once",
            {"content_digest": of("submission.content_digest"), "state": "open"},
            {"content_digest": of("submission.content_digest"), "state": "withdrawn"}),
        Case("idempotency_key_once_per_account",
            {"idempotency_key": of("other_submission.idempotency_key"),
             "uploaded_by": of("other_submission.uploaded_by")},
            {"idempotency_key": "fresh"}),
        Case("submission_state_is_known", {"state": "lost"}, {"state": "withdrawn"}),
        Case("submitted_report_has_a_time", {"state": "submitted"},
            {"state": "submitted", "submitted_at": NOW}),
        Case("decided_report_has_a_decider", {"state": "returned"},
            {"state": "returned", "decided_by": of("staff")}),
        Case("taken_report_has_taker_and_time", {"claimed_by": of("staff")},
            {"claimed_by": of("staff"), "claimed_at": NOW}),
        Case("lateness_is_between_two_days", {"due": DAY, "days_late": 0},
            {"due": DAY, "handed_in": DAY, "days_late": 0}),
    ),
    "events.FindingOverride": rows(
        {"submission": of("submission"), "finding_key": "fresh", "message": "Odd.",
         "reason": "It is so.", "by": of("td")},
        duplicate_case("finding_overridden_once", {"finding_key": "other"}),
        Case("override_has_a_reason", {"reason": ""}),
    ),
    "events.SectionVersion": rows(
        {"section": of("section"), "number": 9, "document": "{}", "digest": "0",
         "reason": "A result was wrong."},
        duplicate_case("section_version_number_once", {"number": 8}),
        Case("section_versions_begin_with_one", {"number": 0}, {"number": 10}),
        Case("section_version_says_why", {"reason": ""}, {"reason": "x"}),
    ),
    "ratings.Calculation": rows(
        {"run": of("other_run"), "system": "OTBR", "section": of("section"),
         "order_date": DAY, "order_rank": 2, "order_starts": DAY,
         "edition": "2025-07-26", "rules_day": DAY, "age_day": DAY,
         "engine_version": "1", "inputs_digest": "0", "is_current": False},
        Case("calculation_has_exactly_one_source", {"opening": of("opening")}),
        Case("calculation_has_exactly_one_source", {"section": None},
            {"section": None, "opening": of("opening")}),
        Case("calculation_system_is_known", {"system": "OTBX"}),
        Case("one_current_calculation_per_section_and_system", {"is_current": True},
            {"system": "OTBQ", "is_current": True}),
        Case("one_current_calculation_per_opening_entry",
            {"section": None, "opening": of("opening"), "is_current": True},
            {"section": None, "opening": of("opening")}),
        Case("section_rated_once_per_run_pass_and_system", {"run": of("run")},
            {"run": of("run"), "pass_number": 1}),
        Case("one_current_calculation_per_adjustment",
            {"section": None, "adjustment": of("adjustment"), "is_current": True},
            {"section": None, "adjustment": of("adjustment")},
             allowed_neighbor={"section": None, "is_current": True,
                               "adjustment": of("adjustment"), "pass_number": 7}),
        Case("one_current_calculation_per_foreign_result",
            {"section": None, "foreign": of("foreign_result"), "is_current": True},
            {"section": None, "foreign": of("foreign_result")},
            allowed_neighbor={"section": None, "is_current": True,
             "foreign": of("foreign_result"), "pass_number": 7}),
    ),
    "ratings.RatingChange": rows(
        {"calculation": of("calculation"), "player": of("stranger"),
         "pre_rating": 1500.0, "pre_games": 30, "formula": "standard",
         "post_rating": 1510.0, "post_games": 33, "record": "mixed"},
        Case("one_change_per_calculation_and_player", {"player": of("player")}),
        Case("no_rating_below_100", {"post_rating": 99.99}, {"post_rating": 100.0}),
        Case("games_are_never_lost", {"post_games": 29}, {"post_games": 30}),
        Case("rated_means_at_least_one_game", {"pre_games": 0},
            {"pre_rating": None, "pre_games": 0}),
        Case("rated_means_at_least_one_game", {"pre_rating": None, "pre_games": 1},
            {"pre_games": 1}),
        Case("formula_is_known", {"formula": "magic"}, {"formula": "special"}),
        Case("record_is_known", {"record": "some"}, {"record": "all_losses"}),
    ),
    "ratings.Floor": rows(
        {"player": of("player"), "system": "OTBR", "kind": "office", "level": 1500,
         "starts": DAY, "reason": "Asked for.", "granted_by": of("staff")},
        Case("floor_lies_between_100_and_2200", {"level": 2300}, {"level": 2200}),
        Case("floor_lies_between_100_and_2200", {"level": 0}, {"level": 100}),
        Case("floor_has_a_reason", {"reason": ""}),
        Case("floor_ends_after_it_starts", {"ends": EVE}, {"ends": DAY}),
        Case("floor_system_is_known", {"system": "R"}),
        Case("floor_kind_is_known", {"kind": "peak"}),
        Case("life_master_floor_is_regular_only",
            {"kind": "life_master", "level": 2200, "system": "OTBQ"},
            {"kind": "life_master", "level": 2200}),
        Case("floor_is_a_hundred_point_level", {"level": 1250}, {"level": 1300}),
        Case("floor_is_a_hundred_point_level", {"level": 150, "kind": "money"},
            {"level": 150}),
        Case("money_floor_is_at_most_2000", {"kind": "money", "level": 2100},
            {"kind": "money", "level": 2000}),
    ),
    "ratings.Ceiling": rows(
        {"player": of("player"), "system": "OTBR", "level": 1500, "starts": DAY,
         "reason": "Ruling.", "imposed_by": of("staff")},
        Case("ceiling_lies_above_100", {"level": 99}, {"level": 100}),
        Case("ceiling_has_a_reason", {"reason": ""}),
        Case("ceiling_ends_after_it_starts", {"ends": EVE}, {"ends": DAY}),
        Case("ceiling_system_is_known", {"system": "R"}),
    ),
    "ratings.FloorRequest": rows(
        {"player": of("player"), "system": "OTBR", "floor": 1300, "day": DAY},
        duplicate_case(
            "one_open_floor_request_per_player_and_system", {"system": "OTBQ"}),
        Case("one_floor_request_per_match", {"section": of("section")},
            {"section": None}, allowed_neighbor={"section": of("section")}),
        Case("floor_request_status_is_known",
            {"status": "lost", "decision_reason": "Too soon."},
            {"status": "refused", "decision_reason": "Too soon."}),
        Case("floor_request_is_decided_with_a_reason", {"status": "granted"},
            {"status": "granted", "decision_reason": "So be it."}),
    ),
    "ratings.FloorLowering": rows(
        {"player": of("player"), "system": "OTBR", "level": 1200, "starts": DAY,
         "reason": "Asked for.", "decided_by": of("staff")},
        duplicate_case("floor_is_lowered_once_a_day", {"starts": EVE}),
        Case("lowered_floor_is_at_least_100", {"level": 99}, {"level": 100}),
        Case("lowering_has_a_reason", {"reason": ""}),
    ),
    "ratings.Adjustment": rows(
        {"player": of("player"), "system": "OTBR", "kind": "reinstate", "day": DAY,
         "rating": 1500.0, "games": 30, "reason": "Lost in the move.",
         "decided_by": of("staff")},
        duplicate_case(
            "one_adjustment_per_player_system_and_day", {"withdrawn_at": NOW}),
        Case("adjusted_rating_is_plausible", {"rating": 99.9}, {"rating": 100.0}),
        Case("adjusted_rating_is_plausible", {"rating": 3500.1}, {"rating": 3500.0}),
        Case("adjusted_rating_rests_on_games", {"games": 0}, {"games": 1}),
        Case("adjustment_has_a_reason", {"reason": ""}),
        Case("adjusted_system_is_known", {"system": "R"}),
        Case("adjustment_kind_is_known", {"kind": "gift"}, {"kind": "executive"}),
    ),
    "ratings.Experiment": rows(
        {"title": "Which K?", "kind": "comparison", "reason": "To know."},
        Case("experiment_kind_is_known", {"kind": "lottery"}, {"kind": "search"}),
        Case("experiment_status_is_known", {"status": "lost"}, {"status": "canceled"}),
        Case("only_a_finished_experiment_has_results",
            {"status": "canceled", "results": {}}, {"status": "done", "results": {}}),
        Case("published_experiment_is_done_and_has_a_reason",
            SHOWN | {"public_reason": ""}, SHOWN),
        Case("experiment_has_a_reason", {"reason": ""}),
    ),
    "ratings.ExperimentVariant": rows(
        {"experiment": of("experiment"), "number": 1, "system": "glicko",
         "label": "Glicko"},
        duplicate_case("variants_of_an_experiment_are_numbered", {"number": 2}),
        Case("variant_is_wholly_done_or_not_at_all", {"result": {}},
            {"result": {}, "finished_at": NOW, "digest": "0"}),
    ),
    "ratings.EarnedTitle": rows(
        {"player": of("player"), "level": 1200, "earned_on": DAY, "recorded_at": NOW},
        duplicate_case("norm_title_is_earned_once", {"level": 1400}),
        Case("norm_title_level_is_known", {"level": 1300}, {"level": 1400}),
        Case("title_decision_is_known", {"decision": "lost"}, {"decision": "kept"}),
    ),
    "ratings.LifeMasterSetAside": rows(
        {"player": of("player"), "games": 300, "reason": "Arranged games.",
         "decided_by": of("staff")},
        Case("life_master_is_set_aside_with_a_reason", {"reason": ""}),
    ),
    "ratings.RerateMark": rows(
        {"kind": "late", "from_day": DAY, "note": "It came late."},
        Case("mark_says_what_changed", {"note": ""}, {"note": "x"}),
        Case("mark_kind_is_known", {"kind": "whim"}, {"kind": "undo"}),
    ),
    "ratings.ListDraft": rows(
        {"month": JUNE, "cut_off": NOW, "digest": "0", "prepared_at": NOW},
        duplicate_case("one_draft_per_month", {"month": date(2024, 7, 1)}),
        Case("draft_is_for_a_whole_month", {"month": date(2024, 6, 2)}),
    ),
    "ratings.OfficialList": rows(
        {"month": JUNE, "cut_off": NOW, "digest": "0", "prepared_at": NOW, "members": 1,
         "published_at": NOW, "reason": "The month's list."},
        duplicate_case(
            "one_list_per_month_and_correction", {"month": date(2024, 7, 1)}),
        Case("correction_list_says_from_when", {"correction": 1},
            {"correction": 1, "in_force_from": DAY}),
        Case("list_is_for_a_whole_month", {"month": date(2024, 6, 2)}),
        Case("list_is_published_with_a_reason", {"reason": ""}),
    ),
    "ratings.CountedRatings": rows(
        {"system": "OTBR", "of": "state", "group": "OH", "people": 1, "mean": 1500.0,
         "lower_quartile": 1500, "median": 1500, "upper_quartile": 1500,
         "ratings": {"1500": 1}, "counted_at": NOW},
        duplicate_case("each_group_is_counted_once", {"group": "TX"}),
        Case("counted_system_is_known", {"system": "R"}),
    ),
    "ratings.OfficialRating": rows(
        {"list": of("list"), "player": of("player"), "system": "OTBR", "rating": 1500,
         "games": 30, "is_provisional": False, "floor": 1300, "place": 1, "above": 0,
         "change": of("change"), "latest": of("calculation")},
        duplicate_case(
            "one_official_rating_per_list_player_and_system", {"system": "OTBQ"}),
        Case("official_rating_system_is_known", {"system": "R"}),
        Case("official_rating_rests_on_four_games", {"games": 3}, {"games": 4}),
        Case("no_official_rating_below_100", {"rating": 99}, {"rating": 100}),
    ),
    "ratings.OfficialListFile": rows(
        {"list": of("list"), "kind": "csv", "name": "ratings.csv", "content": b"",
         "size": 0, "sha256": "0"},
        duplicate_case("one_file_per_list_and_kind", {"kind": "dbf"}),
        Case("list_file_kind_is_known", {"kind": "x.xls", "made_at": NOW},
             {"kind": "tsv"}),
        Case("list_file_has_content", {"content": None, "kind": "dbf"},
             {"content": None, "compressed": b"", "kind": "dbf"}),
        Case("open_list_file_says_when_it_was_made", {"kind": "open.csv"},
             {"kind": "open.csv", "made_at": NOW}),
    ),
    "ratings.SigningKey": rows(
        {"key_id": "k", "public": "p", "private": "s", "created_at": NOW},
        Case("revoked_signing_key_is_retired", {"is_revoked": True, "private": ""},
             {"is_revoked": True, "private": "", "retired_at": NOW}),
        Case("retired_signing_key_keeps_no_private_half", {"retired_at": NOW},
             {"retired_at": NOW, "private": ""}),
        Case("signing_key_retires_after_it_was_made",
             {"retired_at": NOW - timedelta(1), "private": ""},
             {"retired_at": NOW, "private": ""}),
    ),
    "ratings.OpenFile": rows(
        {"table": "games", "kind": "csv.gz", "rows": 0, "size": 0, "sha256": "0",
         "made_at": NOW, "checked_at": NOW},
        duplicate_case("one_newest_open_file", {"is_newest": False}),
        Case("open_file_kind_is_known", {"kind": "xls"}, {"kind": "parquet"}),
    ),
    "ratings.OpenFilePart": rows(
        {"file": of("open_file"), "number": 0, "content": b"0"},
        duplicate_case("open_file_parts_are_numbered", {"number": 1}),
    ),
    "ratings.OpeningEntry": rows(
        {"player": of("stranger"), "system": "OTBR", "as_of": DAY, "rating": 1500.0,
         "games": 30, "record": "mixed", "source": "the old books"},
        Case("one_opening_entry_per_player_and_system", {"player": of("player")},
            {"player": of("player"), "system": "OTBQ"}),
        Case("opening_system_is_known", {"system": "OLX"}),
        Case("opening_rating_is_plausible", {"rating": 99.9}, {"rating": 100.0}),
        Case("opening_rating_is_plausible", {"rating": 3500.1}, {"rating": 3500.0}),
        Case("opening_rating_rests_on_games", {"games": 0}, {"games": 1}),
        Case("opening_entry_names_its_source", {"source": ""}),
    ),
    "ratings.PublishedRating": rows(
        {"entry": of("first"), "system": "OTBQ", "post_rating": 1500.0,
         "source": "the wall"},
        duplicate_case("one_published_rating_per_entry_and_system", {"system": "OTBB"}),
    ),
    "ratings.PlayerRating": rows(
        {"player": of("stranger"), "system": "OTBR", "rating": 1500.0, "games": 30,
         "record": "mixed", "wins": 0, "draws": 0, "losses": 0, "three_game_events": 0,
         "floor": 100.0, "rated_on": DAY, "last_change": of("change")},
        Case("one_current_rating_per_player_and_system", {"player": of("player")},
            {"player": of("player"), "system": "OTBQ"}),
        Case("rating_system_is_known", {"system": "R"}),
        Case("rating_record_is_known", {"record": ""}, {"record": "none"}),
        Case("no_current_rating_below_100", {"rating": 99.99}, {"rating": 100.0}),
    ),
    "ratings.Run": rows(
        {"kind": "what_if", "status": "queued"},
        Case("one_open_rerate", {"kind": "rerate", "status": "ready"},
            {"kind": "rerate", "status": "failed"}),
        Case("run_kind_is_known", {"kind": "replay"}),
        Case("run_status_is_known", {"status": "done"}, {"status": "failed"}),
        Case("a_what_if_is_never_published", {"status": "published"},
            {"status": "ready"}),
        Case("a_published_rerate_has_a_reason", PUBLISHED | {"publish_reason": ""},
            PUBLISHED),
        Case("a_published_rerate_has_a_reason", PUBLISHED | {"published_at": None}),
        Case("an_undone_rerate_has_a_reason", UNDONE | {"undo_reason": ""}, UNDONE),
        Case("an_undone_rerate_has_a_reason", UNDONE | {"undone_at": None}),
        Case("one_incremental_run", {"kind": "incremental"}),
    ),
    "ratings.RunDifference": rows(
        {"run": of("done_run"), "player": of("player"), "system": "OTBR",
         "before": 1500.0, "after": 1510.0},
        duplicate_case("one_difference_per_run_player_and_system", {"system": "OTBQ"}),
        Case("difference_system_is_known", {"system": "OTBX"}, {"system": "OLB"}),
    ),
    "ratings.GamesFile": rows(
        {"name": "games.csv", "sha256": "0", "size": 1},
    ),
    "ratings.GamesHistory": rows(
        {"digest": "0", "content": b"0", "games": 1, "players": 2},
    ),
}
# fmt: on

CASES = [
    pytest.param(model, case, id=case.name)
    for model, (_, cases) in TABLE.items()
    for case in cases
]

# A column of each table that is history; none of them may change.
HISTORY = {
    "common.AuditEntry": ("reason", "another one"),
    "events.FeeCharge": ("rate", 9),
    "events.ForeignFile": ("name", "another.trf"),
    "events.ForeignVersion": ("reason", "another one"),
    "events.ReportMessage": ("text", "another one"),
    "events.SectionVersion": ("reason", "another one"),
    "events.SubmissionFile": ("name", "another.dbf"),
    "players.FideLinkRefusal": ("reason", "another one"),
    "players.FideOptIn": ("opted_in_on", EVE),
    "players.FideRating": ("rating", 2800),
    "players.NotSamePerson": ("reason", "another one"),
    "players.PlayerMerge": ("reason", "another one"),
    "ratings.Adjustment": ("rating", 2800.0),
    "ratings.Calculation": ("inputs_digest", "forged"),
    "ratings.CalculationInputs": ("document", "{}"),
    "ratings.Ceiling": ("level", 2000),
    "ratings.Floor": ("level", 2000),
    "ratings.FloorLowering": ("level", 2000),
    "ratings.GamesFile": ("name", "another.csv"),
    "ratings.GamesHistory": ("games", 2),
    "ratings.LifeMasterSetAside": ("reason", "another one"),
    "ratings.OfficialList": ("reason", "another one"),
    "ratings.OfficialListFile": ("sha256", "forged"),
    "ratings.OfficialRating": ("rating", 2800),
    "ratings.OpeningEntry": ("rating", 2800.0),
    "ratings.RatingChange": ("post_rating", 2800.0),
    "ratings.RunDifference": ("after", 2800.0),
}


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker) -> Iterator[SimpleNamespace]:
    """One office for all tests, each of which is undone at its end."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_world()
        transaction.set_rollback(True)


def make_world() -> SimpleNamespace:
    """A rated section of two established players, and what other rows rest on."""
    td, staff = make_td(), make_staff()
    players = [
        make_player(ratings={"OTBR": (1500.0, 30)}, fide_id="2000001"),
        make_player(ratings={"OTBR": (1600.0, 30)}),
    ]
    report = event_report(td, [section_report(players, swiss_rows(2, 1))])
    event = accept_report(submission_id=handed_in(td, report).pk, actor=staff)
    run_due_jobs()
    section = event.sections.get()
    calculation = section.calculations.get(system="OTBR")
    world = SimpleNamespace(
        td=td,
        staff=staff,
        program=Client.objects.create(id="pairings", name="Pairings Plus"),
        event=event,
        submission=event.submission,
        api_key=create_key(owner=staff, name="a key", may_submit=False)[0],
        affiliate=event.affiliate,
        section=section,
        player=players[0],
        stranger=make_player(),
        other=make_player(),
        first=section.entries.get(pairing_number=1),
        second=section.entries.get(pairing_number=2),
        calculation=calculation,
        change=calculation.changes.get(player=players[0]),
        opening=OpeningEntry.objects.get(player=players[0]),
        run=calculation.run,
        other_run=Run.objects.create(kind="rerate", status="queued"),
        done_run=Run.objects.create(reason="Late", **PUBLISHED),
        kind=players[0].memberships.get().type,
        committee=Group.objects.get(name=COMMITTEE),
        other_group=Group.objects.create(name="Arbiters"),
        permission=Permission.objects.get(codename="add_session"),
    )
    for name, model, changes in REST:
        setattr(world, name, create_row(model, world, **changes))
    return world


# Other rows of the world, which do not conflict with each other.
REST = [
    ("newcomer", "events.Entry", {"player": of("other"), "pairing_number": 9}),
    (
        "other_submission",
        "events.Submission",
        {"content_digest": "another", "idempotency_key": "key"},
    ),
    ("message", "events.ReportMessage", {}),
    ("registration", "events.EventRegistration", {"name": "Summer Open"}),
    ("version", "events.SectionVersion", {"number": 7}),
    ("webhook", "common.Webhook", {"url": "https://club.example.org/other"}),
    ("open_file", "ratings.OpenFile", {"is_newest": False}),
    ("fide_list", "players.FideList", {"list_date": date(2024, 4, 1)}),
    ("experiment", "ratings.Experiment", {}),
    ("intake", "players.Intake", {"file_name": "other.csv"}),
    ("list", "ratings.OfficialList", {"month": MAY}),
    ("foreign_event", "events.ForeignEvent", {"name": "Nice Open"}),
    ("foreign_result", "events.ForeignResult", {"player": of("other")}),
    ("adjustment", "ratings.Adjustment", {"system": "OTBQ"}),
]


def create_row(label: str, world: SimpleNamespace, **changes: Any) -> models.Model:
    """Write the model's plain row with some changes, past every check in Python."""
    plain, _ = TABLE[label]
    values = {
        name: value(world) if isinstance(value, of) else value
        for name, value in (plain | changes).items()
    }
    model = apps.get_model(label)
    [row] = model.objects.bulk_create([model(**values)])
    return row


@pytest.mark.parametrize(("label", "case"), CASES)
def test_database_refuses_the_row_and_takes_its_neighbor(label, case, world):
    if case.allowed_neighbor is not None:
        create_row(label, world, **case.allowed_neighbor)
    with transaction.atomic():
        create_row(label, world, **case.allowed)
        transaction.set_rollback(True)

    with pytest.raises(IntegrityError) as refusal, transaction.atomic():
        create_row(label, world, **case.refused)
    assert names_constraint(str(refusal.value), label, case.name)


def names_constraint(message: str, label: str, name: str) -> bool:
    """Return whether this constraint failed; SQLite does not name unique ones."""
    constraint = constraints()[label, name]
    if connection.vendor == "sqlite" and isinstance(
        constraint, models.UniqueConstraint
    ):
        meta = apps.get_model(label)._meta
        columns = [
            f"{meta.db_table}.{meta.get_field(field).column}"
            for field in constraint.fields
        ]
        return message == f"UNIQUE constraint failed: {', '.join(columns)}"
    return name in message


def constraints() -> dict[tuple[str, str], models.BaseConstraint]:
    return {
        (model._meta.label, constraint.name): constraint
        for app in OUR_APPS
        for model in apps.get_app_config(app).get_models()
        for constraint in model._meta.constraints
    }


def test_every_constraint_has_a_row_in_the_table():
    tried = {
        (label, case.name) for label, (_, cases) in TABLE.items() for case in cases
    }
    assert tried == set(constraints())


@pytest.mark.parametrize("label", HISTORY)
def test_history_is_neither_changed_nor_deleted(label, world):
    model = apps.get_model(label)
    row = model.objects.first() or create_row(label, world)
    table, key = model._meta.db_table, model._meta.pk.column
    column, value = HISTORY[label]
    before = model.objects.filter(pk=row.pk).values().get()

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

    assert model.objects.filter(pk=row.pk).values().get() == before


def test_every_table_of_history_is_known():
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                "SELECT tbl_name FROM sqlite_master "
                "WHERE type = 'trigger' AND name LIKE '%\\_no\\_%' ESCAPE '\\'"
            )
        else:
            cursor.execute(
                "SELECT DISTINCT relname FROM pg_trigger "
                "JOIN pg_class ON pg_class.oid = tgrelid "
                "WHERE NOT relispartition AND tgname LIKE '%\\_no\\_%'"
            )
        guarded = {table for [table] in cursor.fetchall()}
    assert guarded == {apps.get_model(label)._meta.db_table for label in HISTORY}


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
