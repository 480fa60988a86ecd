"""A sample office, and every page with the accounts that may see it.

There are pending, finished, failed and refused items of every kind, so that each page
has content and each action has a subject.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.contrib.auth.models import Permission
from django.core.files.base import ContentFile
from django.utils import timezone

from events.affiliates.services import request_td_list
from events.calendar.services import Plan, PlannedSection, register_event
from events.certification.services import ask_for_certification
from events.corrections.services.requests import ask_for_correction
from events.foreign.services.files import receive_file
from events.foreign.services.results import Facts, enter_event, enter_result
from events.foreign.services.worklist import prepare_worklist
from events.formats.foreign.report import ReportedForeignGame
from events.models import (
    CorrectionRequest,
    Event,
    FeeCharge,
    OfficeTask,
    PendingMember,
    RatingFee,
)
from events.records.jobs import RATE_SECTION
from events.reports.services.messages import write_message
from events.reports.services.submissions import set_entry, submit_report
from events.review.tasks import enqueue_acceptance
from players.claims.services.claims import ask_office, claim_member
from players.claims.services.invitations import invite, link_of
from players.fide.services.lists import IMPORT_FIDE_LIST, receive_list
from players.fide.services.opt_ins import ask_to_opt_out
from players.models import Claim, FideList, PlayerMerge
from players.privacy.services import request_privacy
from players.sharing.services import follow, make_share_link
from ratings.decisions.floors.services.adjustments import propose_adjustment
from ratings.decisions.floors.services.floors import (
    impose_ceiling,
    propose_office_floor,
)
from ratings.foreign.services import RATE_FOREIGN, mark_ready
from ratings.lists.months import months_before
from ratings.lists.services.lists import prepare_list
from ratings.models import Adjustment, EarnedTitle, ListDraft, OpenFile, Run
from ratings.pages.my_data.services import request_deletion
from ratings.pages.sharing.queries import shared_rating
from ratings.pages.sharing.services import sign_statement
from ratings.previews.floor_requests.services import request_lower_floor
from ratings.rerates.services.start import start_rerate
from ratings.research.experiments.plans import GameSelection, RunOptions, Variant
from ratings.research.experiments.services.lifecycle import (
    cancel_experiment,
    publish_experiment,
    request_experiment,
)
from ratings.research.monthly.services import request_monthly_comparison
from ratings_site.common.accounts.permissions import action_permissions
from ratings_site.common.api_keys.services import create_key
from ratings_site.common.approvals.services import approve
from ratings_site.common.approvals.tasks import enqueue_bulk_action
from ratings_site.common.jobs.queues import QUEUES
from ratings_site.common.jobs.services import record_heartbeat, run_due_jobs
from ratings_site.common.models import Job, Office, User, Webhook
from ratings_site.common.notices.mail import unsubscribe_token
from ratings_site.common.programs.services import grant_access
from ratings_site.common.uploads.services import upload_storage
from ratings_site.common.web.files import CSV
from ratings_site.common.webhooks.services import DELIVER, add_webhook, send_ping
from ratings_site.demo import month as script
from ratings_site.leaving.queries import EXPORT, archive_name
from tests.common.programs.factories import make_program
from tests.factories import (
    event_report,
    make_affiliate,
    make_player,
    make_user,
    rated_event,
    section_report,
    swiss_rows,
    upload,
)
from tests.players.imports.files import entered, received
from tests.ratings.imports import archives

REASON = "Somebody looked it up."
SIGNED_LETTER = "The club wrote on paper"
# Private words that must not appear on a public page.
STAFF_NAME, EVIDENCE = "Zenobia", "Kept-in-the-drawer"
EMAIL = "quiet.address@example.net"


class World:
    """The objects of the office, by the names that the pages below use."""

    def __init__(self) -> None:
        month = script.play_month(lambda sentence: None)
        self.month, self.members = month, month.members
        self.event = month.events["Winter Open"]
        self.section = month.section("Winter Open")
        self.corrected = month.events["Spring Open"]
        self.match = month.section("Club match")
        self._create_accounts()
        self.office = Office.objects.create(
            pk=Office.SINGLETON_ID, name="A federation", issues_ids=True, logo=b"PNG"
        )
        self._import_files()
        self._create_people_decisions()
        self._create_rating_decisions()
        self._send_reports()
        self._create_title_norms()
        self._create_foreign_results()
        self._correct()
        self._publish_open_data()
        self._experiment()
        self._start_rerate()
        self._request_more_experiments()
        self._fail_jobs()

    def _create_accounts(self) -> None:
        self.users = {user.username: user for user in User.objects.all()}
        for user in self.users.values():
            user.first_name, user.last_name = STAFF_NAME, f"Account-{user.username}"
            user.email = EMAIL if user.is_staff else f"{user.username}.{EMAIL}"
            user.save()
        self.staff, self.admin = self.users["staff"], self.users["admin"]
        program = make_program()
        self.program_access = grant_access(
            owner=self.admin, client=program, scopes=["report:draft"]
        )
        self.api_key, _ = create_key(owner=self.admin, name="A page", may_submit=False)
        self.manager, self.td = self.users["manager"], self.users["td"]
        self.td.authenticator_set.create(type="totp", data={})
        self.clerk = make_user("new clerk", is_staff=True, invited_by=self.manager)
        self.users["new clerk"] = self.clerk
        self.users["reader"] = self._reader()

    def _reader(self) -> User:
        """Create staff who may view everything and change nothing."""
        reader = make_user("reader", is_staff=True)
        names = set(action_permissions()) - {
            "events.review_submission",
            "events.rate_foreign",
        }
        reader.user_permissions.set(
            permission
            for permission in Permission.objects.select_related("content_type")
            if f"{permission.content_type.app_label}.{permission.codename}" not in names
            and not permission.codename.startswith(("add_", "change_", "delete_"))
        )
        return reader

    def _import_files(self) -> None:
        self.entered_intake = entered("19999971,Una,Intake")
        self.intake = received(
            "19999972,Dos,Intake", "bad,row", headings="uscf,nombre de pila,apellido"
        )
        self.asking_intake = received(
            "19999974,Tri,03/05/2007", headings="ID,Last name,DOB"
        )
        self.faulty_intake = received(
            "19999975,Quad,Lapsed", headings="ID,Last name,Status"
        )
        old = [
            make_player(f"1999995{number}", "Old", f"Hand{number}")
            for number in range(4)
        ]
        files = archives.dbf_in("old", archives.report_of(self.td, old, "Old Open"))
        archives.entered(self.staff, files)
        self.old_event = Event.objects.get(name="Old Open")
        files["notes/notes.txt"] = b"Round 1 was fun."
        files |= archives.dbf_in("two", archives.report_of(self.td, old, "Old Two"))
        self.history = archives.received(self.staff, files)

    def _create_people_decisions(self) -> None:
        self.spare = make_player("19999991", "Spare", "Number", birth_date=None)
        self.twin = make_player("19999992", "Spare", "Number", birth_date=None)
        self.linked = make_player("19999983", "Linked", "Number", fide_id="4100099")
        self.entered_rating = self.linked.external_ratings.create(
            body="CFC", rating=1500, list_date=date(2024, 5, 1)
        )
        self.merge = PlayerMerge.objects.get()
        self.opt_in = self.members["Mia"].fide_opt_ins.get()
        ask_to_opt_out(
            player_id=self.members["Mia"].pk, actor=self.staff, wish="No more."
        )
        self.fide_list = FideList.objects.get(state="current")
        self.claim, self.asked_claim = (self._claim(f"1999998{end}") for end in "45")
        self.invitation = invite(
            player_id=self.spare.pk, as_guardian=True, email="", actor=self.staff
        )
        ask_office(
            claim_id=self.asked_claim.pk,
            text=SIGNED_LETTER,
            birth_date=date(2015, 5, 4),
            actor=self.users["member"],
        )

        asker = self.users["member"]
        self.td_request = ask_for_certification(
            player_id=asker.player.pk, text=SIGNED_LETTER, birth_date=None, actor=asker
        )
        club = make_affiliate("A6000002", name="Rook Club")
        self.td.player.official.affiliates.add(club)
        self.td_list = request_td_list(
            affiliate_id=club.pk,
            member_ids=self.td.player.member_id,
            reason=SIGNED_LETTER,
            actor=self.td,
        )
        self.wish = request_deletion(player_id=asker.player.pk, actor=asker)
        request_privacy(player_id=asker.player.pk, actor=asker, make_private=True)
        self.shared = make_share_link(player_id=asker.player.pk, actor=asker)
        token = self.shared.token
        self.statement = sign_statement(shared_rating(token), token)
        follow(player_id=self.members["Carla"].pk, actor=asker)

    def _claim(self, member_id: str) -> Claim:
        child = make_player(member_id, "Claimed", "Child", birth_date=None)
        return claim_member(
            player_id=child.pk, as_guardian=True, actor=self.users["member"]
        )

    def _create_rating_decisions(self) -> None:
        carla, ana = self.members["Carla"], self.members["Ana"]
        today = timezone.localdate()
        act = propose_adjustment(
            player_id=carla.pk,
            system="OTBR",
            kind=Adjustment.Kind.choices[0][0],
            day=today,
            rating=1600.0,
            games=120,
            reason=SIGNED_LETTER,
            actor=self.manager,
        )
        self.adjustment = approve(act_id=act.pk, actor=self.admin, reason=REASON)
        self.act = propose_adjustment(
            player_id=ana.pk,
            system="OTBR",
            kind=Adjustment.Kind.choices[0][0],
            day=today,
            rating=1700.0,
            games=80,
            reason=REASON,
            actor=self.manager,
        )
        proposed = propose_office_floor(
            player_id=ana.pk,
            system="OTBR",
            level=1600,
            starts=today,
            reason=SIGNED_LETTER,
            evidence=EVIDENCE,
            actor=self.admin,
        )
        self.floor = approve(act_id=proposed.pk, actor=self.manager, reason=REASON)
        self.ceiling = impose_ceiling(
            player_id=ana.pk,
            system="OTBQ",
            level=2000,
            starts=today,
            reason=REASON,
            actor=self.admin,
        )
        self.floor_request = request_lower_floor(
            player_id=ana.pk, system="OTBR", reason=REASON, actor=self.staff
        )
        self.list = self.month.published
        self.next_month = months_before(self.list.month, -1)
        self.draft = prepare_list(
            month=self.next_month, actor=self.manager, cut_off=timezone.now()
        )

    def _send_reports(self) -> None:
        """One report is with the TD, one with the office, each with four players."""
        names = ("Ana", "Ben", "Carla", "Dmitri")
        players = [*(self.members[name] for name in names)]
        players[3] = make_player("19999993", "Newly", "Come", birth_date=None)
        fee = RatingFee.objects.create(starts=date(2024, 1, 1), amount="0.35")
        self.event.charges.create(
            affiliate=self.event.affiliate,
            section=self.section,
            cause=FeeCharge.Cause.ACCEPTED,
            basis=fee.basis,
            quantity=6,
            rate=fee.amount,
        )
        self.submissions = []
        for name, day in (("At the desk", 4), ("In the queue", 11)):
            sections = [section_report(players, swiss_rows(4, 3))]
            played = date(2024, 5, day)
            report = event_report(
                self.td, sections, name=name, starts=played, ends=played
            )
            self.submissions.append(upload(self.td, report))
        self.at_desk, self.in_queue = self.submissions
        set_entry(
            submission_id=self.in_queue.pk,
            actor=self.td,
            version=1,
            section_number=1,
            pairing_number=4,
            changes={"fide_id": "2020009", "fide_rating": "1612"},
        )
        submit_report(submission_id=self.in_queue.pk, actor=self.td)
        self.task = OfficeTask.objects.get()
        self.newcomer = PendingMember.objects.create(
            submission=self.in_queue,
            number="NEW-1",
            given_name="Never",
            family_name="Seen",
            birth_date=date(2016, 5, 17),
            told_by=self.td,
        )
        self._create_messages_and_plans()

    def _create_messages_and_plans(self) -> None:
        """The office has asked the TD; one event is to come, one has no report."""
        write_message(submission=self.at_desk, actor=self.staff, text=EVIDENCE)
        write_message(submission=self.in_queue, actor=self.td, text=EVIDENCE)
        for name, days in (("To come", 40), ("Forgotten", -40)):
            day = timezone.localdate() + timedelta(days)
            club, chief = self.at_desk.affiliate, self.td.player
            plan = Plan(name, day, day, club, chief, sections=[PlannedSection("Open")])
            made = register_event(actor=self.staff, plan=plan)
            self.planned = made if days > 0 else self.planned

    def _create_title_norms(self) -> None:
        """A player far above 2200 draws 300 games, in twelve sections of one event."""
        EarnedTitle.objects.create(
            player=self.members["Ana"], level=1200, earned_on=timezone.localdate(),
            recorded_at=timezone.now())  # fmt: skip
        people = [
            make_player(ratings={"OTBR": (2400.0, 60)}, birth_date=None)
            for _ in range(4)
        ]
        self.life_master = people[0]
        rows = [" ".join([f"D{other}W"] * 25) for other in (2, 1, 4, 3)]
        rows = [row if other in (2, 4) else row.replace("W", "B")
                for row, other in zip(rows, (2, 1, 4, 3), strict=True)]  # fmt: skip
        sections = [section_report(people, rows, number=one + 1) for one in range(12)]
        rated_event(self.td, event_report(self.td, sections, name="Long Open"))

    def _create_foreign_results(self) -> None:
        mia = self.members["Mia"]
        self.abroad = self.month.abroad
        prepare_worklist(actor=self.staff, list_id=self.fide_list.pk)
        self.work = self.fide_list.foreign_work.get(player=mia)
        may = date(2024, 5, 16)
        self.results = []
        for name, day in (("Ready Open", may), ("Draft Open", may + timedelta(9))):
            event, _ = enter_event(
                actor=self.staff,
                facts=Facts(
                    name=name, federation="FRA", starts=day, ends=day + timedelta(3)
                ),
            )
            game = ReportedForeignGame(1, "Rival", "", "FRA", 1900, "W", 2)
            result = enter_result(
                actor=self.staff, event_id=event.pk, player=mia, games=[game]
            )
            self.results.append(result)
        self.ready, self.rough = self.results
        mark_ready(actor=self.staff, result_id=self.ready.pk)
        receive_file(
            actor=self.staff,
            name="table.csv",
            content=b"member_id,round,opponent_rating,result\n12345678,1,1900,1\n",
            event=self.rough.event,
        )
        self.file = self.rough.event.files.get()

    def _correct(self) -> None:
        self.correction = ask_for_correction(
            section=self.section,
            kind="name",
            change={"name": "Winter Championship"},
            text=REASON,
            version=self.section.version,
            actor=self.users["member"],
        )

    def _publish_open_data(self) -> None:
        """Create a bulk file, an export, and a webhook with a message waiting."""
        self.bulk = OpenFile.objects.create(
            table="games",
            kind=OpenFile.Kind.CSV,
            rows=0,
            size=5,
            sha256="0" * 64,
            made_at=timezone.now(),
            checked_at=timezone.now(),
        )
        self.bulk.parts.create(number=0, content=b"games")
        self.export = Job.objects.create(
            kind=EXPORT,
            key="office",
            state=Job.State.DONE,
            run_after=timezone.now(),
            finished_at=timezone.now(),
            requested_by=self.admin,
        )
        upload_storage().save(archive_name(self.export.pk), ContentFile(b"PK"))
        self.webhook = add_webhook(
            owner=self.users["member"],
            url="https://club.example.org/hook",
            kinds=[Webhook.Kind.LIST],
        )
        self.delivery = send_ping(webhook=self.webhook)
        Job.objects.filter(kind=DELIVER).update(state=Job.State.DONE)

    def _experiment(self) -> None:
        """Two experiments are done; what one found is published."""
        games = b"date,white,black,result\n" + b"".join(
            b"2024-05-04,Ann,Bob %d,1-0\n" % number for number in range(9)
        )
        self.experiment = self._request_experiment(
            title="For everybody", newcomers="own"
        )
        self.quiet_experiment = self._request_experiment(
            title="For the committee", file=("games.csv", games)
        )
        run_due_jobs()
        publish_experiment(
            experiment_id=self.experiment.pk,
            actor=self.manager,
            public_title="Which system?",
            reason="Everybody may read it.",
        )
        self.compared_month = self.event.ends.replace(day=1)
        standing = request_monthly_comparison(self.compared_month)
        standing.plan |= {"least_games": 0}  # few games were played here
        standing.save(update_fields=["plan"])
        run_due_jobs()

    def _request_experiment(
        self, *, title: str, file: tuple[str, bytes] | None = None, **how: Any
    ):
        chosen = None if file else GameSelection()
        return request_experiment(
            actor=self.manager,
            title=title,
            reason=REASON,
            kind="comparison",
            asked=RunOptions(
                chosen=chosen,
                warm_up_days=0,
                least_games=0,
                **{"newcomers": "ours", **how},
            ),
            variants=[Variant("glicko"), Variant("elo.logistic")],
            file=file,
        )

    def _request_more_experiments(self) -> None:
        """One experiment waits, one was canceled."""
        self.open_experiment = self._request_experiment(
            title="One to wait for", months=2
        )
        self.stopped_experiment = self._request_experiment(
            title="One that stopped", months=3
        )
        cancel_experiment(
            experiment_id=self.stopped_experiment.pk, actor=self.manager, reason=REASON
        )

    def _start_rerate(self) -> None:
        self.published_run = self.month.runs[0]
        self.last_run = self.month.runs[1]
        self.run = start_rerate(actor=self.staff, reason=REASON, from_day=script.WINTER)
        run_due_jobs()
        self.run.refresh_from_db()
        self.failed_run = Run.objects.create(
            kind=Run.Kind.RERATE, status=Run.Status.FAILED, message="It stopped."
        )

    def _fail_jobs(self) -> None:
        """Stop all work: a list stays half imported, and jobs stay failed.

        Queued jobs are not due during the tests, because after some minutes the health
        checks would fail.
        """
        self.loading = receive_list(
            actor=self.staff,
            name="cut.txt",
            content=[b"ID Number"],
            list_date=months_before(script.FIDE_LIST, 1),
            allow_older=True,
            allow_smaller=True,
            reason=REASON,
        )
        common = {"state": Job.State.FAILED, "run_after": timezone.now()}
        self.failed_abroad = Job.objects.create(
            kind=RATE_FOREIGN,
            key="failed",
            args={"result_ids": [self.ready.pk]},
            message="It was refused.",
            **common,
        )
        self.failed_section = Job.objects.create(
            kind=RATE_SECTION,
            key="failed",
            args={"section_id": self.section.pk},
            **common,
        )
        self.merging = enqueue_bulk_action(
            "players_office:duplicates", "merge", ["1:2"], "", self.staff
        )
        Job.objects.filter(pk=self.merging.pk).update(
            state=Job.State.DONE, started_at=timezone.now(), finished_at=timezone.now()
        )
        self.accepting = enqueue_acceptance({self.in_queue.pk: 1}, "", self.staff)
        waiting = Job.objects.filter(state=Job.State.QUEUED)
        self.waiting_job = waiting.get(kind=IMPORT_FIDE_LIST)
        waiting.update(run_after=timezone.now() + timedelta(days=1))


# --- Every page ---

PUBLIC, SIGNED_IN, MEMBER, REPORTERS, OFFICE = (
    "anybody",
    "a person who is signed in",
    "the member",
    "TDs and staff",
    "the office",
)
Of = Callable[[World], dict[str, Any]]


def no_fields(_: World) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Page:
    """A URL by its *name*, and who may read it.

    *of* returns the arguments. *takes* is the permission for the action that *sends*
    posts, in addition to the values of the form; *query* is the query string.
    """

    name: str
    who: str
    of: Of = no_fields
    takes: str = ""
    sends: Of | None = None
    query: Of = no_fields
    label: str = ""

    @property
    def id(self) -> str:
        return f"{self.name}-{self.label}" if self.label else self.name


def member(name: str) -> Of:
    return lambda world: {"member_id": world.members[name].member_id}


def pk_of(name: str, **more: Any) -> Of:
    return lambda world: {"pk": getattr(world, name).pk, **more}


def section_args(**more: Any) -> Of:
    return lambda world: {"event_id": world.event.event_id, "number": 1, **more}


def in_system(**more: Any) -> Of:
    return lambda world: {"system": "OTBR", **more}


def with_reason(**more: Any) -> Of:
    return lambda world: {"reason": REASON, **more}


def _publish(world: Any) -> dict[str, Any]:
    return {"reason": REASON, "shown_pass": world.run.pass_number}


def _publish_list(world: Any) -> dict[str, Any]:
    """Return the form that publishes the list, which an open rerate hides."""
    Run.objects.filter(status__in=Run.OPEN_STATUSES).update(status=Run.Status.DISCARDED)
    draft = ListDraft.objects.get(month=world.next_month)
    return {"reason": REASON, "digest": draft.digest}


def today() -> str:
    return timezone.localdate().isoformat()


def _entry(**more: Any) -> Of:
    return pk_of("at_desk", number=1, pairing_number=1, **more)


def _with_workers(_: World) -> dict[str, Any]:
    """Let the office have what it needs to be ready."""
    record_heartbeat(QUEUES)
    return {}


def _rounds(_: World) -> dict[str, Any]:
    return {"form-0-round_number": 1, "form-0-result": "2", "form-0-rating": 1900,
            "form-0-opponent_name": "Rival"}  # fmt: skip


def _money(world: World) -> dict[str, Any]:
    return {"event_id": world.event.event_id, "number": 1, "prize": 5000, "limit": 1800}


def _abroad(_: World) -> dict[str, Any]:
    return {"name": "Nice Open", "starts": "2024-05-04", "ends": "2024-05-06",
            "federation": "FRA"}  # fmt: skip


GRANT, LOWER, CEILING, ADJUST = (
    f"ratings.{name}"
    for name in ("grant_floor", "lower_floor", "impose_ceiling", "adjust_rating")
)
FOREIGN, REVIEW, DECIDE, MERGE, LINK = (
    "events.rate_foreign",
    "events.review_submission",
    "events.decide_correction",
    "players.merge_players",
    "players.link_fide_id",
)
PUBLISH_RUN = "ratings.publish_rerate"
RUN_EXPERIMENT, PUBLISH_EXPERIMENT = (
    "ratings.run_experiment",
    "ratings.publish_experiment",
)

# These URLs have no file until the list of the sample is in force.
NEEDS_LIST_IN_FORCE = {"ratings:current_list_file"}
PAGES = [
    Page("home", PUBLIC),
    Page("health", PUBLIC),
    Page("live", PUBLIC),
    Page("ready", PUBLIC, _with_workers),
    Page("logo", PUBLIC, lambda world: {"digest": world.office.logo_digest}),
    Page("set_language", PUBLIC),
    Page("api_keys", SIGNED_IN),
    Page("revoke_api_key", SIGNED_IN, pk_of("api_key")),
    Page("programs", SIGNED_IN),
    Page("revoke_program", SIGNED_IN, pk_of("program_access")),
    # Players
    Page("idp:oidc:configuration", PUBLIC),
    Page("idp:oidc:jwks", PUBLIC),
    Page("idp:oidc:device_authorization", SIGNED_IN),
    Page("players:search", PUBLIC),
    Page("players:fide_opt_in", SIGNED_IN),
    Page("players:guardian", SIGNED_IN),
    Page("players:claims", SIGNED_IN),
    Page("players:sharing", MEMBER, member("Ana")),
    Page("players:sharing_action", SIGNED_IN, lambda world: {
        "member_id": world.members["Carla"].member_id, "action": "follow"}),
    Page("players:claim", MEMBER, pk_of("claim")),
    Page("players:invited", SIGNED_IN,
         lambda world: {"token": link_of(world.invitation).split("/")[-2]}),
    Page("account", SIGNED_IN),
    Page("players_office:invite", OFFICE),
    Page("players_office:invite_list", OFFICE),
    Page("events:invite_directors", OFFICE),
    Page("players_office:accounts", OFFICE, query=lambda world: {"q": "td"}),
    Page("players_office:factors", OFFICE, lambda world: {"pk": world.td.pk},
         takes="common.reset_factors", sends=with_reason()),
    Page("players_office:claims", OFFICE),
    Page("players_office:several_claims", OFFICE),
    Page("players_office:claim", OFFICE, pk_of("asked_claim"),
         takes="players.decide_claim", sends=with_reason(decision="grant")),
    Page("players_office:intakes", OFFICE),
    Page("players_office:intake_template", OFFICE,
         lambda world: {"kind": "members", "ending": "xlsx"}),
    Page("players_office:intake_columns", OFFICE, pk_of("intake"),
         takes="players.take_in",
         sends=lambda world: {"column_0": "member_id", "column_1": "-",
                              "column_2": "family_name"}),
    Page("players_office:intake", OFFICE, pk_of("intake")),
    Page("players_office:intake", OFFICE, pk_of("history"), label="history"),
    Page("players_office:intake_progress", OFFICE, pk_of("intake")),
    Page("players_office:intake_refused", OFFICE, pk_of("intake")),
    Page("players_office:intake_enter", OFFICE, pk_of("intake"),
         takes="players.take_in", sends=with_reason()),
    Page("players_office:intake_enter", OFFICE, pk_of("history"), label="history",
         takes="players.take_in", sends=with_reason()),
    Page("players_office:intake_days", OFFICE, pk_of("asking_intake"),
         takes="players.take_in", sends=lambda world: {"birth_date": "day_first"}),
    Page("players_office:intake_faults", OFFICE, pk_of("faulty_intake"),
         takes="players.take_in",
         sends=lambda world: {"status_unknown:LAPSED": "inactive"}),
    Page("players_office:intake_again", OFFICE, pk_of("intake"),
         takes="players.take_in", sends=no_fields),
    Page("players_office:intake_aside", OFFICE, pk_of("intake"),
         takes="players.take_in", sends=with_reason()),
    Page("players_office:intake_undo", OFFICE, pk_of("entered_intake"),
         takes="players.take_in", sends=with_reason()),
    Page("players_office:fide_lists", OFFICE),
    Page("players_office:fide_list", OFFICE, pk_of("fide_list")),
    Page("players_office:fide_progress", OFFICE, pk_of("loading")),
    Page("players_office:fide_give_up", OFFICE, pk_of("loading"),
         takes="players.import_fide_list", sends=with_reason()),
    Page("players_office:cfc", OFFICE, takes="players.add_externalrating",
         sends=lambda world: {"member": world.spare.member_id, "rating": 1500,
                              "list_date": "2024-05-01", "reason": REASON}),
    Page("players_office:take_rating_back", OFFICE, pk_of("entered_rating"),
         takes="players.add_externalrating", sends=with_reason()),
    Page("players_office:links", OFFICE),
    Page("players_office:several_links", OFFICE),
    Page("players_office:link", OFFICE,
         lambda world: {"member_id": world.spare.member_id, "fide_id": 4100011},
         takes=LINK, sends=with_reason(decision="accept")),
    Page("players_office:link", OFFICE,
         lambda world: {"member_id": world.spare.member_id, "fide_id": 4100011},
         takes=LINK, sends=with_reason(decision="decline"), label="decline"),
    Page("players_office:unlink", OFFICE,
         lambda world: {"member_id": world.linked.member_id},
         takes=LINK, sends=with_reason()),
    Page("players_office:duplicates", OFFICE),
    Page("players_office:several_pairs", OFFICE),
    Page("players_office:pair", OFFICE,
         lambda world: {"kept": world.spare.member_id, "merged": world.twin.member_id},
         takes=MERGE, sends=with_reason(decision="merge")),
    Page("players_office:pair", OFFICE,
         lambda world: {"kept": world.spare.member_id, "merged": world.twin.member_id},
         takes=MERGE, sends=with_reason(decision="apart"), label="apart"),
    Page("players_office:undo_merge", OFFICE, pk_of("merge"), takes=MERGE,
         sends=with_reason()),
    Page("players_office:opt_ins", OFFICE, takes="players.enter_opt_in",
         sends=lambda world: {"member": world.spare.member_id, "day": "2024-05-01",
                              "reason": REASON}),
    Page("players_office:opt_out", OFFICE, pk_of("opt_in"),
         takes="players.approve_opt_out", sends=with_reason()),
    Page("players_office:status", OFFICE,
         lambda world: {"member_id": world.spare.member_id},
         takes="players.change_status", sends=with_reason(status="suspended")),
    Page("ratings:forget_member", OFFICE,
         lambda world: {"member_id": world.users["member"].player.member_id},
         takes="players.forget_member", sends=with_reason()),
    Page("players_office:privacy_requests", OFFICE),
    Page("players_office:privacy", OFFICE,
         lambda world: {"member_id": world.users["member"].player.member_id},
         takes="players.change_privacy", sends=with_reason(decision="hide")),
    Page("ratings:my_data", SIGNED_IN),
    Page("ratings:ask_to_forget", MEMBER,
         lambda world: {"member_id": world.users["member"].player.member_id}),
    Page("ratings:forget_requests", OFFICE),
    Page("ratings:refuse_to_forget", OFFICE, pk_of("wish"),
         takes="players.forget_member", sends=with_reason()),
    # Open data
    Page("ratings:open_data", PUBLIC),
    Page("ratings:open_file", PUBLIC, lambda world: {"name": world.bulk.name}),
    Page("ratings:old_open_file", PUBLIC, lambda world: {
        "pk": world.bulk.pk, "name": world.bulk.name}),
    Page("ratings:events_feed", PUBLIC),
    Page("ratings:state_feed", PUBLIC, lambda world: {"state": "OH"}),
    Page("ratings:corrections_feed", PUBLIC),
    Page("ratings:member_feed", PUBLIC, member("Ana")),
    Page("sitemap", PUBLIC),
    Page("sitemap_part", PUBLIC, lambda world: {"section": "events"}),
    Page("robots", PUBLIC),
    Page("webhooks:webhooks", SIGNED_IN),
    Page("webhooks:webhook", MEMBER, pk_of("webhook")),
    Page("webhooks:act", MEMBER, pk_of("webhook", act="ping")),
    Page("webhooks:delete", MEMBER, pk_of("webhook")),
    Page("webhooks:delivery", MEMBER, lambda world: {
        "pk": world.webhook.pk, "delivery_pk": world.delivery.pk}),
    # Notices
    Page("notices:list", SIGNED_IN),
    Page("notices:read", SIGNED_IN),
    Page("notices:settings", SIGNED_IN),
    Page("notices:unsubscribe", PUBLIC, lambda world: {
        "token": unsubscribe_token(world.td.pk, ["events.report"])}),
    # What belongs to no app
    Page("office:approvals", OFFICE),
    Page("office:approval", OFFICE, pk_of("act"), takes=ADJUST,
         sends=with_reason(decision="approve")),
    Page("office:approval", OFFICE, pk_of("act"), takes=ADJUST,
         sends=with_reason(decision="refuse"), label="refuse"),
    Page("office:bulk_action", OFFICE, pk_of("merging")),
    Page("office:approval", OFFICE, pk_of("td_list"), label="named TDs",
         takes="events.change_affiliate", sends=with_reason(decision="approve")),
    Page("office:audit", OFFICE),
    Page("office:audit_export", OFFICE),
    Page("office:jobs", OFFICE),
    Page("office:job_progress", OFFICE, pk_of("waiting_job")),
    Page("office:retry_job", OFFICE, pk_of("failed_section"), takes="common.retry_job",
         sends=no_fields),
    Page("office:permissions", OFFICE),
    Page("leaving:export", OFFICE),
    Page("leaving:export_progress", OFFICE),
    Page("leaving:archive", OFFICE, pk_of("export")),
    # Events
    Page("events:list", PUBLIC),
    Page("events:event", PUBLIC, lambda world: {"event_id": world.event.event_id}),
    Page("events:event", PUBLIC, label="taken over",
         of=lambda world: {"event_id": world.old_event.event_id}),
    Page("events:export", PUBLIC, lambda world: {"event_id": world.event.event_id}),
    Page("events:export_trf16", PUBLIC,
         lambda world: {"event_id": world.event.event_id}),
    Page("events:export_trf26", PUBLIC,
         lambda world: {"event_id": world.event.event_id}),
    Page("events:export_json", PUBLIC,
         lambda world: {"event_id": world.event.event_id}),
    Page("events:export_csv", PUBLIC,
         lambda world: {"event_id": world.event.event_id}),
    Page("events:calendar", PUBLIC),
    Page("events:month", PUBLIC, lambda world: {"month": "2024-05"}),
    Page("events:calendar_feed", PUBLIC),
    Page("events:registered", PUBLIC, pk_of("planned")),
    Page("events:registered_ics", PUBLIC, pk_of("planned")),
    Page("events:affiliates", PUBLIC),
    Page("events:affiliate", PUBLIC,
         lambda world: {"affiliate_id": world.event.affiliate.affiliate_id}),
    Page("events:ask_td_list", SIGNED_IN,
         lambda world: {"affiliate_id": world.event.affiliate.affiliate_id}),
    Page("events:director", PUBLIC,
         lambda world: {"member_id": world.td.player.member_id}),
    Page("events:director_record", REPORTERS,
         lambda world: {"member_id": world.td.player.member_id}),
    Page("events:register", REPORTERS),
    Page("events:change_registration", REPORTERS, pk_of("planned")),
    Page("events:cancel_registration", REPORTERS, pk_of("planned")),
    Page("events:my_registrations", REPORTERS),
    Page("events:messages", REPORTERS, pk_of("at_desk")),
    Page("events:read_messages", REPORTERS, pk_of("at_desk")),
    Page("events:tie", REPORTERS, pk_of("at_desk")),
    Page("events:unread", OFFICE),
    Page("events:expected", OFFICE),
    Page("events:lateness", OFFICE),
    Page("events:ask_correction", SIGNED_IN, section_args()),
    *(Page("events:ask_correction", SIGNED_IN, section_args(), label=kind,
           query=lambda world, kind=kind: {"kind": kind, "row": 1, "round": 1})
      for kind in CorrectionRequest.Kind.values),
    Page("events:section_history", PUBLIC, section_args()),
    Page("events:section_version", PUBLIC, lambda world: {
        "event_id": world.corrected.event_id, "number": 1, "version": 1}),
    Page("events:my_corrections", SIGNED_IN),
    Page("events:correction", MEMBER, pk_of("correction")),
    Page("events:answer_correction", MEMBER, pk_of("correction")),
    Page("events:withdraw_correction", MEMBER, pk_of("correction")),
    Page("events:corrections", OFFICE),
    Page("events:decide_correction", OFFICE, pk_of("correction"), takes=DECIDE,
         sends=with_reason(public_note=REASON, version=1)),
    Page("events:refuse_correction", OFFICE, pk_of("correction"), takes=DECIDE,
         sends=with_reason()),
    Page("events:restate_correction", OFFICE, pk_of("correction"), takes=DECIDE,
         query=lambda world: {"kind": "name"},
         sends=lambda world: {"name": "Winter Cup", "text": REASON, "version": 1}),
    Page("events:welcome", SIGNED_IN),
    Page("events:td_requests", OFFICE),
    Page("events:td_request", OFFICE, pk_of("td_request"),
         takes="events.change_official",
         sends=with_reason(
             decision="grant", level="club", certified_until="2099-12-31")),
    Page("events:desk", REPORTERS),
    Page("events:statement", OFFICE, lambda world: {"month": timezone.localdate()}),
    Page("events:statement_csv", OFFICE,
         lambda world: {"month": timezone.localdate()}),
    Page("ratings:roster_check", REPORTERS,
         query=lambda world: {"report": world.at_desk.pk}),
    Page("events:upload", REPORTERS),
    Page("events:template_csv", REPORTERS, lambda world: {"name": "games"}),
    Page("events:template_xlsx", REPORTERS, lambda world: {"name": "games"}),
    Page("events:columns", REPORTERS, pk_of("at_desk")),
    Page("events:report", REPORTERS, pk_of("at_desk")),
    Page("events:type_in", REPORTERS),
    Page("events:typed_names", REPORTERS),
    Page("events:grid_members", REPORTERS,
         query=lambda world: {"row": 0, "find-0": "ana"}),
    Page("events:new_section", REPORTERS, pk_of("at_desk")),
    Page("events:grid", REPORTERS, pk_of("at_desk", number=1)),
    Page("events:grid_cells", REPORTERS, pk_of("at_desk", number=1)),
    Page("events:edit_event", REPORTERS, pk_of("at_desk")),
    Page("events:edit_section", REPORTERS, pk_of("at_desk", number=1)),
    Page("events:schedules", REPORTERS, pk_of("at_desk", number=1)),
    Page("events:edit_entry", REPORTERS, _entry()),
    Page("events:edit_cell", REPORTERS, _entry(round_number=1)),
    Page("events:override", REPORTERS, pk_of("at_desk")),
    Page("events:use_record", REPORTERS, pk_of("at_desk")),
    Page("events:use_member", REPORTERS, _entry()),
    Page("events:match_players", REPORTERS, pk_of("at_desk")),
    Page("events:undo_fixes", REPORTERS, pk_of("at_desk")),
    Page("events:remove_entry", REPORTERS, _entry()),
    Page("events:take_matches", REPORTERS, pk_of("at_desk")),
    Page("events:new_member", REPORTERS, _entry()),
    Page("events:submit", REPORTERS, pk_of("at_desk")),
    Page("events:withdraw", REPORTERS, pk_of("at_desk")),
    Page("events:file", REPORTERS, lambda world: {
        "pk": world.at_desk.pk, "file_pk": world.at_desk.files.first().pk}),
    Page("events:progress", REPORTERS, pk_of("at_desk")),
    Page("events:queue", OFFICE),
    Page("events:people_waiting", OFFICE),
    Page("events:invite_colleague", OFFICE),
    Page("events:confirm_colleague", OFFICE, pk_of("clerk"),
         takes="common.invite_staff", sends=with_reason()),
    Page("events:newcomers", OFFICE),
    Page("events:several_newcomers", OFFICE),
    Page("events:claim", OFFICE, pk_of("in_queue"), takes=REVIEW, sends=no_fields),
    Page("events:release", OFFICE, pk_of("in_queue")),
    Page("events:accept", OFFICE, pk_of("in_queue"), takes=REVIEW, sends=no_fields),
    Page("events:return", OFFICE, pk_of("in_queue"), takes=REVIEW,
         sends=lambda world: {"note": REASON}),
    Page("events:list_several", OFFICE),
    Page("events:accept_listed", OFFICE),
    Page("events:accepted_listed", OFFICE, pk_of("accepting")),
    Page("events:task", OFFICE, pk_of("task"), takes=REVIEW,
         sends=with_reason(decision="decline")),
    Page("events:retry", OFFICE, pk_of("failed_section"), takes="common.retry_job",
         sends=no_fields),
    Page("events:foreign_new", OFFICE, takes=FOREIGN, sends=_abroad),
    Page("events:foreign_upload_new", OFFICE),
    Page("events:foreign_template", OFFICE),
    Page("events:foreign_file", OFFICE, pk_of("file")),
    Page("events:foreign_change", OFFICE, lambda world: {"pk": world.rough.event_id},
         takes=FOREIGN, sends=with_reason(name="Rough Open")),
    Page("events:foreign_upload", OFFICE, lambda world: {"pk": world.rough.event_id}),
    Page("events:foreign_member", OFFICE, lambda world: {"pk": world.rough.event_id}),
    Page("events:foreign_enter", OFFICE,
         lambda world: {"pk": world.rough.event_id,
                        "member_id": world.members["Mia"].member_id},
         takes=FOREIGN, sends=_rounds),
    # Public rating pages
    Page("ratings:profile", PUBLIC, member("Ana")),
    Page("ratings:history_csv", PUBLIC, member("Ana")),
    Page("ratings:shared", PUBLIC, lambda world: {"token": world.shared.token}),
    Page("ratings:statement", PUBLIC, lambda world: {"token": world.shared.token}),
    Page("ratings:verify", PUBLIC),
    Page("ratings:statement_keys", PUBLIC),
    Page("ratings:verified", PUBLIC, lambda world: {"text": world.statement}),
    Page("ratings:shared_card", PUBLIC, lambda world: {"token": world.shared.token}),
    Page("ratings:results", PUBLIC, member("Ana")),
    Page("ratings:head_to_head_choose", PUBLIC, member("Ana")),
    Page("ratings:head_to_head", PUBLIC, lambda world: {
        "member_id": world.members["Ana"].member_id,
        "other_id": world.members["Mia"].member_id}),
    Page("ratings:floors", PUBLIC, member("Ana")),
    Page("ratings:ask_lower_floor", MEMBER, member("Ana")),
    Page("ratings:matches", PUBLIC),
    Page("ratings:estimate", PUBLIC),
    Page("ratings:estimate_target", PUBLIC),
    Page("ratings:estimate_section", PUBLIC),
    Page("ratings:crosstable", PUBLIC, section_args()),
    Page("ratings:all_sections", PUBLIC,
         lambda world: {"event_id": world.event.event_id}),
    Page("ratings:crosstable", PUBLIC, label="taken over",
         of=lambda world: {"event_id": world.old_event.event_id, "number": 1}),
    Page("ratings:profile", PUBLIC, lambda world: {"member_id": "19999950"},
         label="taken over"),
    Page("ratings:why", PUBLIC, lambda world: {
        "event_id": world.event.event_id, "number": 1, "system": "OTBR",
        "member_id": world.members["Ana"].member_id}),
    Page("ratings:preview", REPORTERS, pk_of("at_desk")),
    Page("ratings:classes", PUBLIC),
    Page("ratings:classes_in", PUBLIC, in_system()),
    Page("ratings:class_members", PUBLIC, in_system(slug="class-b")),
    Page("ratings:distribution", PUBLIC),
    Page("ratings:distribution_in", PUBLIC, in_system()),
    Page("ratings:distribution_file", PUBLIC, in_system()),
    Page("ratings:foreign_list", PUBLIC),
    Page("ratings:foreign", PUBLIC, lambda world: {"pk": world.abroad.event_id}),
    Page("ratings:foreign_why", PUBLIC, lambda world: {
        "pk": world.abroad.event_id, "member_id": world.members["Mia"].member_id}),
    Page("ratings:laboratory", PUBLIC),
    Page("ratings:how_ratings_work", PUBLIC),
    Page("ratings:chronology", PUBLIC),
    Page("ratings:scales", PUBLIC),
    Page("ratings:scales", PUBLIC, label="filled", query=lambda world: {
        "figure": "2000", "scale": "elo", "average": "2457", "women": "on"}),
    Page("ratings:laboratory_system", PUBLIC, lambda world: {"key": "glicko2"},
         query=lambda world: {
             "rating": "1500", "deviation": "200", "volatility": "0.06",
             "p-tau": "0.5", "o": "1400", "d": "30", "r": "W"}),
    Page("ratings:laboratory_section", PUBLIC, section_args(),
         query=lambda world: {"system": "glicko"}),
    Page("ratings:laboratory_career", PUBLIC, member("Ana"),
         query=lambda world: {"system": "glicko", "of": "OTBR"}),
    Page("ratings:lists", PUBLIC),
    Page("ratings:compare_lists", PUBLIC),
    Page("ratings:open_lists", PUBLIC),
    Page("ratings:current_list_file", PUBLIC, lambda world: {"name": "SHA256SUMS"}),
    Page("ratings:newest_list_file", PUBLIC, lambda world: {"name": "open.json"}),
    Page("ratings:list", PUBLIC, lambda world: {"month": world.list.month}),
    Page("ratings:list_file", PUBLIC, lambda world: {
        "month": world.list.month, "name": world.list.files.first().name}),
    Page("ratings:player_lists", PUBLIC, member("Ana")),
    Page("ratings:titles", PUBLIC, member("Ana")),
    Page("ratings:certificate", PUBLIC, lambda world: {
        "member_id": world.members["Ana"].member_id, "key": "1200"}),
    Page("ratings:rankings", PUBLIC),
    Page("ratings:ranking", PUBLIC, in_system()),
    Page("ratings:top", PUBLIC, in_system()),
    Page("ratings:improvers", PUBLIC, in_system()),
    Page("ratings:most_active", PUBLIC, in_system()),
    Page("ratings:scholastic", PUBLIC, in_system()),
    Page("ratings:rerates", PUBLIC),
    Page("ratings:rerate", PUBLIC, pk_of("published_run")),
    Page("ratings:rerate_player", PUBLIC, lambda world: {
        "pk": world.published_run.pk, "member_id": world.members["Ana"].member_id}),
    # Experiments of the laboratory
    Page("ratings:experiments", PUBLIC),
    Page("ratings:experiment", PUBLIC, pk_of("experiment")),
    Page("ratings:experiment_sheet", PUBLIC, lambda world: {
        "pk": world.experiment.pk, "name": "measures"}),
    Page("ratings:experiment_report", PUBLIC, pk_of("experiment")),
    Page("ratings:experiment_report_file", PUBLIC, pk_of("experiment", kind="md")),
    Page("ratings:experiment_data", PUBLIC, pk_of("experiment")),
    Page("ratings:experiment_data_file", PUBLIC, lambda world: {
        "pk": world.experiment.pk, "name": "games", "kind": CSV}),
    Page("ratings:experiment_data_archive", PUBLIC, pk_of("experiment", kind=CSV)),
    Page("ratings:standing", PUBLIC),
    Page("ratings:standing_of_month", PUBLIC, lambda world: {
        "month": world.compared_month}),
    Page("ratings:standing_csv", PUBLIC),
    Page("ratings:laboratory_feed", PUBLIC),
    Page("ratings:fide_norms", PUBLIC, section_args()),
    Page("events:fide_approval", OFFICE,
         lambda world: {"event_id": world.event.event_id},
         takes="events.review_submission", sends=with_reason(day="2024-04-01")),
    Page("ratings:experiment_new", OFFICE, takes=RUN_EXPERIMENT,
         sends=with_reason(title="What if?")),
    *(Page("ratings:experiment_new", OFFICE, takes=RUN_EXPERIMENT, label=kind,
           query=lambda world, kind=kind: {"kind": kind, "of": "glicko"},
           sends=lambda world, said=said: said)
      for kind, said in (
          ("search", {"reason": REASON, "title": "Which c?", "glicko-c": "10, 20"}),
          ("rule_change", {"reason": REASON, "title": "No bonus",
                           "after-bonus_multiplier": "1000"}))),
    Page("ratings:experiment_example", OFFICE, lambda world: {"name": "bonus_2023"},
         takes=RUN_EXPERIMENT, sends=no_fields),
    Page("ratings:editions", OFFICE, takes=RUN_EXPERIMENT, sends=lambda world: {
        "before": "2020-09-02", "after": "2025-07-26", "system": "OTBR"}),
    Page("ratings:experiment_progress", OFFICE, pk_of("open_experiment")),
    Page("ratings:experiment_findings", OFFICE, pk_of("quiet_experiment")),
    Page("ratings:experiment_file", OFFICE, pk_of("quiet_experiment")),
    *(Page("ratings:experiment_act", OFFICE, pk_of(which, act=act), takes=takes,
           sends=with_reason(**more), label=act)
      for which, act, takes, more in (
          ("open_experiment", "cancel", RUN_EXPERIMENT, {}),
          ("stopped_experiment", "resume", RUN_EXPERIMENT, {}),
          ("quiet_experiment", "repeat", RUN_EXPERIMENT, {}),
          ("quiet_experiment", "publish", PUBLISH_EXPERIMENT,
           {"public_title": "By a file"}),
          ("experiment", "withdraw", PUBLISH_EXPERIMENT, {}))),
    # Ratings, for the office
    Page("ratings:members", OFFICE),
    Page("ratings:member_file", OFFICE),
    Page("ratings:member", OFFICE, member("Ana")),
    Page("ratings:office_floors", OFFICE, member("Ana")),
    Page("ratings:grant_floor", OFFICE, member("Ana"), takes=GRANT,
         sends=lambda world: {"system": "OTBR", "level": 1900, "starts": today(),
                              "reason": REASON}),
    Page("ratings:money_floor", OFFICE, member("Ana"), takes=GRANT, query=_money,
         sends=with_reason()),
    Page("ratings:impose_ceiling", OFFICE, member("Ben"), takes=CEILING,
         sends=lambda world: {"system": "OTBR", "level": 2300, "starts": today(),
                              "reason": REASON}),
    Page("ratings:adjust", OFFICE, member("Dmitri"), takes=ADJUST,
         sends=lambda world: {"system": "OTBR", "day": today(), "rating": "1600.5",
                              "kind": Adjustment.Kind.values[0], "games": 30,
                              "reason": REASON}),
    Page("ratings:end_floor", OFFICE, pk_of("floor"), takes=GRANT,
         sends=lambda world: {"ends": today(), "reason": REASON}),
    Page("ratings:end_ceiling", OFFICE, pk_of("ceiling"), takes=CEILING,
         sends=lambda world: {"ends": today(), "reason": REASON}),
    Page("ratings:floor_requests", OFFICE),
    Page("ratings:floor_request", OFFICE, pk_of("floor_request"), takes=LOWER,
         sends=with_reason(decision="grant")),
    Page("ratings:floor_request", OFFICE, pk_of("floor_request"), takes=LOWER,
         sends=with_reason(decision="refuse"), label="refuse"),
    Page("ratings:floor_request_effect", OFFICE, pk_of("floor_request")),
    Page("ratings:life_masters", OFFICE),
    Page("ratings:life_master", OFFICE, lambda world: {
        "member_id": world.life_master.member_id}, takes=GRANT,
         sends=with_reason(decision="confirm")),
    Page("ratings:life_master", OFFICE, lambda world: {
        "member_id": world.life_master.member_id}, takes=GRANT,
         sends=with_reason(decision="set_aside"), label="set_aside"),
    Page("ratings:adjustments", OFFICE),
    Page("ratings:withdraw_adjustment", OFFICE, pk_of("adjustment"), takes=ADJUST,
         sends=with_reason()),
    Page("ratings:foreign_work", OFFICE),
    Page("ratings:foreign_prepare", OFFICE, pk_of("fide_list"), takes=FOREIGN,
         sends=no_fields),
    Page("ratings:foreign_work_line", OFFICE, pk_of("work"), takes=FOREIGN,
         sends=with_reason()),
    Page("ratings:foreign_events", OFFICE),
    Page("ratings:foreign_desk", OFFICE, lambda world: {"pk": world.rough.event_id}),
    Page("ratings:foreign_check", OFFICE, lambda world: {"pk": world.rough.event_id},
         takes=FOREIGN, sends=no_fields),
    *(Page("ratings:foreign_result", OFFICE, pk_of(which), takes=FOREIGN,
           sends=lambda world, said={"decision": decision, **with_reason}: said,
           label=f"{decision}-{which}")
      for which, decision, with_reason in (
          ("rough", "ready", {}), ("ready", "look_up", {}),
          ("ready", "leave_out", {"reason": REASON}),
          ("abroad", "leave_out", {"reason": REASON}))),
    Page("ratings:foreign_preview", OFFICE, takes=FOREIGN,
         sends=lambda world: {"result": world.ready.pk}),
    Page("ratings:foreign_job", OFFICE, pk_of("failed_abroad"),
         takes="common.retry_job", sends=no_fields),
    Page("ratings:office_lists", OFFICE),
    Page("ratings:office_list", OFFICE, lambda world: {"month": world.next_month},
         takes="ratings.publish_list", sends=_publish_list),
    Page("ratings:correct_list", OFFICE, lambda world: {"month": world.list.month}),
    Page("ratings:correction_effect", OFFICE, pk_of("correction")),
    Page("ratings:office_rerates", OFFICE),
    Page("ratings:office_rerate", OFFICE, pk_of("run")),
    Page("ratings:rerate_progress", OFFICE, pk_of("run")),
    *(Page("ratings:rerate_act", OFFICE, pk_of(which, act=act), takes=takes,
           sends=_publish if act == "publish" else with_reason(),
           label=f"{act}-{which}")
      for which, act, takes in (("run", "publish", PUBLISH_RUN),
                                ("run", "discard", PUBLISH_RUN),
                                ("last_run", "undo", "ratings.undo_rerate"))),
    Page("ratings:rerate_act", OFFICE, pk_of("failed_run", act="retry"), label="retry"),
    Page("ratings:search", PUBLIC),
    Page("ratings:suggest", PUBLIC),
    Page("ratings:search_file", PUBLIC),
    Page("ratings:compare", PUBLIC),
    Page("help", PUBLIC),
    Page("help_page", PUBLIC, lambda world: {"slug": "why-a-rating-changed"}),
    Page("events:settle_result", REPORTERS, _entry(round_number=1)),
]  # fmt: skip
