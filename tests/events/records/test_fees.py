"""Rating fees: what a report costs, and what corrections change."""

from datetime import date
from decimal import Decimal

import pytest
from django.contrib.auth.models import Group
from django.db import DatabaseError, IntegrityError, transaction

from events.formats.report import ReportedEvent
from events.models import FeeCharge, Official, RatingFee, Submission
from events.records.services.fees import charge_sections, section_charges
from events.records.services.versions import apply_version, document_of
from events.review.groups import MANAGER
from events.review.services.acceptance import accept_report
from events.review.services.newcomers import assign_member_ids
from ratings_site.common.models import AuditEntry
from tests.events.corrections.samples import make_section
from tests.events.newcomers.reports import pending_report
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    section_report,
    swiss_rows,
)

pytestmark = pytest.mark.django_db

JULY = date(2024, 7, 1)
CENTS = Decimal("0.35")


def fee(**fields) -> RatingFee:
    return RatingFee.objects.create(
        **{"starts": date(2024, 1, 1), "amount": CENTS, **fields}
    )


def report(td, *controls: str, players: int = 4, **fields) -> ReportedEvent:
    """Sections of three rounds, a game control for each."""
    sections = [
        section_report(
            [make_player() for _ in range(players)],
            swiss_rows(players, 3),
            number=number,
            time_control=control,
        )
        for number, control in enumerate(controls, start=1)
    ]
    return event_report(td, sections, **fields)


def lines(event) -> list[tuple]:
    return [
        (one.section and one.section.number, one.cause, one.quantity, str(one.amount))
        for one in event.charges.select_related("section")
    ]


@pytest.fixture
def td():
    return make_td()


def test_without_fees_nothing_is_charged(td, django_assert_num_queries):
    reported = report(td, "G/90;d5")
    assert lines(accepted_event(td, reported)) == []
    with django_assert_num_queries(1):
        assert section_charges(reported, Submission(uploaded_by=td)) == {}


@pytest.mark.parametrize("sections", [1, 5])
def test_estimate_takes_the_same_queries_for_any_size(
    td, sections, django_assert_num_queries
):
    fee()
    reported = report(td, *["G/90;d5"] * sections)
    with django_assert_num_queries(4):
        charges = section_charges(reported, Submission(uploaded_by=td))
    assert [one.amount for one in charges.values()] == [Decimal("2.10")] * sections


def test_each_section_pays_for_its_games(td):
    fee()
    event = accepted_event(td, report(td, "G/90;d5", "G/5;d0"))
    assert lines(event) == [(1, "accepted", 6, "2.10"), (2, "accepted", 6, "2.10")]


@pytest.mark.parametrize(
    ("basis", "quantity", "amount"),
    [("game", 6, "2.10"), ("player", 4, "1.40"), ("section", 1, "0.35")],
)
def test_fee_is_per_game_player_or_section(td, basis, quantity, amount):
    fee(basis=basis)
    event = accepted_event(td, report(td, "G/90;d5"))
    assert lines(event) == [(1, "accepted", quantity, amount)]


def test_section_without_a_game_costs_nothing(td):
    fee(basis="section")
    section = section_report([make_player() for _ in "ab"], ["B", "B"])
    charges = section_charges(event_report(td, [section]), Submission(uploaded_by=td))
    assert [one.quantity for one in charges.values()] == [0]


def test_fee_of_one_system_replaces_the_general_one(td):
    fee()
    fee(system="OTBB", amount=Decimal("0.10"))
    fee(system="OTBQ", amount=0)
    reported = report(td, "G/60;d5", "G/5;d0", "G/20;d5")
    # A dual-rated section pays as a regular one, and once.
    assert lines(accepted_event(td, reported)) == [
        (1, "accepted", 6, "2.10"),
        (2, "accepted", 6, "0.60"),
        (3, "accepted", 6, "0.00"),
    ]


@pytest.mark.parametrize(
    ("ends", "amount"), [(date(2024, 6, 30), "2.10"), (JULY, "2.40")]
)
def test_fee_is_that_of_the_last_day_of_the_event(td, ends, amount):
    fee()
    fee(starts=JULY, amount=Decimal("0.40"))
    event = accepted_event(td, report(td, "G/90;d5", starts=ends, ends=ends))
    assert lines(event) == [(1, "accepted", 6, amount)]


def test_paper_costs_more_if_the_office_enters_it(td):
    fee(office_amount=Decimal("0.60"))
    clerk = make_staff()
    assert lines(accepted_event(td, report(td, "G/90;d5"))) == [
        (1, "accepted", 6, "2.10")
    ]
    assert lines(accepted_event(clerk, report(td, "G/90;d5"))) == [
        (1, "accepted", 6, "3.60")
    ]
    assert not Official.objects.filter(player__account=clerk).exists()


def test_small_event_pays_the_minimum(td):
    fee(minimum=Decimal("3.00"))
    small = accepted_event(td, report(td, "G/90;d5"))
    assert lines(small) == [(1, "accepted", 6, "2.10"), (None, "minimum", 1, "0.90")]
    larger = accepted_event(td, report(td, "G/90;d5", "G/90;d5"))
    assert lines(larger) == [(1, "accepted", 6, "2.10"), (2, "accepted", 6, "2.10")]


