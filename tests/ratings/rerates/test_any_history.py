"""Random histories: a rerate gives correct ratings after any events in any order."""

from contextlib import suppress
from datetime import date, timedelta
from random import Random

import pytest
from django.core.management import call_command

from events.models import ForeignEvent, ForeignGame, ForeignResult, Section
from events.records.exceptions import NotPossible
from events.records.services.packing import pack_section
from players.models import ExternalRating, Membership, MembershipType, Player
from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.ledger.services.rating import (
    NotEstablished,
    apply_adjustment,
    rate_foreign_result,
)
from ratings.models import (
    Adjustment,
    Calculation,
    Ceiling,
    Floor,
    FloorLowering,
    RerateMark,
)
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    section_report,
)
from tests.ratings.rerates.factories import ledger, play, ratings, rolled_back

pytestmark = pytest.mark.django_db

FIRST = date(2023, 6, 1)
DAYS = 500
CONTROLS = ["G/90;d5", "G/60;d5", "G/20;d3", "G/5;d0", "G/45;d5"]


class World:
    """An office with random changes, from a random generator."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.td, self.staff = make_td("td", "12000001"), make_staff("staff")
        self.players = [self._player(number) for number in range(14)]
        self.adult, _ = MembershipType.objects.get_or_create(
            name="Adult", defaults={"is_adult": True}
        )

    def _player(self, number: int) -> Player:
        draw = self.random
        systems = draw.sample(["OTBR", "OTBQ", "OTBB", "OLR"], draw.randint(0, 2))
        born = None if number % 5 == 4 else date(1960 + 4 * number, 1, 1 + number)
        return make_player(
            str(13000001 + number),
            birth_date=born,
            ratings={
                system: (float(draw.randint(400, 2350)), draw.choice([3, 8, 9, 60]))
                for system in systems
            },
        )

    def day(self) -> date:
        return FIRST + timedelta(days=self.random.randrange(DAYS))

    def active(self) -> list[Player]:
        return [one for one in self.players if one.status != "duplicate"]

    def anything(self) -> None:
        """Make one random change."""
        happens = self.random.choice(
            [self.event] * 8
            + [self.match] * 3
            + [self.floor, self.lowering, self.ceiling, self.adjustment]
            + [self.external, self.birth_date, self.membership, self.abroad]
            + [self.merge, self.correction, self.withdrawal]
        )
        # Reports with findings and unrated sections do not count.
        with suppress(NotPossible, NotEstablished):
            happens()

    def event(self) -> None:
        draw = self.random
        players = draw.sample(self.active(), draw.choice([4, 6]))
        play(
            self.td,
            players,
            ends=self.day(),
            rounds=draw.choice([2, 3]),
            time_control=draw.choice(CONTROLS),
        )

    def match(self) -> None:
        """Two players whom the match rules exclude may play one here."""
        players, day = self.random.sample(self.active()[:6], 2), self.day()
        report = event_report(
            self.td,
            [section_report(players, ["W2W W2B", "L1B L1W"])],
            starts=day,
            ends=day,
        )
        section = accepted_event(self.td, report).sections.get()
        section.kind = Section.Kind.MATCH
        section.save()
        pack_section(section)
        run_due_jobs()

    def floor(self) -> None:
        player, day = self.random.choice(self.players), self.day()
        ends = day + timedelta(days=90) if self.random.random() < 0.3 else None
        level = self.random.choice([1200, 1500, 1800, 2000])
        Floor.objects.create(
            player=player,
            system="OTBR",
            kind="office",
            level=level,
            starts=day,
            ends=ends,
            reason="r",
            granted_by=self.staff,
        )
        self.mark("floor", day, player)

    def lowering(self) -> None:
        player, day = self.random.choice(self.players), self.day()
        FloorLowering.objects.get_or_create(
            player=player,
            system="OTBR",
            starts=day,
            defaults={"level": 1300, "reason": "r", "decided_by": self.staff},
        )
        self.mark("floor", day, player)

    def ceiling(self) -> None:
        player, day = self.random.choice(self.players), self.day()
        Ceiling.objects.create(
            player=player,
            system="OTBR",
            level=self.random.choice([1000, 1700, 2100]),
            starts=day,
            reason="r",
            imposed_by=self.staff,
        )
        self.mark("ceiling", day, player)

    def adjustment(self) -> None:
        player, day = self.random.choice(self.players), self.day()
        if player.status == "duplicate" or player.adjustments.filter(day=day).exists():
            return
        made = Adjustment.objects.create(
            player=player,
            system="OTBR",
            kind="executive",
            day=day,
            rating=self.random.uniform(300, 2300),
            games=self.random.choice([4, 12, 40]),
            reason="r",
            decided_by=self.staff,
        )
        apply_adjustment(adjustment_id=made.pk)

    def withdrawal(self) -> None:
        made = Adjustment.objects.filter(withdrawn_at=None).order_by("pk").first()
        if made is not None:
            made.withdrawn_at = made.decided_at
            made.save(update_fields=["withdrawn_at"])
            self.mark("adjustment", made.day, made.player)

    def external(self) -> None:
        player, day = self.random.choice(self.players), self.day()
        body = self.random.choice(["FIDE", "CFC"])
        ExternalRating.objects.get_or_create(
            player=player,
            body=body,
            list_date=day,
            defaults={"rating": self.random.randint(1000, 2500)},
        )
        if body == "CFC":
            player.residence = self.random.choice(["USA", "CAN"])
            player.save()
        # Residence applies on all days.
        self.mark("external_rating", FIRST, player)

    def birth_date(self) -> None:
        player = self.random.choice(self.players)
        player.birth_date = date(1950 + self.random.randrange(65), 2, 3)
        player.save()
        self.mark("birth_date", FIRST, player)

    def membership(self) -> None:
        player, day = self.random.choice(self.players), self.day()
        Membership.objects.create(
            player=player, type=self.adult, starts=day, expires=date(2099, 1, 1)
        )
        self.mark("adult", day, player)

    def abroad(self) -> None:
        day = self.day()
        player = self.random.choice(self.players)
        if player.status == "duplicate":
            return
        event = ForeignEvent.objects.create(
            name=f"Abroad {ForeignEvent.objects.count()}",
            federation="FRA",
            starts=day - timedelta(days=3),
            ends=day,
            is_youth=self.random.random() < 0.5,
            list_date=day,
        )
        result = ForeignResult.objects.create(
            event=event, player=player, status="ready"
        )
        for number in range(1, 5):
            ForeignGame.objects.create(
                result=result,
                round_number=number,
                opponent_name=f"Opponent {number % 3}",
                opponent_rating=None if number == 2 else 1500 + 100 * number,
                half_points=self.random.randrange(3),
            )
        try:
            rate_foreign_result(result_id=result.pk)
        except NotEstablished:
            assert not result.calculations.exists()

    def merge(self) -> None:
        """Merge a member without an opening entry into one they never played."""
        free = self.active()
        for merged in self.random.sample(free, len(free)):
            sections = set(merged.entries.values_list("section_id", flat=True))
            if merged.opening_entries.exists() or merged.duplicates.exists():
                continue
            for kept in self.random.sample(free, len(free)):
                met = kept.entries.filter(section__in=sections).exists()
                if kept == merged or met or len(free) < 9:
                    continue
                merged.status, merged.merged_into = "duplicate", kept
                merged.save()
                self.mark("merge", FIRST, kept)
                return

    def correction(self) -> None:
        section = self.random.choice([None, *Section.objects.order_by("pk")])
        if section is None:
            return
        game = section.games.order_by("pk").first()
        if game is not None:
            game.first_outcome, game.second_outcome = "L", "W"
            game.save()
        section.version += 1
        if self.random.random() < 0.2:
            section.time_control = self.random.choice([*CONTROLS, "G/1;d0"])
        section.save()
        pack_section(section)
        self.mark("correction", section.ends, None, section)

    def mark(self, kind, day, player, section=None) -> None:
        add_pending_rerate(
            kind=kind,
            day=day,
            note="Something changed.",
            player=player,
            section=section,
        )


def rerate(**options) -> None:
    run = start_rerate(actor=None, reason="Go.", **options)
    run_due_jobs()
    run.refresh_from_db()
    assert run.status == "ready", run.message
    faults = [check for check in run.summary["invariants"] if check["faults"]]
    assert not faults
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")


@pytest.mark.gate
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.fuzz) for seed in (1, 2, 3))]
)
def test_any_history_ends_as_a_replay_from_nothing(seed):
    world = World(seed)
    for step in range(45):
        world.anything()
        if step % 15 == 14 and RerateMark.objects.filter(run=None).exists():
            with rolled_back():
                rerate(whole_history=True)
                whole = ledger(), ratings()
            rerate()
            assert (ledger(), ratings()) == whole
            # Replayed from nothing, and each section rated by the readable engine.
            call_command("audit", full=True)
    assert Calculation.objects.filter(superseded_by__isnull=False).exists()
