"""Only established ratings are updated from foreign events, in every replay."""

from datetime import date, timedelta

import pytest
from django.urls import reverse

from events.models import ForeignResult
from events.records.services.packing import pack_section
from ratings.foreign.services import (
    NotEligible,
    checks,
    mark_ready,
    previews,
    rate_if_eligible,
    ready_results,
)
from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.ledger.services.rating import (
    NotEstablished,
    apply_adjustment,
    rate_foreign_result,
)
from ratings.models import (
    Adjustment,
    Calculation,
    PlayerRating,
    RatingChange,
    RerateMark,
)
from ratings.rerates.services.audit import run_audit
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from tests.events.foreign.factories import STARTS, foreign_staff, make_result
from tests.factories import make_player, make_staff, make_td
from tests.ratings.foreign.factories import list_with_masters, master, rated, ready
from tests.ratings.rerates.factories import ledger, play, ratings, undo_published

pytestmark = pytest.mark.django_db

MARCH, JUNE = date(2024, 3, 9), date(2024, 6, 8)
WINS = [(2400, 2), (2420, 2), (2380, 2), (2400, 1)]


@pytest.fixture
def staff():
    list_with_masters()
    return foreign_staff()


@pytest.fixture
def td():
    return make_td()


def four_games_in(td, player, day, **fields):
    """Rate a section in which the player has four games."""
    others = [make_player(ratings={"OTBR": (2200.0, 40)}) for _ in range(5)]
    return play(td, [player, *others], ends=day, rounds=4, **fields).sections.get()


def rerated():
    run = start_rerate(actor=None, reason="Follow the marks")
    run_due_jobs()
    run.refresh_from_db()
    return publish_rerate(run_id=run.pk, actor=None, reason="Checked")


def regular(player):
    return PlayerRating.objects.get(player=player, system="OTBR")


def line_abroad(player):
    return RatingChange.objects.filter(
        player=player, calculation__foreign__isnull=False, calculation__is_current=True
    ).first()


def give_the_games_to_another(section, player):
    """Correct the section: the entry was another member's."""
    section.entries.filter(player=player).update(player=make_player())
    section.version += 1
    section.save()
    pack_section(section)
    add_pending_rerate(
        kind="correction", day=section.ends, section=section, note="An entry."
    )


def findings():
    return {one.question: one.faults for one in run_audit(None) if not one.is_good}


class TestRerate:
    @pytest.fixture
    def corrected(self, staff, td):
        """22 games, 4 more, a foreign result; then the 4 were another member's."""
        player = master(rating=1500.0, games=22)
        section = four_games_in(td, player, MARCH)
        result = rated(staff, player, WINS)
        assert line_abroad(player).pre_games == 26
        assert not findings()
        give_the_games_to_another(section, player)
        return player, result

    def test_a_result_stays_unrated_that_history_leaves_with_22_games(self, corrected):
        player, result = corrected
        run = rerated()
        standing = regular(player)
        assert (standing.rating, standing.games) == (1500.0, 22)
        assert line_abroad(player) is None
        assert run.summary["not_established"] == {"count": 1, "shown": [result.pk]}
        assert ForeignResult.objects.get(pk=result.pk).status == "rated"
        assert not findings()

    def test_undoing_gives_the_result_back(self, corrected):
        before = ledger(), ratings()
        undo_published(rerated())
        assert (ledger(), ratings()) == before

    def test_it_is_rated_at_its_own_place_once_the_games_are_back(
        self, staff, td, corrected
    ):
        player, result = corrected
        rerated()
        # Games after the event do not make it count, games before it do.
        four_games_in(td, player, JUNE, name="After")
        assert regular(player).games == 26
        add_pending_rerate(
            kind="correction", day=MARCH, player=player, note="Looked at again."
        )
        rerated()
        assert line_abroad(player) is None
        four_games_in(td, player, MARCH, name="Before")
        rerated()
        line = line_abroad(player)
        assert (line.calculation.foreign, line.pre_games) == (result, 26)
        assert line.calculation.order_date == result.event.ends
        assert not findings()

    def test_an_adjustment_to_three_games_takes_the_result_away(self, staff):
        player = master(rating=1500.0, games=60)
        rated(staff, player, WINS)
        made = Adjustment.objects.create(
            player=player,
            system="OTBR",
            kind="executive",
            day=STARTS - timedelta(days=1),
            rating=1400.0,
            games=3,
            reason="Reviewed",
            decided_by=staff,
        )
        apply_adjustment(adjustment_id=made.pk)
        rerated()
        assert (regular(player).rating, regular(player).games) == (1400.0, 3)
        assert not findings()

    def test_the_preview_names_member_and_event(self, client, corrected):
        _player, result = corrected
        run = start_rerate(actor=None, reason="Follow the marks")
        run_due_jobs()
        client.force_login(make_staff())
        page = client.get(reverse("ratings:office_rerate", args=[run.pk]))
        (named,) = page.context["preview"]["not_established"]
        assert named == result
        assert "Unrated foreign results" in page.content.decode()

    def test_the_office_sees_why_a_result_is_not_rated(self, client, staff, corrected):
        _player, result = corrected
        rerated()
        reason = (
            "The Regular rating was provisional at this event: 22 games. "
            "Only established ratings are updated: those with more than 25 games."
        )
        assert checks([result.pk])[result.pk].unrated_reason == reason
        client.force_login(staff)
        for name, number in (
            ("foreign_events", None),
            ("foreign_desk", result.event_id),
            ("foreign_result", result.pk),
        ):
            args = [] if number is None else [number]
            page = client.get(reverse(f"ratings:{name}", args=args))
            assert reason in page.content.decode()


