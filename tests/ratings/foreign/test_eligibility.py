"""Members who are rated in foreign events: each rule of section 6 from both sides."""

from datetime import date, timedelta

import pytest

from events.foreign.services.results import admit_resident
from events.models import ForeignResult
from players.models import ExternalRating, FideOptIn, Membership
from ratings.engine.rules import rules_in_force
from ratings.foreign.queries import (
    Evidence,
    assess,
    verdicts,
)
from tests.events.foreign.factories import (
    ENDS,
    STARTS,
    foreign_staff,
    make_event,
    make_result,
    store_list,
)
from tests.factories import make_player, open_rating

RULES = rules_in_force(STARTS)
STRONG = Evidence(starts=STARTS, games=26, fide=2200)


def judged(**changes):
    known = {name: getattr(STRONG, name) for name in STRONG.__dataclass_fields__}
    return assess(Evidence(**{**known, **changes}), RULES)


def test_member_with_2200_and_the_flag_is_rated_without_asking():
    verdict = judged()
    assert (verdict.against, verdict.because) == (
        (),
        "FIDE 2200: ratings of 2200 and up are updated automatically.",
    )


NO_OPT_IN = "{}, and no opt-in before the event started on May 4, 2024."
NO_FLAG = (
    "{}, not USA. The office must approve including US residents with "
    "another federation."
)


@pytest.mark.parametrize(
    ("changes", "against"),
    [
        ({"games": 26}, ()),
        (
            {"games": 25},
            (
                "The Regular rating was provisional at this event: 25 games. "
                "Only established ratings are updated: those with more than 25 games.",
            ),
        ),
        (
            {"games": None},
            (
                "The member had no Regular rating at this event. Only established "
                "ratings are updated: those with more than 25 games.",
            ),
        ),
        ({"fide": 2199}, (NO_OPT_IN.format("FIDE 2199 is under 2200"),)),
        ({"fide": 2199, "is_opted_in": True}, ()),
        ({"fide": None}, (NO_OPT_IN.format("No FIDE rating"),)),
        ({"fide": None, "is_opted_in": True}, ()),
        ({"fide": None, "flag": "", "is_opted_in": True}, ()),
        ({"flag": "GER"}, (NO_FLAG.format("Federation GER"),)),
        (
            {"flag": ""},
            (
                "No federation. The office must approve including US residents with "
                "no federation.",
            ),
        ),
        (
            {"flag": "", "is_resident": False},
            ("No federation, and the member does not live in the United States.",),
        ),
        ({"flag": "GER", "admitted_because": "Lives in Ohio"}, ()),
        (
            {"flag": "GER", "admitted_because": "Lives in Ohio", "fide": 2199},
            (NO_OPT_IN.format("FIDE 2199 is under 2200"),),
        ),
        (
            {"flag": "GER", "is_resident": False},
            (
                "Federation GER, not USA, and the member does not live in the United "
                "States.",
            ),
        ),
        (
            {"is_active": False},
            ("Not a current member. Only current members are updated.",),
        ),
        (
            {"lapsed_on": ((ENDS, "the last day of the event"),)},
            (
                "No membership on May 12, 2024, the last day of the event. Only "
                "current members are updated.",
            ),
        ),
    ],
)
def test_each_rule_from_both_sides(changes, against):
    assert judged(**changes).against == against


def test_all_reasons_are_given_at_once():
    assert len(judged(games=3, fide=2100, flag="GER", is_active=False).against) == 4


@pytest.mark.parametrize(
    ("changes", "may"),
    [
        ({"flag": "GER"}, True),
        ({"flag": "GER", "is_resident": False}, False),
        ({"flag": "GER", "admitted_because": "Lives in Ohio"}, False),
        ({}, False),
    ],
)
def test_only_residents_with_another_flag_may_be_admitted(changes, may):
    assert judged(**changes).can_be_admitted is may


# --- From the database ---

FIDE_ID = 2012345


def member(**fields):
    """A member with an established rating and FIDE 2210 on the list of May."""
    given = {"fide_id": str(FIDE_ID), "ratings": {"OTBR": (2250.0, 40)}}
    return make_player("12345678", "Ada", "Lind", **{**given, **fields})


def verdict_of(result):
    found = ForeignResult.objects.select_related("event", "player").get(pk=result.pk)
    return verdicts([found])[result.pk]


def entered(player, staff=None, **event):
    return make_result(staff or foreign_staff(), player, [(2300, 2)], **event)