def test_many_charges_add_up_to_the_cent(td):
    fee(amount=Decimal("0.10"))
    event = accepted_event(td, report(td, *["G/90;d5"] * 7))
    assert sum(one.amount for one in event.charges.all()) == Decimal("4.20")


class TestCorrections:
    """A correction adds the difference as a line of its own."""

    def corrected(self, section, **changes):
        document = document_of(section)
        games = document.games[: changes.pop("games", len(document.games))]
        after = document.changed(games=games, **changes)
        apply_version(section=section, document=after, reason="Chart.", actor=None)
        return lines(section.event)

    def test_fewer_games_are_credited(self):
        fee(starts=date(2000, 1, 1))
        section = make_section()
        number = section.number
        assert self.corrected(section, games=4) == [
            (number, "accepted", 6, "2.10"),
            (number, "correction", -2, "-0.70"),
        ]
        assert self.corrected(section, games=3)[2:] == [
            (number, "correction", -1, "-0.35")
        ]

    def test_later_fee_does_not_change_what_a_correction_costs(self):
        first = fee(starts=date(2000, 1, 1))
        section = make_section()
        RatingFee.objects.filter(pk=first.pk).update(amount=Decimal("9.00"))
        assert self.corrected(section, games=5)[1:] == [
            (section.number, "correction", -1, "-0.35")
        ]

    def test_other_corrections_cost_nothing(self):
        fee(starts=date(2000, 1, 1))
        section = make_section()
        assert self.corrected(section, name="Open")[1:] == []

    def test_section_accepted_without_a_fee_stays_without_one(self):
        section = make_section()
        fee(starts=date(2000, 1, 1))
        assert self.corrected(section, games=4) == []

    def test_credit_stops_at_the_minimum(self):
        fee(starts=date(2000, 1, 1), minimum=Decimal("2.00"))
        section = make_section()
        assert self.corrected(section, games=4) == [
            (section.number, "accepted", 6, "2.10"),
            (section.number, "correction", -2, "-0.70"),
            (None, "minimum", 1, "0.60"),
        ]


def test_section_with_a_new_member_is_charged_when_it_is_rated(td):
    fee(starts=date(2000, 1, 1), minimum=Decimal("3.00"))
    clerk = make_staff()
    submission, newcomer = pending_report(td)
    event = accept_report(submission_id=submission.pk, actor=clerk)
    assert lines(event) == [(1, "accepted", 6, "2.10"), (None, "minimum", 1, "0.90")]
    assign_member_ids(numbers={newcomer.pk: ""}, actor=clerk)
    assert lines(event)[2:] == [
        (2, "accepted", 6, "2.10"),
        (None, "minimum", 1, "-0.90"),
    ]


def test_charges_are_never_changed(td):
    fee()
    event = accepted_event(td, report(td, "G/90;d5"))
    for change in (
        lambda: FeeCharge.objects.update(rate=0),
        lambda: FeeCharge.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    assert lines(event) == [(1, "accepted", 6, "2.10")]


def test_section_is_charged_once(td):
    fee()
    reported = report(td, "G/90;d5")
    event = accepted_event(td, reported)
    with pytest.raises(IntegrityError, match=r"charge|section"), transaction.atomic():
        charge_sections(event, event.sections.all(), reported)
    assert lines(event) == [(1, "accepted", 6, "2.10")]


class TestAdmin:
    """Managers set fees in the admin, with a reason; clerks only see them."""

    FORM = {
        "starts": "2026-07-01",
        "system": "",
        "basis": "game",
        "amount": "0.35",
        "office_amount": "",
        "minimum": "3.00",
        "reason_for_change": "Board of June 9.",
    }

    def add(self, client, user, **changes):
        client.force_login(user)
        return client.post("/admin/events/ratingfee/add/", {**self.FORM, **changes})

    @pytest.fixture
    def manager(self):
        manager = make_staff()
        manager.groups.add(Group.objects.get(name=MANAGER))
        return manager

    def test_manager_sets_a_fee_with_a_reason(self, client, manager):
        response = self.add(client, manager)
        assert response.status_code == 302, response.text
        [one] = RatingFee.objects.all()
        assert (one.amount, one.minimum) == (CENTS, Decimal("3.00"))
        [entry] = AuditEntry.objects.filter(action="ratingfee.added")
        assert (entry.actor, entry.reason) == (manager, "Board of June 9.")

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"amount": "-1"}, "A fee can’t be negative. Enter 0 for none."),
            ({"reason_for_change": ""}, "This field is required."),
            ({}, "There is already a fee for these sections from this day."),
        ],
    )
    def test_what_cannot_be_is_refused_with_a_sentence(
        self, client, manager, changes, sentence
    ):
        fee(starts=date(2026, 7, 1))
        assert sentence in self.add(client, manager, **changes).text
        assert RatingFee.objects.count() == 1

    def test_clerk_sees_fees_and_sets_none(self, client):
        clerk = make_staff()
        assert self.add(client, clerk).status_code == 403
        fee()
        assert "0.35" in client.get("/admin/events/ratingfee/").text
