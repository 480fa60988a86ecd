"""An office in the middle of its work, and every page of it with who may see it.

Something of every kind waits, is done, has failed or was refused, so that each page
of the office has something to show and each act something to act on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.contrib.auth.models import Permission
from django.utils import timezone

from events.books.jobs import RATE_SECTION
from events.calendar.services import Plan, PlannedSection, register_event
from events.corrections.services.requests import ask_for_correction
from events.foreign.services.files import receive_file
from events.foreign.services.results import Facts, enter_event, enter_result
from events.foreign.services.worklist import prepare_worklist
from events.importers.foreign.records import GameAbroad
from events.models import CorrectionRequest, Event, OfficeTask, PendingMember
from events.reports.services.messages import write_message
from events.reports.services.submissions import set_entry, submit_report
from players.claims.services.claiming import ask_office, claim_member
from players.claims.services.invitations import invite, link_of
from players.fide.services.lists import receive_list
from players.fide.services.opt_ins import ask_to_opt_out
from players.models import Claim, FideList, PlayerMerge
from ratings.experiments.plans import Asked, Chosen, Variant
from ratings.experiments.services.asking import (
    ask_experiment,
    cancel_experiment,
    publish_experiment,
)
from ratings.floor_requests.services import request_lower_floor
from ratings.floors.services.adjustments import propose_adjustment
from ratings.floors.services.ceilings import impose_ceiling
from ratings.floors.services.floors import propose_office_floor
from ratings.foreign.services import RATE_FOREIGN, make_ready
from ratings.lists.months import months_before
from ratings.lists.services.lists import prepare_list
from ratings.models import Adjustment, ListDraft, OpenFile, Run
from ratings.my_data.services import ask_to_be_forgotten
from ratings.rerates.services.starting import start_rerate
from ratings.standing.services import ask_standing
from ratings_site.common.accounts.permissions import acts
from ratings_site.common.acts.services import approve
from ratings_site.common.api_keys.services import make_key
from ratings_site.common.jobs.services import work_off
from ratings_site.common.models import Job, Office, User, Webhook
from ratings_site.common.notices.mail import unsubscribe_token
from ratings_site.common.web.files import CSV
from ratings_site.common.webhooks.services import DELIVER, add_webhook, send_ping
from ratings_site.demo import month as script
from tests.factories import (
    event_report,
    make_player,
    make_user,
    rated_event,
    section_report,
    swiss_rows,
    upload,
)
from tests.players.intake.files import entered, received
from tests.ratings.intake import archives

REASON = "Somebody looked it up."
SIGNED_LETTER = "The club wrote on paper"
# Words that belong to the office alone and must not stand on a public page.
STAFF_NAME, EVIDENCE = "Zenobia", "Kept-in-the-drawer"
EMAIL = "quiet.address@example.net"


class World:
    """What there is in the office, by the names the pages below use."""

    def __init__(self) -> None:
        month = script.month_of_an_office(lambda sentence: None)
        self.month, self.members = month, month.members
        self.event = month.events["Winter Open"]
        self.section = month.section("Winter Open")
        self.corrected = month.events["Spring Open"]
        self.match = month.section("Club match")
        self._name_the_accounts()
        self.office = Office.objects.create(
            pk=Office.THE_ONE, name="A federation", issues_ids=True, logo=b"PNG"
        )
        self._take_files_in()
        self._decide_on_people()
        self._decide_on_ratings()
        self._send_reports()
        self._play_for_a_title()
        self._go_abroad()
        self._correct()
        self._open_the_data()
        self._experiment()
        self._begin_a_rerate()
        self._ask_more()
        self._fail_jobs()

    def _name_the_accounts(self) -> None:
        self.users = {user.username: user for user in User.objects.all()}
        for user in self.users.values():
            user.first_name, user.last_name = STAFF_NAME, f"Account-{user.username}"
            user.email = EMAIL if user.is_staff else f"{user.username}.{EMAIL}"
            user.save()
        self.staff, self.admin = self.users["staff"], self.users["admin"]
        self.api_key, _ = make_key(owner=self.admin, name="A page", may_submit=False)
        self.manager, self.td = self.users["manager"], self.users["td"]
        self.td.authenticator_set.create(type="totp", data={})
        self.clerk = make_user("new clerk", is_staff=True, invited_by=self.manager)
        self.users["new clerk"] = self.clerk
        self.users["reader"] = self._reader()

    def _reader(self) -> User:
        """Staff who may see everything, and act on nothing."""
        reader = make_user("reader", is_staff=True)
        names = set(acts()) - {"events.review_submission", "events.rate_foreign"}
        reader.user_permissions.set(
            permission
            for permission in Permission.objects.select_related("content_type")
            if f"{permission.content_type.app_label}.{permission.codename}" not in names
            and not permission.codename.startswith(("add_", "change_", "delete_"))
        )
        return reader

    def _take_files_in(self) -> None:
        self.entered_intake = entered("19999971,Una,Intake")
        self.intake = received(
            "19999972,Dos,Intake", "bad,row", headings="uscf,nombre de pila,apellido"
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

    def _decide_on_people(self) -> None:
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
        self.wish = ask_to_be_forgotten(player_id=asker.player.pk, actor=asker)

    def _claim(self, member_id: str) -> Claim:
        child = make_player(member_id, "Claimed", "Child", birth_date=None)
        return claim_member(
            player_id=child.pk, as_guardian=True, actor=self.users["member"]
        )

    def _decide_on_ratings(self) -> None:
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
        self._write_and_plan()

    def _write_and_plan(self) -> None:
        """The office has asked the TD; one event is to come, one has no report."""
        write_message(submission=self.at_desk, actor=self.staff, text=EVIDENCE)
        write_message(submission=self.in_queue, actor=self.td, text=EVIDENCE)
        for name, days in (("To come", 40), ("Forgotten", -40)):
            day = timezone.localdate() + timedelta(days)
            club, chief = self.at_desk.affiliate, self.td.player
            plan = Plan(name, day, day, club, chief, sections=[PlannedSection("Open")])
            made = register_event(actor=self.staff, plan=plan)
            self.planned = made if days > 0 else self.planned

    def _play_for_a_title(self) -> None:
        """Somebody far above 2200 draws 300 games, in twelve sections of one event."""
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

    def _go_abroad(self) -> None:
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
            game = GameAbroad(1, "Rival", "", "FRA", 1900, "W", 2)
            result = enter_result(
                actor=self.staff, event_id=event.pk, player=mia, games=[game]
            )
            self.results.append(result)
        self.ready, self.rough = self.results
        make_ready(actor=self.staff, result_id=self.ready.pk)
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

    def _open_the_data(self) -> None:
        """A bulk file is there, and a webhook of the member's has a message waiting."""
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
        self.experiment = self._asked(title="For everybody", newcomers="own")
        self.quiet_experiment = self._asked(
            title="For the committee", file=("games.csv", games)
        )
        work_off()
        publish_experiment(
            experiment_id=self.experiment.pk,
            actor=self.manager,
            public_title="Which system?",
            reason="Everybody may read it.",
        )
        self.compared_month = self.event.ends.replace(day=1)
        standing = ask_standing(self.compared_month)
        standing.plan |= {"least_games": 0}  # nobody has played much here
        standing.save(update_fields=["plan"])
        work_off()

    def _asked(self, *, title: str, file: tuple[str, bytes] | None = None, **how: Any):
        chosen = None if file else Chosen()
        return ask_experiment(
            actor=self.manager,
            title=title,
            reason=REASON,
            kind="comparison",
            asked=Asked(
                chosen=chosen,
                warm_up_days=0,
                least_games=0,
                **{"newcomers": "ours", **how},
            ),
            variants=[Variant("glicko"), Variant("elo.logistic")],
            file=file,
        )

    def _ask_more(self) -> None:
        """One experiment waits, one was canceled."""
        self.open_experiment = self._asked(title="One to wait for", months=2)
        self.stopped_experiment = self._asked(title="One that stopped", months=3)
        cancel_experiment(
            experiment_id=self.stopped_experiment.pk, actor=self.manager, reason=REASON
        )

    def _begin_a_rerate(self) -> None:
        self.published_run = self.month.runs[0]
        self.last_run = self.month.runs[1]
        self.run = start_rerate(actor=self.staff, reason=REASON, from_day=script.WINTER)
        work_off()
        self.run.refresh_from_db()
        self.failed_run = Run.objects.create(
            kind=Run.Kind.RERATE, status=Run.Status.FAILED, message="It stopped."
        )

    def _fail_jobs(self) -> None:
        """Nobody works any more: a list stays half read, and jobs stay failed.

        What waits is not due while the tests last: after some minutes by the clock, the
        office would say that it is ill.
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
        waiting = Job.objects.filter(state=Job.State.QUEUED)
        waiting.update(run_after=timezone.now() + timedelta(days=1))


# --- Every page ---

ANYBODY, SIGNED_IN, MEMBER, REPORTERS, OFFICE = (
    "anybody",
    "a person who is signed in",
    "the member",
    "TDs and staff",
    "the office",
)
Of = Callable[[World], dict[str, Any]]


def nothing(_: World) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Page:
    """An address by its *name*, and who may read it.

    *of* gives what stands in it. *takes* is the permission of the act that is sent
    with *sends*, besides what the form holds already; *query* goes with the address.
    """

    name: str
    who: str
    of: Of = nothing
    takes: str = ""
    sends: Of | None = None
    query: Of = nothing
    label: str = ""

    @property
    def id(self) -> str:
        return f"{self.name}-{self.label}" if self.label else self.name


def member(name: str) -> Of:
    return lambda world: {"member_id": world.members[name].member_id}


def pk_of(name: str, **more: Any) -> Of:
    return lambda world: {"pk": getattr(world, name).pk, **more}


def of_section(**more: Any) -> Of:
    return lambda world: {"event_id": world.event.event_id, "number": 1, **more}


def in_system(**more: Any) -> Of:
    return lambda world: {"system": "OTBR", **more}


def because(**more: Any) -> Of:
    return lambda world: {"reason": REASON, **more}


def _publish(world: Any) -> dict[str, Any]:
    return {"reason": REASON, "shown_pass": world.run.pass_number}


def _publish_list(world: Any) -> dict[str, Any]:
    """Say what publishes the list: with a rerate open, nobody is offered it."""
    Run.objects.filter(status__in=Run.OPEN_STATUSES).update(status=Run.Status.DISCARDED)
    draft = ListDraft.objects.get(month=world.next_month)
    return {"reason": REASON, "digest": draft.digest}


def today() -> str:
    return timezone.localdate().isoformat()


def _entry(**more: Any) -> Of:
    return pk_of("at_desk", number=1, pairing_number=1, **more)


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

PAGES = [
    Page("home", ANYBODY),
    Page("health", ANYBODY),
    Page("logo", ANYBODY, lambda world: {"digest": world.office.logo_digest}),
    Page("set_language", ANYBODY),
    Page("api_keys", SIGNED_IN),
    Page("revoke_api_key", SIGNED_IN, pk_of("api_key")),
    # Players
    Page("players:search", ANYBODY),
    Page("players:fide_opt_in", SIGNED_IN),
    Page("players:guardian", SIGNED_IN),
    Page("players:claims", SIGNED_IN),
    Page("players:claim", MEMBER, pk_of("claim")),
    Page("players:invited", SIGNED_IN,
         lambda world: {"token": link_of(world.invitation).split("/")[-2]}),
    Page("account", SIGNED_IN),
    Page("players_office:invite", OFFICE),
    Page("players_office:invite_list", OFFICE),
    Page("events:invite_directors", OFFICE),
    Page("players_office:accounts", OFFICE, query=lambda world: {"q": "td"}),
    Page("players_office:factors", OFFICE, lambda world: {"pk": world.td.pk},
         takes="common.reset_factors", sends=because()),
    Page("players_office:claims", OFFICE),
    Page("players_office:several_claims", OFFICE),
    Page("players_office:claim", OFFICE, pk_of("asked_claim"),
         takes="players.decide_claim", sends=because(decision="grant")),
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
         takes="players.take_in", sends=because()),
    Page("players_office:intake_enter", OFFICE, pk_of("history"), label="history",
         takes="players.take_in", sends=because()),
    Page("players_office:intake_again", OFFICE, pk_of("intake"),
         takes="players.take_in", sends=nothing),
    Page("players_office:intake_aside", OFFICE, pk_of("intake"),
         takes="players.take_in", sends=because()),
    Page("players_office:intake_undo", OFFICE, pk_of("entered_intake"),
         takes="players.take_in", sends=because()),
    Page("players_office:fide_lists", OFFICE),
    Page("players_office:fide_list", OFFICE, pk_of("fide_list")),
    Page("players_office:fide_progress", OFFICE, pk_of("loading")),
    Page("players_office:fide_give_up", OFFICE, pk_of("loading"),
         takes="players.import_fide_list", sends=because()),
    Page("players_office:cfc", OFFICE, takes="players.add_externalrating",
         sends=lambda world: {"member": world.spare.member_id, "rating": 1500,
                              "list_date": "2024-05-01", "reason": REASON}),
    Page("players_office:take_rating_back", OFFICE, pk_of("entered_rating"),
         takes="players.add_externalrating", sends=because()),
    Page("players_office:links", OFFICE),
    Page("players_office:several_links", OFFICE),
    Page("players_office:link", OFFICE,
         lambda world: {"member_id": world.spare.member_id, "fide_id": 4100011},
         takes=LINK, sends=because(decision="accept")),
    Page("players_office:link", OFFICE,
         lambda world: {"member_id": world.spare.member_id, "fide_id": 4100011},
         takes=LINK, sends=because(decision="decline"), label="decline"),
    Page("players_office:unlink", OFFICE,
         lambda world: {"member_id": world.linked.member_id},
         takes=LINK, sends=because()),
    Page("players_office:duplicates", OFFICE),
    Page("players_office:several_pairs", OFFICE),
    Page("players_office:pair", OFFICE,
         lambda world: {"kept": world.spare.member_id, "merged": world.twin.member_id},
         takes=MERGE, sends=because(decision="merge")),
    Page("players_office:pair", OFFICE,
         lambda world: {"kept": world.spare.member_id, "merged": world.twin.member_id},
         takes=MERGE, sends=because(decision="apart"), label="apart"),
    Page("players_office:undo_merge", OFFICE, pk_of("merge"), takes=MERGE,
         sends=because()),
    Page("players_office:opt_ins", OFFICE, takes="players.enter_opt_in",
         sends=lambda world: {"member": world.spare.member_id, "day": "2024-05-01",
                              "reason": REASON}),
    Page("players_office:opt_out", OFFICE, pk_of("opt_in"),
         takes="players.approve_opt_out", sends=because()),
    Page("players_office:status", OFFICE,
         lambda world: {"member_id": world.spare.member_id},
         takes="players.change_status", sends=because(status="suspended")),
    Page("ratings:forget_member", OFFICE,
         lambda world: {"member_id": world.users["member"].player.member_id},
         takes="players.forget_member", sends=because()),
    Page("ratings:my_data", SIGNED_IN),
    Page("ratings:ask_to_forget", MEMBER,
         lambda world: {"member_id": world.users["member"].player.member_id}),
    Page("ratings:forget_requests", OFFICE),
    Page("ratings:refuse_to_forget", OFFICE, pk_of("wish"),
         takes="players.forget_member", sends=because()),
    # Open data
    Page("ratings:open_data", ANYBODY),
    Page("ratings:open_file", ANYBODY, lambda world: {"name": world.bulk.name}),
    Page("ratings:old_open_file", ANYBODY, lambda world: {
        "pk": world.bulk.pk, "name": world.bulk.name}),
    Page("ratings:events_feed", ANYBODY),
    Page("ratings:state_feed", ANYBODY, lambda world: {"state": "OH"}),
    Page("ratings:corrections_feed", ANYBODY),
    Page("ratings:member_feed", ANYBODY, member("Ana")),
    Page("sitemap", ANYBODY),
    Page("sitemap_part", ANYBODY, lambda world: {"section": "events"}),
    Page("robots", ANYBODY),
    Page("webhooks:webhooks", SIGNED_IN),
    Page("webhooks:webhook", MEMBER, pk_of("webhook")),
    Page("webhooks:act", MEMBER, pk_of("webhook", act="ping")),
    Page("webhooks:delete", MEMBER, pk_of("webhook")),
    Page("webhooks:delivery", MEMBER, lambda world: {
        "pk": world.webhook.pk, "delivery_pk": world.delivery.pk}),
    # What an account is told
    Page("notices:list", SIGNED_IN),
    Page("notices:read", SIGNED_IN),
    Page("notices:settings", SIGNED_IN),
    Page("notices:unsubscribe", ANYBODY, lambda world: {
        "token": unsubscribe_token(world.td.pk, ["events.report"])}),
    # What belongs to no app
    Page("office:approvals", OFFICE),
    Page("office:approval", OFFICE, pk_of("act"), takes=ADJUST,
         sends=because(decision="approve")),
    Page("office:approval", OFFICE, pk_of("act"), takes=ADJUST,
         sends=because(decision="refuse"), label="refuse"),
    Page("office:audit", OFFICE),
    Page("office:audit_export", OFFICE),
    Page("office:jobs", OFFICE),
    Page("office:retry_job", OFFICE, pk_of("failed_section"), takes="common.retry_job",
         sends=nothing),
    Page("office:permissions", OFFICE),
    # Events
    Page("events:list", ANYBODY),
    Page("events:event", ANYBODY, lambda world: {"event_id": world.event.event_id}),
    Page("events:event", ANYBODY, label="taken over",
         of=lambda world: {"event_id": world.old_event.event_id}),
    Page("events:export", ANYBODY, lambda world: {"event_id": world.event.event_id}),
    Page("events:export_trf16", ANYBODY,
         lambda world: {"event_id": world.event.event_id}),
    Page("events:export_trf26", ANYBODY,
         lambda world: {"event_id": world.event.event_id}),
    Page("events:export_json", ANYBODY,
         lambda world: {"event_id": world.event.event_id}),
    Page("events:export_csv", ANYBODY,
         lambda world: {"event_id": world.event.event_id}),
    Page("events:calendar", ANYBODY),
    Page("events:month", ANYBODY, lambda world: {"month": "2024-05"}),
    Page("events:calendar_feed", ANYBODY),
    Page("events:registered", ANYBODY, pk_of("planned")),
    Page("events:registered_ics", ANYBODY, pk_of("planned")),
    Page("events:affiliate", ANYBODY,
         lambda world: {"affiliate_id": world.event.affiliate.affiliate_id}),
    Page("events:director", ANYBODY,
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
    Page("events:ask_correction", SIGNED_IN, of_section()),
    *(Page("events:ask_correction", SIGNED_IN, of_section(), label=kind,
           query=lambda world, kind=kind: {"kind": kind, "row": 1, "round": 1})
      for kind in CorrectionRequest.Kind.values),
    Page("events:section_history", ANYBODY, of_section()),
    Page("events:section_version", ANYBODY, lambda world: {
        "event_id": world.corrected.event_id, "number": 1, "version": 1}),
    Page("events:my_corrections", SIGNED_IN),
    Page("events:correction", MEMBER, pk_of("correction")),
    Page("events:answer_correction", MEMBER, pk_of("correction")),
    Page("events:withdraw_correction", MEMBER, pk_of("correction")),
    Page("events:corrections", OFFICE),
    Page("events:decide_correction", OFFICE, pk_of("correction"), takes=DECIDE,
         sends=because(public_note=REASON, version=1)),
    Page("events:refuse_correction", OFFICE, pk_of("correction"), takes=DECIDE,
         sends=because()),
    Page("events:restate_correction", OFFICE, pk_of("correction"), takes=DECIDE,
         query=lambda world: {"kind": "name"},
         sends=lambda world: {"name": "Winter Cup", "text": REASON, "version": 1}),
    Page("events:desk", REPORTERS),
    Page("events:upload", REPORTERS),
    Page("events:template_csv", REPORTERS, lambda world: {"name": "games"}),
    Page("events:template_xlsx", REPORTERS, lambda world: {"name": "games"}),
    Page("events:columns", REPORTERS, pk_of("at_desk")),
    Page("events:report", REPORTERS, pk_of("at_desk")),
    Page("events:type_in", REPORTERS),
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
         takes="common.invite_staff", sends=because()),
    Page("events:newcomers", OFFICE),
    Page("events:several_newcomers", OFFICE),
    Page("events:claim", OFFICE, pk_of("in_queue"), takes=REVIEW, sends=nothing),
    Page("events:release", OFFICE, pk_of("in_queue")),
    Page("events:accept", OFFICE, pk_of("in_queue"), takes=REVIEW, sends=nothing),
    Page("events:return", OFFICE, pk_of("in_queue"), takes=REVIEW,
         sends=lambda world: {"note": REASON}),
    Page("events:list_several", OFFICE),
    Page("events:accept_listed", OFFICE),
    Page("events:task", OFFICE, pk_of("task"), takes=REVIEW,
         sends=because(decision="decline")),
    Page("events:retry", OFFICE, pk_of("failed_section"), takes="common.retry_job",
         sends=nothing),
    Page("events:foreign_new", OFFICE, takes=FOREIGN, sends=_abroad),
    Page("events:foreign_upload_new", OFFICE),
    Page("events:foreign_template", OFFICE),
    Page("events:foreign_file", OFFICE, pk_of("file")),
    Page("events:foreign_change", OFFICE, lambda world: {"pk": world.rough.event_id},
         takes=FOREIGN, sends=because(name="Rough Open")),
    Page("events:foreign_upload", OFFICE, lambda world: {"pk": world.rough.event_id}),
    Page("events:foreign_member", OFFICE, lambda world: {"pk": world.rough.event_id}),
    Page("events:foreign_enter", OFFICE,
         lambda world: {"pk": world.rough.event_id,
                        "member_id": world.members["Mia"].member_id},
         takes=FOREIGN, sends=_rounds),
    # Ratings, for everybody
    Page("ratings:profile", ANYBODY, member("Ana")),
    Page("ratings:results", ANYBODY, member("Ana")),
    Page("ratings:head_to_head_choose", ANYBODY, member("Ana")),
    Page("ratings:head_to_head", ANYBODY, lambda world: {
        "member_id": world.members["Ana"].member_id,
        "other_id": world.members["Mia"].member_id}),
    Page("ratings:floors", ANYBODY, member("Ana")),
    Page("ratings:ask_lower_floor", MEMBER, member("Ana")),
    Page("ratings:matches", ANYBODY),
    Page("ratings:estimate", ANYBODY),
    Page("ratings:estimate_target", ANYBODY),
    Page("ratings:estimate_section", ANYBODY),
    Page("ratings:crosstable", ANYBODY, of_section()),
    Page("ratings:crosstable", ANYBODY, label="taken over",
         of=lambda world: {"event_id": world.old_event.event_id, "number": 1}),
    Page("ratings:profile", ANYBODY, lambda world: {"member_id": "19999950"},
         label="taken over"),
    Page("ratings:why", ANYBODY, lambda world: {
        "event_id": world.event.event_id, "number": 1, "system": "OTBR",
        "member_id": world.members["Ana"].member_id}),
    Page("ratings:preview", REPORTERS, pk_of("at_desk")),
    Page("ratings:classes", ANYBODY),
    Page("ratings:classes_in", ANYBODY, in_system()),
    Page("ratings:class_members", ANYBODY, in_system(slug="class-b")),
    Page("ratings:distribution", ANYBODY),
    Page("ratings:distribution_in", ANYBODY, in_system()),
    Page("ratings:distribution_file", ANYBODY, in_system()),
    Page("ratings:foreign_list", ANYBODY),
    Page("ratings:foreign", ANYBODY, lambda world: {"pk": world.abroad.event_id}),
    Page("ratings:foreign_why", ANYBODY, lambda world: {
        "pk": world.abroad.event_id, "member_id": world.members["Mia"].member_id}),
    Page("ratings:laboratory", ANYBODY),
    Page("ratings:how_ratings_work", ANYBODY),
    Page("ratings:chronology", ANYBODY),
    Page("ratings:scales", ANYBODY),
    Page("ratings:scales", ANYBODY, label="filled", query=lambda world: {
        "figure": "2000", "scale": "elo", "average": "2457", "women": "on"}),
    Page("ratings:laboratory_system", ANYBODY, lambda world: {"key": "glicko2"},
         query=lambda world: {
             "rating": "1500", "deviation": "200", "volatility": "0.06",
             "p-tau": "0.5", "o": "1400", "d": "30", "r": "W"}),
    Page("ratings:laboratory_section", ANYBODY, of_section(),
         query=lambda world: {"system": "glicko"}),
    Page("ratings:laboratory_career", ANYBODY, member("Ana"),
         query=lambda world: {"system": "glicko", "of": "OTBR"}),
    Page("ratings:lists", ANYBODY),
    Page("ratings:compare_lists", ANYBODY),
    Page("ratings:list", ANYBODY, lambda world: {"month": world.list.month}),
    Page("ratings:list_file", ANYBODY, lambda world: {
        "month": world.list.month, "name": world.list.files.first().name}),
    Page("ratings:player_lists", ANYBODY, member("Ana")),
    Page("ratings:titles", ANYBODY, member("Ana")),
    Page("ratings:rankings", ANYBODY),
    Page("ratings:ranking", ANYBODY, in_system()),
    Page("ratings:top", ANYBODY, in_system()),
    Page("ratings:improvers", ANYBODY, in_system()),
    Page("ratings:rerates", ANYBODY),
    Page("ratings:rerate", ANYBODY, pk_of("published_run")),
    Page("ratings:rerate_player", ANYBODY, lambda world: {
        "pk": world.published_run.pk, "member_id": world.members["Ana"].member_id}),
    # Experiments of the laboratory
    Page("ratings:experiments", ANYBODY),
    Page("ratings:experiment", ANYBODY, pk_of("experiment")),
    Page("ratings:experiment_sheet", ANYBODY, lambda world: {
        "pk": world.experiment.pk, "name": "measures"}),
    Page("ratings:experiment_report", ANYBODY, pk_of("experiment")),
    Page("ratings:experiment_data", ANYBODY, pk_of("experiment")),
    Page("ratings:experiment_data_file", ANYBODY, lambda world: {
        "pk": world.experiment.pk, "name": "games", "kind": CSV}),
    Page("ratings:experiment_data_archive", ANYBODY, pk_of("experiment", kind=CSV)),
    Page("ratings:standing", ANYBODY),
    Page("ratings:standing_of_month", ANYBODY, lambda world: {
        "month": world.compared_month}),
    Page("ratings:standing_csv", ANYBODY),
    Page("ratings:laboratory_feed", ANYBODY),
    Page("ratings:fide_norms", ANYBODY, of_section()),
    Page("ratings:experiment_new", OFFICE, takes=RUN_EXPERIMENT,
         sends=because(title="What if?")),
    *(Page("ratings:experiment_new", OFFICE, takes=RUN_EXPERIMENT, label=kind,
           query=lambda world, kind=kind: {"kind": kind, "of": "glicko"},
           sends=lambda world, said=said: said)
      for kind, said in (
          ("search", {"reason": REASON, "title": "Which c?", "glicko-c": "10, 20"}),
          ("rule_change", {"reason": REASON, "title": "No bonus",
                           "after-bonus_multiplier": "1000"}))),
    Page("ratings:experiment_example", OFFICE, lambda world: {"name": "bonus_2023"},
         takes=RUN_EXPERIMENT, sends=nothing),
    Page("ratings:experiment_progress", OFFICE, pk_of("open_experiment")),
    Page("ratings:experiment_findings", OFFICE, pk_of("quiet_experiment")),
    Page("ratings:experiment_file", OFFICE, pk_of("quiet_experiment")),
    *(Page("ratings:experiment_act", OFFICE, pk_of(which, act=act), takes=takes,
           sends=because(**more), label=act)
      for which, act, takes, more in (
          ("open_experiment", "cancel", RUN_EXPERIMENT, {}),
          ("stopped_experiment", "resume", RUN_EXPERIMENT, {}),
          ("quiet_experiment", "repeat", RUN_EXPERIMENT, {}),
          ("quiet_experiment", "publish", PUBLISH_EXPERIMENT,
           {"public_title": "By a file"}),
          ("experiment", "withdraw", PUBLISH_EXPERIMENT, {}))),
    # Ratings, for the office
    Page("ratings:office_floors", OFFICE, member("Ana")),
    Page("ratings:grant_floor", OFFICE, member("Ana"), takes=GRANT,
         sends=lambda world: {"system": "OTBR", "level": 1900, "starts": today(),
                              "reason": REASON}),
    Page("ratings:money_floor", OFFICE, member("Ana"), takes=GRANT, query=_money,
         sends=because()),
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
         sends=because(decision="grant")),
    Page("ratings:floor_request", OFFICE, pk_of("floor_request"), takes=LOWER,
         sends=because(decision="refuse"), label="refuse"),
    Page("ratings:floor_request_effect", OFFICE, pk_of("floor_request")),
    Page("ratings:life_masters", OFFICE),
    Page("ratings:life_master", OFFICE, lambda world: {
        "member_id": world.life_master.member_id}, takes=GRANT,
         sends=because(decision="confirm")),
    Page("ratings:life_master", OFFICE, lambda world: {
        "member_id": world.life_master.member_id}, takes=GRANT,
         sends=because(decision="set_aside"), label="set_aside"),
    Page("ratings:adjustments", OFFICE),
    Page("ratings:withdraw_adjustment", OFFICE, pk_of("adjustment"), takes=ADJUST,
         sends=because()),
    Page("ratings:foreign_work", OFFICE),
    Page("ratings:foreign_prepare", OFFICE, pk_of("fide_list"), takes=FOREIGN,
         sends=nothing),
    Page("ratings:foreign_work_line", OFFICE, pk_of("work"), takes=FOREIGN,
         sends=because()),
    Page("ratings:foreign_events", OFFICE),
    Page("ratings:foreign_desk", OFFICE, lambda world: {"pk": world.rough.event_id}),
    Page("ratings:foreign_check", OFFICE, lambda world: {"pk": world.rough.event_id},
         takes=FOREIGN, sends=nothing),
    *(Page("ratings:foreign_result", OFFICE, pk_of(which), takes=FOREIGN,
           sends=lambda world, said={"decision": decision, **because}: said,
           label=f"{decision}-{which}")
      for which, decision, because in (
          ("rough", "ready", {}), ("ready", "look_up", {}),
          ("ready", "leave_out", {"reason": REASON}),
          ("abroad", "leave_out", {"reason": REASON}))),
    Page("ratings:foreign_preview", OFFICE, takes=FOREIGN,
         sends=lambda world: {"result": world.ready.pk}),
    Page("ratings:foreign_job", OFFICE, pk_of("failed_abroad"),
         takes="common.retry_job", sends=nothing),
    Page("ratings:office_lists", OFFICE),
    Page("ratings:office_list", OFFICE, lambda world: {"month": world.next_month},
         takes="ratings.publish_list", sends=_publish_list),
    Page("ratings:correction_effect", OFFICE, pk_of("correction")),
    Page("ratings:office_rerates", OFFICE),
    Page("ratings:office_rerate", OFFICE, pk_of("run")),
    Page("ratings:rerate_progress", OFFICE, pk_of("run")),
    *(Page("ratings:rerate_act", OFFICE, pk_of(which, act=act), takes=takes,
           sends=_publish if act == "publish" else because(), label=f"{act}-{which}")
      for which, act, takes in (("run", "publish", PUBLISH_RUN),
                                ("run", "discard", PUBLISH_RUN),
                                ("last_run", "undo", "ratings.undo_rerate"))),
    Page("ratings:rerate_act", OFFICE, pk_of("failed_run", act="retry"), label="retry"),
    Page("players:suggest", ANYBODY),
    Page("events:settle_result", REPORTERS, _entry(round_number=1)),
]  # fmt: skip