class TestAudit:
    def test_a_result_rated_without_an_established_rating_is_a_fault(self, staff, td):
        """As a rerate of an older engine left it, without a pending rerate."""
        player = master(rating=1500.0, games=22)
        section = four_games_in(td, player, MARCH)
        rated(staff, player, WINS)
        give_the_games_to_another(section, player)
        RerateMark.objects.all().delete()
        sentences = [one for faults in findings().values() for one in faults]
        assert any(
            "rates a member abroad whose rating is not established there" in one
            for one in sentences
        )

    def test_calculations_of_an_older_engine_are_compared_by_their_lines(
        self, monkeypatch, staff, td
    ):
        player = master(games=40)
        four_games_in(td, player, MARCH)
        rated(staff, player, WINS)
        for name in ("audit", "line_recomputation"):
            monkeypatch.setattr(
                f"ratings.rerates.services.{name}.ENGINE_VERSION", "the next"
            )
        monkeypatch.setattr(
            "ratings.ledger.services.digests.ENGINE_VERSION", "the next"
        )
        assert not findings()


class TestLate:
    """Incremental rating judges at the event's place, whatever was rated since."""

    def test_games_after_the_event_do_not_establish(self, staff, td):
        player = master(rating=2300.0, games=22)
        result = make_result(staff, player, WINS)
        four_games_in(td, player, JUNE)
        assert regular(player).games == 26
        with pytest.raises(NotEligible, match="provisional at this event: 22 games"):
            mark_ready(actor=staff, result_id=result.pk)
        ForeignResult.objects.update(status="ready")
        with pytest.raises(NotEstablished):
            rate_foreign_result(result_id=result.pk)

    def test_a_late_section_counts_its_own_games_only(self, staff, td):
        """Its line continues current ratings, and so counts later games, too."""
        player = master(rating=2300.0, games=18)
        four_games_in(td, player, JUNE, name="After")
        four_games_in(td, player, MARCH, name="Late")
        assert regular(player).games == 26
        result = make_result(staff, player, WINS)
        with pytest.raises(NotEligible, match="provisional at this event: 22 games"):
            mark_ready(actor=staff, result_id=result.pk)

    def test_who_was_established_and_is_not_today_waits_for_the_rerate(self, staff):
        player = master(rating=2300.0, games=60)
        made = Adjustment.objects.create(
            player=player,
            system="OTBR",
            kind="executive",
            day=JUNE,
            rating=2200.0,
            games=3,
            reason="Reviewed",
            decided_by=staff,
        )
        apply_adjustment(adjustment_id=made.pk)
        result = ready(staff, player, WINS)
        (shown,) = previews(ready_results())
        assert (shown.line, shown.waits) == (None, True)
        rate_if_eligible(result_id=result.pk)
        assert line_abroad(player) is None
        assert RerateMark.objects.get(run=None).from_day == result.event.ends
        rerated()
        line = line_abroad(player)
        assert (line.pre_rating, line.pre_games, line.post_games) == (2300.0, 60, 64)
        assert regular(player).games == 3

    def test_games_on_days_of_the_event_count(self, staff, td):
        """What ended by the event's last day comes before it in the rating order."""
        player = master(rating=2300.0, games=22)
        four_games_in(td, player, STARTS)
        result = rated(staff, player, WINS)
        assert line_abroad(player).pre_games == 26
        assert Calculation.objects.get(foreign=result).is_late is False