@pytest.mark.django_db
class TestLedgerQueries:
    def test_list_in_force_on_the_first_day_counts(self):
        store_list({FIDE_ID: (2199, 0, "USA")}, day=date(2024, 4, 1))
        store_list({FIDE_ID: (2200, 0, "USA")})
        store_list({FIDE_ID: (2190, 9, "GER")}, day=date(2024, 6, 1))
        player = member()
        assert not verdict_of(entered(player)).against
        april = entered(player, name="April Open", starts=date(2024, 4, 30))
        assert verdict_of(april).against == (
            "FIDE 2199 is under 2200, and no opt-in before the event started on "
            "Apr 30, 2024.",
        )

    def test_what_the_office_entered_counts_where_no_list_knows_the_member(self):
        player = member(federation="USA")
        for day, rating in ((date(2024, 5, 1), 2205), (date(2024, 5, 5), 2100)):
            ExternalRating.objects.create(
                player=player, body="FIDE", list_date=day, rating=rating
            )
        assert verdict_of(entered(player)).evidence.fide == 2205

    def test_flag_of_the_list_counts_before_that_of_the_record(self):
        store_list({FIDE_ID: (2300, 0, "GER")})
        assert verdict_of(entered(member(federation="USA"))).evidence.flag == "GER"

    @pytest.mark.parametrize(
        ("opted_in", "opted_out", "counts"),
        [
            (STARTS - timedelta(days=1), None, True),
            (STARTS, None, False),
            (date(2024, 1, 1), STARTS, True),
            (date(2024, 1, 1), STARTS - timedelta(days=1), False),
        ],
    )
    def test_opt_in_counts_for_events_that_begin_after_it(
        self, opted_in, opted_out, counts
    ):
        staff, player = foreign_staff(), member(federation="USA")
        FideOptIn.objects.create(
            player=player,
            opted_in_on=opted_in,
            entered_by=staff,
            opted_out_on=opted_out,
            opt_out_approved_by=staff if opted_out else None,
            opt_out_reason="Granted" if opted_out else "",
        )
        assert (not verdict_of(entered(player, staff)).against) is counts

    @pytest.mark.parametrize(
        ("until", "lapsed_on"),
        [
            (date(2024, 6, 1), []),
            (date(2024, 5, 31), [date(2024, 6, 1)]),
            (ENDS, [date(2024, 6, 1)]),
            (ENDS - timedelta(days=1), [ENDS, date(2024, 6, 1)]),
        ],
    )
    def test_membership_on_the_last_day_and_at_the_list(self, until, lapsed_on):
        store_list({FIDE_ID: (2300, 0, "USA")})
        verdict = verdict_of(entered(member(member_until=until)))
        assert [day for day, _ in verdict.evidence.lapsed_on] == lapsed_on
        assert (not verdict.against) is (not lapsed_on)

    @pytest.mark.parametrize("status", ["suspended", "revoked", "deceased", "inactive"])
    def test_only_active_members_are_current(self, status):
        store_list({FIDE_ID: (2300, 0, "USA")})
        assert verdict_of(entered(member(status=status))).against

    def test_regular_games_count_and_no_others(self):
        store_list({FIDE_ID: (2300, 0, "USA")})
        player = member(ratings={})
        open_rating(player, "OTBR", 2250.0, 25, as_of=STARTS - timedelta(days=1))
        result = entered(player)
        assert verdict_of(result).evidence.games == 25
        open_rating(player, "OTBQ", 2250.0, 60, as_of=STARTS - timedelta(days=1))
        assert verdict_of(result).evidence.games == 25

    @pytest.mark.parametrize(
        ("day", "games"), [(ENDS, 60), (ENDS + timedelta(days=1), None)]
    )
    def test_games_count_up_to_the_place_of_the_event(self, day, games):
        player = member(ratings={})
        open_rating(player, "OTBR", 2250.0, 60, as_of=day)
        assert verdict_of(entered(player)).evidence.games == games

    def test_staff_admit_a_resident_with_a_reason(self):
        staff = foreign_staff()
        store_list({FIDE_ID: (2300, 0, "GER")})
        result = entered(member(), staff)
        assert verdict_of(result).can_be_admitted
        admit_resident(actor=staff, result_id=result.pk, reason="Lives in Ohio")
        verdict = verdict_of(result)
        assert not verdict.against
        assert verdict.because == (
            "FIDE 2300: ratings of 2200 and up are updated automatically. "
            "US resident, included by the office."
        )

    def test_membership_and_games_of_a_merged_number_count(self):
        store_list({FIDE_ID: (2300, 0, "USA")})
        kept = member(ratings={}, member_until=date(2001, 1, 1))
        old = make_player(ratings={"OTBR": (2250.0, 40)})
        type(old).objects.filter(pk=old.pk).update(status="duplicate", merged_into=kept)
        Membership.objects.filter(player=kept).delete()
        assert not verdict_of(entered(kept)).against

    @pytest.mark.parametrize("members", [2, 6])
    def test_queries_do_not_grow_with_the_results(
        self, django_assert_num_queries, members
    ):
        staff = foreign_staff()
        event = make_event(staff)
        for number in range(members):
            player = make_player(fide_id=str(100 + number))
            make_result(staff, player, [(2300, 2)], event=event)
        results = ForeignResult.objects.select_related("event", "player")
        with django_assert_num_queries(6):
            verdicts(list(results))
