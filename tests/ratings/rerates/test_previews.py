"""Confirmation pages of rerates: their previews, and the results of the actions."""

import re
from datetime import date

import pytest
from django.contrib.auth.models import Group, Permission
from django.urls import reverse

from events.review.groups import OFFICE
from ratings.models import RerateMark, Run
from ratings.rerates.pages import (
    preview_discard,
    preview_publish,
    preview_start,
    preview_undo,
)
from ratings.rerates.services.change_summary import ChangeSummary
from ratings.rerates.services.publishing import discard_rerate, publish_rerate
from ratings.rerates.services.rating_differences import (
    ProjectedRating,
    RatingDifference,
)
from ratings.rerates.services.start import start_rerate
from ratings.rerates.services.undo import undo_rerate
from tests.factories import make_td, make_user
from tests.ratings.lists.helpers import published as published_list
from tests.ratings.rerates.factories import play, ratings, undo_published
from tests.ratings.rerates.test_pages import (
    ACTIONS,
    office_with_a_late_event,
    published,
    ready,
    staff_client,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def root():
    return make_user(is_superuser=True, is_staff=True)


def codes(effects) -> list[str]:
    return [effect.code for effect in effects]


def said(effects, code: str) -> str:
    [sentence] = [effect.sentence for effect in effects if effect.code == code]
    return sentence


def number_in(effects, code: str) -> int:
    return int(re.findall(r"[0-9,]+", said(effects, code))[0].replace(",", ""))


def moves(before: dict, after: dict) -> dict[str, list[int]]:
    """Return by system the whole points by which ratings moved."""
    found: dict[str, list[int]] = {}
    for (member, system), row in before.items():
        old, new = (int(one["rating"] + 0.5) for one in (row, after[member, system]))
        if old != new:
            found.setdefault(system, []).append(new - old)
    return found


def test_starting_says_from_when_and_that_no_rating_changes(root):
    office_with_a_late_event()
    before = ratings()
    effects = preview_start(root)
    assert codes(effects) == [
        "from",
        "sections",
        "shadow",
        "preview",
        "one_at_a_time",
        "alone",
    ]
    assert "1 pending rerate: history is replayed from Mar 9, 2024" in said(
        effects, "from"
    )
    run = ready()
    assert run.from_day == date(2024, 3, 9)
    assert number_in(effects, "sections") == 2
    assert ratings() == before


def test_starting_without_pending_rerates_and_with_automatic_publishing(root, settings):
    settings.RERATE_AUTO_PUBLISH_UP_TO = 12
    effects = preview_start(root)
    assert codes(effects)[:3] == ["no_mark", "shadow", "publishes_itself"]
    assert number_in(effects, "publishes_itself") == 12


def test_publishing_previews_its_effects(root):
    office_with_a_late_event(8)
    before, run = ratings(), ready()
    effects = preview_publish(run, root)
    assert codes(effects) == [
        "ratings",
        "members",
        "gain",
        "loss",
        "sections",
        "marks",
        "told",
        "undo",
        "alone",
    ]
    run = publish_rerate(run_id=run.pk, actor=root, reason="Good.")
    moved = moves(before, ratings())
    [(system, points)] = moved.items()
    assert system == "OTBR"
    assert said(effects, "ratings") == (
        f"{len(points)} ratings change by a whole point or more: "
        f"Regular ({len(points)})."
    )
    assert f"+{max(points)} (" in said(effects, "gain")
    assert f"−{-min(points)} (" in said(effects, "loss")
    assert number_in(effects, "marks") == run.marks.count() == 1


def test_publishing_warns_of_what_has_arrived_and_names_lists(root):
    members = office_with_a_late_event()
    published_list()
    run = ready()
    play(make_td(), members, ends=date(2024, 2, 3), name="February Open")
    effects = preview_publish(run, root)
    assert codes(effects)[0] == "news"
    assert "lists" in codes(effects)
    assert number_in(effects, "marks") == 2


def test_counts_tell_gains_from_losses():
    day = date(2024, 5, 4).toordinal()

    def standing(rating: float, floor: float) -> ProjectedRating:
        return ProjectedRating(
            **(
                dict.fromkeys(ProjectedRating._fields, 0)
                | {"rating": rating, "floor": floor, "rated_on": day}
            )
        )

    effects = ChangeSummary()
    for number, (old, new) in enumerate(
        [
            ((1990.0, 1700), (2010.0, 1800)),  # a class and a floor gained
            ((2005.0, 1800), (1995.0, 1700)),  # both lost
            ((1405.0, 1200), (1395.0, 1200)),  # a class lost
            ((1500.0, 1200), (1531.0, 1200)),
        ]
    ):
        effects.count(
            RatingDifference(number, number, "OTBR", standing(*old), standing(*new))
        )
    summary = effects.as_json()
    assert (summary["classes"]["count"], summary["classes"]["higher"]) == (3, 1)
    assert (summary["floors"]["count"], summary["floors"]["higher"]) == (2, 1)
    assert summary["largest"]["gain"]["player"] == 3
    assert summary["largest"]["loss"]["player"] == 1


def test_discarding_says_that_pending_rerates_stay(root):
    office_with_a_late_event()
    before, run = ratings(), ready()
    effects = preview_discard(run, root)
    assert codes(effects) == ["no_change", "marks", "final", "alone"]
    assert "1 pending rerate remains" in said(effects, "marks")
    assert "history from Mar 9, 2024" in said(effects, "marks")
    discard_rerate(run_id=run.pk, actor=root, reason="Too early.")
    assert ratings() == before
    assert RerateMark.objects.filter(run=None).count() == 1


def test_undoing_says_what_goes_back_and_what_stays(root):
    members = office_with_a_late_event()
    run = published()
    effects = preview_undo(run, root)
    assert codes(effects) == ["ratings", "members", "marks", "told", "final", "alone"]
    rerated = ratings()
    play(make_td(), members[:2], ends=date(2024, 6, 1), name="June Open", rounds=1)
    effects = preview_undo(run, root)
    assert codes(effects)[2:5] == ["marks", "rated_since", "mark"]
    assert number_in(effects, "rated_since") == 1
    undo_published(run, root)
    [mark] = RerateMark.objects.filter(kind="undo")
    assert "adds a pending rerate from Jun 1, 2024" in said(effects, "mark")
    assert mark.from_day == date(2024, 6, 1)
    assert "history from Mar 9, 2024" in said(effects, "mark")
    after = ratings()
    stayed = {members[0].member_id, members[1].member_id}
    back = moves(
        {key: row for key, row in rerated.items() if key[0] not in stayed}, after
    )
    assert back
    assert number_in(effects, "ratings") >= sum(map(len, back.values()))


def test_undoing_under_a_published_list_needs_second_approval(root):
    office_with_a_late_event()
    before = ratings()
    run = published()
    effects = preview_undo(run, root)
    moved = moves(before, ratings())
    assert number_in(effects, "ratings") == sum(map(len, moved.values()))
    published_list()
    effects = preview_undo(run, root)
    assert codes(effects)[-2:] == ["list", "second_person"]
    assert "no one else has permission" in effects[-1].sentence
    other = make_user(username="vera", is_superuser=True, is_staff=True)
    assert f"Can be approved by: {other}." in preview_undo(run, root)[-1].sentence
    act = undo_rerate(run_id=run.pk, actor=root, reason="A wrong file.")
    assert act.status == "waiting"


def without(client, *taken: str):
    """Sign in office staff without some permissions."""
    group = Group.objects.get(name=OFFICE)
    group.permissions.remove(*Permission.objects.filter(codename__in=ACTIONS))
    staff_client(client, *(act for act in ACTIONS if act not in taken))


@pytest.mark.parametrize(
    ("act", "permission"),
    [
        ("publish", "publish_rerate"),
        ("discard", "publish_rerate"),
        ("undo", "undo_rerate"),
    ],
)
def test_forbidden_action_is_not_offered(client, act, permission):
    office_with_a_late_event()
    run = published() if act == "undo" else ready()
    without(client, permission)
    make_user(username="vera", is_superuser=True, is_staff=True)
    page = client.get(reverse("ratings:office_rerate", args=[run.pk]))
    assert f"/{act}/" not in page.content.decode()
    assert "Who can do this: vera." in page.content.decode()
    page = client.get(reverse("ratings:rerate_act", args=[run.pk, act]))
    assert "What will happen" in page.content.decode()
    assert "Who can do this: vera." in page.content.decode()
    assert 'name="reason"' not in page.content.decode()


@pytest.mark.parametrize("act", ["publish", "discard", "retry", "undo"])
def test_refusal_keeps_what_was_typed(client, act):
    """The permission was revoked while the form was open."""
    office_with_a_late_event()
    run = published() if act == "undo" else ready()
    if act == "retry":
        Run.objects.filter(pk=run.pk).update(status="failed")
    without(client, *ACTIONS)
    answer = client.post(
        reverse("ratings:rerate_act", args=[run.pk, act]),
        {"reason": "Typed with care.", "shown_pass": run.pass_number},
    )
    assert answer.status_code == 403
    assert ">\nTyped with care.</textarea>" in answer.content.decode()
    assert "needs the permission" in answer.content.decode()


def test_start_that_is_refused_keeps_what_was_typed(client):
    office_with_a_late_event()
    without(client, *ACTIONS)
    start = reverse("ratings:office_rerates")
    assert 'name="reason"' not in client.get(start).content.decode()
    form = {"begin": "marks", "reason": "Typed with care."}
    answer = client.post(start, form)
    assert answer.status_code == 403
    assert ">\nTyped with care.</textarea>" in answer.content.decode()
    staff_client(client, *ACTIONS)
    start_rerate(actor=None, reason="Quicker.")
    answer = client.post(start, form)
    assert answer.status_code == 422
    assert ">\nTyped with care.</textarea>" in answer.content.decode()


def test_run_that_was_closed_meanwhile_says_so(client):
    office_with_a_late_event()
    run = ready()
    staff_client(client, *ACTIONS)
    publish = reverse("ratings:rerate_act", args=[run.pk, "publish"])
    discard_rerate(run_id=run.pk, actor=None, reason="Quicker.")
    answer = client.post(publish, {"reason": "Typed with care.", "shown_pass": "1"})
    assert answer.status_code == 422
    assert ">\nTyped with care.</textarea>" in answer.content.decode()
    page = client.get(publish).content.decode()
    assert "You can’t do this now" in page
    assert 'name="reason"' not in page


def test_who_lost_the_whole_office_reads_what_was_written(client):
    office_with_a_late_event()
    run = ready()
    client.force_login(make_user())
    answer = client.post(
        reverse("ratings:rerate_act", args=[run.pk, "discard"]),
        {"reason": "Typed with <care>."},
    )
    assert answer.status_code == 403
    assert "Typed with &lt;care&gt;." in answer.content.decode()
