"""Floors and ceilings are granted with reason, audit entry and pending rerate."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from events.models import Section
from ratings.decisions.floors.queries.records import pending_approvals_for
from ratings.decisions.floors.services import money
from ratings.decisions.floors.services.floors import (
    end_ceiling,
    end_floor,
    impose_ceiling,
    propose_office_floor,
)
from ratings.decisions.floors.services.money import money_proposal, propose_money_floor
from ratings.decisions.floors.services.validation import FloorRefused
from ratings.engine.rules import rules_in_force
from ratings.models import Ceiling, Floor, RerateMark
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.approvals.kinds import ApprovalRefused
from ratings_site.common.approvals.services import approve
from ratings_site.common.audit.services import entries_about
from ratings_site.common.models import PendingAct
from tests.factories import (
    END,
    START,
    event_report,
    make_player,
    make_td,
    rated_event,
    rated_section,
    section_report,
    swiss_rows,
)
from tests.ratings.decisions.floors.factories import (
    CEILING,
    GRANT,
    clerk,
    granted_floor,
    staff_with_permissions,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def grant(player, **changes):
    facts = {"system": "OTBR", "level": 1400, "starts": END}
    return granted_floor(player_id=player.pk, **facts | changes)


def marks() -> list[tuple]:
    return list(RerateMark.objects.values_list("kind", "from_day", "player__member_id"))


def test_office_floor_keeps_who_decided_and_why():
    player, actor = (
        make_player(ratings={"OTBR": (1500.0, 30)}),
        staff_with_permissions(GRANT),
    )
    floor = grant(player, actor=actor, evidence="Letter of 3 May.")
    stored = Floor.objects.get()
    assert stored == floor
    assert (stored.kind, stored.level, stored.starts, stored.ends) == (
        "office",
        1400,
        END,
        None,
    )
    assert (stored.granted_by, stored.evidence) == (actor, "Letter of 3 May.")
    [entry] = entries_about(floor)
    assert (entry.action, entry.actor, entry.reason) == (
        "floor.granted",
        stored.approved_by,
        "A ruling.",
    )


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"level": 1250}, "Enter a floor in steps of 100, such as 1200 or"),
        ({"level": 2300}, "between 100 and 2200"),
        ({"level": 50}, "between 100 and 2200"),
        ({"starts": date(2999, 1, 1)}, "The first day must be today or"),
        ({"reason": "  "}, "blank"),
        ({"ends": END - DAY}, "floor_ends_after_it_starts"),
        ({"system": "OTBX"}, "OTBX"),
    ],
)
def test_floor_that_breaks_a_rule_is_refused_with_the_rule(changes, rule):
    player = make_player(ratings={"OTBR": (1500.0, 30)})
    with pytest.raises(FloorRefused, match=rule):
        grant(player, **changes)
    assert not Floor.objects.exists()
    assert not RerateMark.objects.exists()


@pytest.mark.parametrize(
    ("rating", "level"), [(200.0, 150), (1500.0, 1400), (1500.0, 2200)]
)
def test_floor_at_a_level_of_the_rules_is_granted(rating, level):
    player = make_player(ratings={"OTBR": (rating, 5)})
    assert grant(player, level=level).level == level


@pytest.mark.parametrize("level", [1300, 1200])
def test_floor_that_changes_nothing_is_refused_and_says_so(level):
    """A peak of 1500 already gives a floor of 1300."""
    player = make_player(ratings={"OTBR": (1500.0, 30)})
    with pytest.raises(
        FloorRefused, match=r"has no effect: .* had a floor of 1300 from"
    ):
        grant(player, level=level)


def test_floor_needs_second_approval_and_is_checked_again():
    player, first = (
        make_player(ratings={"OTBR": (1500.0, 30)}),
        staff_with_permissions(GRANT),
    )
    said = {"player_id": player.pk, "system": "OTBR", "starts": END, "reason": "So."}
    act = propose_office_floor(level=1400, actor=first, **said)
    assert not Floor.objects.exists()
    with pytest.raises(
        ApprovalRefused, match="You proposed this, so another person must approve it"
    ):
        approve(act_id=act.pk, actor=first)
    grant(player, level=1400, evidence="A letter.")
    with pytest.raises(FloorRefused, match="already has this floor"):
        approve(act_id=act.pk, actor=staff_with_permissions(GRANT))
    assert Floor.objects.count() == 1


@pytest.mark.parametrize(
    ("starts", "expected"), [(END, 1), (END + DAY, 0), (START - 30 * DAY, 1)]
)
def test_floor_creates_a_pending_rerate_if_rated_on_or_after_its_day(starts, expected):
    section = rated_section()
    player = section.entries.first().player
    grant(player, starts=starts)
    assert marks() == [("floor", starts, player.member_id)] * expected


def test_floor_in_another_system_creates_no_pending_rerate():
    player = rated_section().entries.first().player
    grant(player, system="OTBB")
    assert marks() == []


def test_granting_and_imposing_require_the_permission():
    player, nobody = make_player(ratings={"OTBR": (1500.0, 30)}), clerk()
    facts = {"player_id": player.pk, "system": "OTBR", "starts": END, "reason": "So."}
    with pytest.raises(NotAllowed):
        propose_office_floor(level=1400, actor=nobody, **facts)
    with pytest.raises(NotAllowed):
        impose_ceiling(level=1600, actor=nobody, **facts)
    assert not Floor.objects.exists()
    assert not Ceiling.objects.exists()


def test_ended_floor_applies_to_its_last_day_and_stays_on_record():
    section = rated_section()
    player, actor = section.entries.first().player, staff_with_permissions(GRANT)
    floor = grant(player, starts=START - DAY, actor=actor)
    RerateMark.objects.all().delete()

    end_floor(floor_id=floor.pk, ends=START, reason="Lost on appeal.", actor=actor)

    floor.refresh_from_db()
    assert [floor.is_in_force_on(START + n * DAY) for n in (-2, -1, 0, 1)] == [
        False,
        True,
        True,
        False,
    ]
    assert marks() == [("floor", START + DAY, player.member_id)]
    actions = [entry.action for entry in entries_about(floor).order_by("pk")]
    assert actions == ["floor.granted", "floor.ended"]
    with pytest.raises(FloorRefused, match="already"):
        end_floor(floor_id=floor.pk, ends=END, reason="Again.", actor=actor)


def test_ceiling_is_imposed_and_ended_by_the_executive_director():
    section = rated_section()
    player, director = section.entries.first().player, staff_with_permissions(CEILING)
    ceiling = impose_ceiling(
        player_id=player.pk,
        system="OTBR",
        level=1490,
        starts=END,
        reason="Results under review.",
        actor=director,
    )
    assert (ceiling.level, ceiling.imposed_by) == (1490, director)
    end_ceiling(ceiling_id=ceiling.pk, ends=END, reason="Cleared.", actor=director)
    ceiling.refresh_from_db()
    assert ceiling.ends == END
    # Nothing has been rated since the day after its last one.
    assert marks() == [("ceiling", END, player.member_id)]
    actions = [entry.action for entry in entries_about(ceiling).order_by("pk")]
    assert actions == ["ceiling.imposed", "ceiling.ended"]


# --- Money floors ---


def prize_section(**changes) -> Section:
    """A dual-rated section that ends a day before its event."""
    ratings = changes.pop("ratings", {"OTBR": (1700.0, 40), "OTBQ": (1650.0, 40)})
    players = [make_player(ratings=ratings) for _ in range(4)]
    rows = swiss_rows(4, 3)
    section = section_report(
        players, rows, time_control="G/60;d5", starts=START, ends=START
    )
    return rate(section, **changes)


def rate(section, **event) -> Section:
    td = make_td()
    return rated_event(td, event_report(td, [section], **event)).sections.get()


def first_of(section: Section):
    return section.entries.first().player


@pytest.mark.parametrize(
    ("limit", "level"), [(1800, 1800), (1750, 1800), (2000, 2000), (1200, 1200)]
)
def test_limit_of_the_section_or_the_prize_proposes_the_level(limit, level):
    """A U1800 prize in an open makes 1800, and U1750 makes 1800 too (section 5)."""
    section = prize_section()
    proposal = money_proposal(
        player=first_of(section), section=section, prize=4000, limit=limit
    )
    assert (proposal.level, proposal.starts) == (level, END)
    assert [system.value for system in proposal.systems] == ["OTBR", "OTBQ"]


@pytest.mark.parametrize(
    ("prize", "limit", "rule"),
    [
        (3999, 1800, r"4,000 or more set a floor; this one"),
        (4000, 2001, "under-2000 section"),
        (4000, 99, "under-2000 section"),
    ],
)
def test_prize_that_makes_no_floor_is_refused_with_the_rule(prize, limit, rule):
    section = prize_section()
    with pytest.raises(FloorRefused, match=rule):
        money_proposal(
            player=first_of(section), section=section, prize=prize, limit=limit
        )


def test_provisional_player_gets_no_money_floor():
    section = prize_section(ratings={"OTBR": (1700.0, 25), "OTBQ": (1650.0, 10)})
    with pytest.raises(FloorRefused, match="without an established rating"):
        money_proposal(
            player=first_of(section), section=section, prize=4000, limit=1800
        )


def test_floor_is_made_where_the_player_was_established():
    section = prize_section(ratings={"OTBR": (1700.0, 26), "OTBQ": (1650.0, 25)})
    proposal = money_proposal(
        player=first_of(section), section=section, prize=4000, limit=1800
    )
    assert [system.value for system in proposal.systems] == ["OTBR"]
    assert [system.value for system in proposal.left_out] == ["OTBQ"]


def test_a_provisional_rating_gets_the_floor_where_the_rules_do_not_ask(monkeypatch):
    text = rules_in_force(END).vary(money_floor_needs_established=False)
    monkeypatch.setattr(money, "rules_in_force", lambda *_: text)
    section = prize_section(ratings={"OTBR": (1700.0, 26), "OTBQ": (1650.0, 25)})
    proposal = money_proposal(
        player=first_of(section), section=section, prize=4000, limit=1800
    )
    assert [system.value for system in proposal.systems] == ["OTBR", "OTBQ"]
    assert proposal.left_out == ()


def test_who_did_not_play_there_gets_no_money_floor():
    section = prize_section()
    stranger = make_player(ratings={"OTBR": (1700.0, 40)})
    with pytest.raises(FloorRefused, match="no rating from"):
        money_proposal(player=stranger, section=section, prize=4000, limit=1800)


def proposed(section, actor, evidence="The organizer's list.") -> PendingAct:
    return propose_money_floor(
        player_id=first_of(section).pk,
        section_id=section.pk,
        prize=5000,
        limit=1750,
        reason="First prize under 1750.",
        evidence=evidence,
        actor=actor,
    )


def test_money_floor_needs_second_approval_and_begins_at_event_end():
    section = prize_section()
    proposer, second = staff_with_permissions(GRANT), staff_with_permissions(GRANT)
    act = proposed(section, proposer)
    assert not Floor.objects.exists()
    with pytest.raises(
        ApprovalRefused, match="You proposed this, so another person must approve it"
    ):
        approve(act_id=act.pk, actor=proposer)
    assert not Floor.objects.exists()

    floors = approve(act_id=act.pk, actor=second, reason="Checked.")

    assert section.ends == START  # a day before the event's end
    assert [(f.system, f.kind, f.level, f.starts) for f in floors] == [
        ("OTBR", "money", 1800, END),
        ("OTBQ", "money", 1800, END),
    ]
    floor = Floor.objects.get(system="OTBQ")
    assert (floor.section, floor.prize, floor.prize_limit) == (section, 5000, 1750)
    assert (floor.granted_by, floor.approved_by) == (proposer, second)
    assert (floor.reason, floor.evidence) == (
        "First prize under 1750.",
        "The organizer's list.",
    )


def granted_money_floors(section) -> list[Floor]:
    act = proposed(section, staff_with_permissions(GRANT))
    return approve(act_id=act.pk, actor=staff_with_permissions(GRANT))


def test_money_floor_ends_after_second_approval():
    section = prize_section()
    floor, _ = granted_money_floors(section)
    proposer, second = staff_with_permissions(GRANT), staff_with_permissions(GRANT)
    last = END + 30 * DAY
    act = end_floor(floor_id=floor.pk, ends=last, reason="Paid back.", actor=proposer)
    assert isinstance(act, PendingAct)
    assert act.title == (
        f"End the Regular money floor 1800 of {first_of(section)} after Jun 4, 2024"
    )
    assert act in pending_approvals_for(first_of(section))
    floor.refresh_from_db()
    assert floor.ends is None
    with pytest.raises(
        ApprovalRefused, match="You proposed this, so another person must approve it"
    ):
        approve(act_id=act.pk, actor=proposer)
    floor.refresh_from_db()
    assert floor.ends is None

    approve(act_id=act.pk, actor=second)

    floor.refresh_from_db()
    assert floor.ends == last
    entry = entries_about(floor).order_by("-pk").first()
    assert (entry.action, entry.actor, entry.reason) == (
        "floor.ended",
        second,
        "Paid back.",
    )
    with pytest.raises(FloorRefused, match="already ends on Jun 4, 2024"):
        end_floor(floor_id=floor.pk, ends=last, reason="Again.", actor=proposer)


def test_end_of_a_money_floor_is_looked_at_before_it_is_proposed():
    floor, _ = granted_money_floors(prize_section())
    actor = staff_with_permissions(GRANT)
    for ends, reason, rule in (
        (END, " ", "Enter a reason"),
        (END - DAY, "Paid back.", "floor_ends_after_it_starts"),
    ):
        with pytest.raises(FloorRefused, match=rule):
            end_floor(floor_id=floor.pk, ends=ends, reason=reason, actor=actor)
    assert not PendingAct.objects.filter(kind="floors.end_money").exists()


def test_prize_reported_late_creates_a_pending_rerate():
    section = prize_section()
    player = first_of(section)
    later = [player, make_player(ratings={"OTBR": (1700.0, 40)})]
    rows = swiss_rows(2, 1)
    day = END + 60 * DAY
    rate(section_report(later, rows), starts=day, ends=day)
    act = proposed(section, staff_with_permissions(GRANT))
    approve(act_id=act.pk, actor=staff_with_permissions(GRANT))
    assert marks() == [("floor", END, player.member_id)]  # Regular only


def test_same_prize_makes_one_floor():
    section, actor = prize_section(), staff_with_permissions(GRANT)
    first, second = proposed(section, actor), proposed(section, actor, "A letter.")
    with pytest.raises(
        ApprovalRefused,
        match="This is already proposed and is awaiting a second approval",
    ):
        proposed(section, actor)
    approve(act_id=first.pk, actor=staff_with_permissions(GRANT))
    with pytest.raises(FloorRefused, match="already"):
        proposed(section, actor)
    with pytest.raises(FloorRefused, match="already"):
        approve(act_id=second.pk, actor=staff_with_permissions(GRANT))
    assert Floor.objects.count() == 2
    second.refresh_from_db()
    assert second.status == PendingAct.Status.WAITING


def test_today_is_not_still_to_come():
    player = make_player(ratings={"OTBR": (1500.0, 30)})
    assert grant(player, starts=timezone.localdate()).starts == timezone.localdate()
