"""The office's and the public pages of rerates."""

import re
from datetime import date

import pytest
from django.contrib.auth.models import Group, Permission
from django.urls import reverse
from django.utils import timezone

from events.models import Section
from events.review.groups import OFFICE
from ratings.models import Run, RunDifference
from ratings.rerates.queries import SHOWN, largest_differences, revisions_of
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import (
    make_player,
    make_staff,
    make_td,
    make_user,
)
from tests.ratings.rerates.factories import play, ratings

pytestmark = pytest.mark.django_db

MAY = date(2024, 5, 4)
ACTIONS = ("start_rerate", "publish_rerate", "undo_rerate")


def office_with_a_late_event(players: int = 4):
    """Two events of established players, the earlier one reported last."""
    td = make_td()
    members = [
        make_player(
            given_name=f"Given{number}",
            family_name=f"Family{number}",
            ratings={"OTBR": (1500.0 + 150 * number % 700, 9 + 5 * number)},
        )
        for number in range(players)
    ]
    play(td, members, ends=MAY, name="May Open")
    play(td, members[::-1], ends=date(2024, 3, 9), name="March Open")
    return members


def staff_client(client, *acts: str):
    user = make_staff()
    user.user_permissions.add(*Permission.objects.filter(codename__in=acts))
    client.force_login(user)
    return client


def ready() -> Run:
    run = start_rerate(actor=None, reason="Weekly.")
    run_due_jobs()
    run.refresh_from_db()
    return run


def published() -> Run:
    return publish_rerate(run_id=ready().pk, actor=None, reason="Good.")


def test_office_starts_judges_and_publishes_a_rerate(client):
    office_with_a_late_event()
    staff_client(client, *ACTIONS)
    page = client.get(reverse("ratings:office_rerates")).content.decode()
    assert "March Open, section 1 was reported after later events" in page
    answer = client.post(
        reverse("ratings:office_rerates"), {"begin": "marks", "reason": "Weekly."}
    )
    run = Run.objects.get(kind="rerate")
    address = reverse("ratings:office_rerate", args=[run.pk])
    assert answer["Location"] == address
    assert "Waiting to start" in client.get(address).content.decode()
    run_due_jobs()
    page = client.get(address).content.decode()
    assert "Ready to publish" in page
    assert "Sections with the largest changes" in page
    assert page.count("passed") == 7
    for sentence in (
        "No rating is below 100.",
        "No player loses games, except by an adjustment.",
        "Each rating continues from the previous one.",
        "A player with no rating before starts unrated.",
        "Nothing withdrawn or excluded is rated.",
        "Stored ratings match the calculated ones.",
    ):
        assert sentence in page
    before = ratings()
    form = client.get(publishing_link(page))
    assert "Publish: Rerate" in form.content.decode()
    said = {"reason": "Looks right.", **hidden(form)}
    answer = client.post(form.request["PATH_INFO"], said, follow=True)
    assert "Approved. The new ratings will be current" in answer.content.decode()
    run_due_jobs()
    assert ratings() != before
    run.refresh_from_db()
    assert run.publish_reason == "Looks right."
    undo = reverse("ratings:rerate_act", args=[run.pk, "undo"])
    answer = client.post(undo, {"reason": "A wrong file."}, follow=True)
    said = answer.content.decode()
    assert "Undoing. The earlier ratings will be current shortly." in said
    assert "Undoing. The earlier ratings" in said
    assert "“A wrong file.”" in said
    assert f"/{run.pk}/undo/" not in said
    assert ratings() != before
    poll = reverse("ratings:rerate_progress", args=[run.pk])
    assert "HX-Refresh" not in client.get(poll)
    run_due_jobs()
    assert ratings() == before
    assert client.get(poll)["HX-Refresh"] == "true"


def publishing_link(page: str) -> str:
    """The link from the run's page to the publishing form."""
    [link] = re.findall(r'href="(/office/rerates/[0-9]+/publish/[^"]*)"', page)
    return link


def hidden(form) -> dict:
    """The form's hidden fields without the CSRF token."""
    return dict(
        re.findall(
            r'<input type="hidden" name="(shown_pass)" value="([^"]*)"',
            form.content.decode(),
        )
    )


def test_who_publishes_a_preview_that_has_changed_sees_the_new_one(client):
    members = office_with_a_late_event()
    run = ready()
    staff_client(client, *ACTIONS)
    address = reverse("ratings:office_rerate", args=[run.pk])
    form = client.get(publishing_link(client.get(address).content.decode()))
    assert hidden(form) == {"shown_pass": "1"}
    play(make_td(), members, ends=date(2024, 2, 3), name="February Open")
    before, said = ratings(), {"reason": "Looks right.", **hidden(form)}
    answer = client.post(form.request["PATH_INFO"], said, follow=True)
    run_due_jobs()
    answer = client.get(address)
    assert "1 report has arrived since" in _plain(answer)
    assert "Review it again, then publish." in _plain(answer)
    assert ratings() == before
    # The form that stayed open still has the pass that it showed.
    answer = client.post(form.request["PATH_INFO"], said)
    assert answer.status_code == 422
    assert "The preview has changed since you opened it." in _plain(answer)
    assert ratings() == before
    # The typed text is there, and the form has the pass of the current preview.
    assert answer.context["form"]["reason"].value() == "Looks right."
    assert hidden(answer) == {"shown_pass": "2"}
    said = {"reason": "Looks right.", **hidden(answer)}
    client.post(form.request["PATH_INFO"], said)
    run_due_jobs()
    assert ratings() != before


@pytest.mark.parametrize("shown", ["", "٣", "-1", "two"])
def test_publishing_requires_the_preview_version(client, shown):
    office_with_a_late_event()
    run = ready()
    staff_client(client, *ACTIONS)
    publish = reverse("ratings:rerate_act", args=[run.pk, "publish"])
    before = ratings()
    answer = client.post(publish, {"reason": "Good.", "shown_pass": shown})
    assert answer.status_code == 422
    assert "There is 1 problem to fix." in _plain(answer)
    assert ratings() == before


def test_run_with_a_failing_check_shows_no_way_to_publish_it(client):
    office_with_a_late_event()
    run = ready()
    staff_client(client, *ACTIONS)
    address = reverse("ratings:office_rerate", args=[run.pk])
    assert "can’t be published" not in client.get(address).content.decode()
    run.summary["invariants"][0]["faults"] = 1200
    run.save()
    answer = client.get(address)
    assert "can’t be published" in answer.content.decode()
    assert "“No rating is below 100.” failed 1,200 times." in _plain(answer)
    assert "/publish/" not in answer.content.decode()
    assert "/discard/" in answer.content.decode()
    publish = reverse("ratings:rerate_act", args=[run.pk, "publish"])
    before = ratings()
    answer = client.post(publish, {"reason": "All the same.", "shown_pass": "1"})
    assert answer.status_code == 422
    assert "“No rating is below 100.” failed 1,200 times." in _plain(answer)
    assert ratings() == before


def test_second_rerate_is_refused_in_a_sentence(client):
    office_with_a_late_event()
    staff_client(client, *ACTIONS)
    start_rerate(actor=None, reason="One.")
    answer = client.post(
        reverse("ratings:office_rerates"), {"begin": "nothing", "reason": "Two."}
    )
    assert answer.status_code == 422
    assert "is waiting to start. Publish or discard it first." in _plain(answer)


def _plain(answer) -> str:
    return " ".join(answer.content.decode().split())


def test_day_has_to_be_named(client):
    staff_client(client, *ACTIONS)
    answer = client.post(
        reverse("ratings:office_rerates"), {"begin": "day", "reason": "From May."}
    )
    assert answer.status_code == 422
    assert "Enter a start date." in answer.content.decode()


def test_every_action_needs_its_own_permission(client):
    office_with_a_late_event()
    run = ready()
    before = ratings()
    staff = make_user(is_staff=True)
    group = Group.objects.get(name=OFFICE)
    group.permissions.remove(*Permission.objects.filter(codename__in=ACTIONS))
    staff.groups.add(group)
    client.force_login(staff)
    publish = reverse("ratings:rerate_act", args=[run.pk, "publish"])
    answer = client.post(publish, {"reason": "Mine.", "shown_pass": "1"})
    assert answer.status_code == 403
    assert "publish or discard a rerate" in answer.content.decode()
    assert ratings() == before


def test_strangers_see_no_page_of_the_office(client):
    office_with_a_late_event()
    run = ready()
    client.force_login(make_user())
    for address in (
        reverse("ratings:office_rerates"),
        reverse("ratings:office_rerate", args=[run.pk]),
        reverse("ratings:rerate_progress", args=[run.pk]),
    ):
        assert client.get(address).status_code == 403


def test_changes_of_a_published_rerate_are_public(client):
    members = office_with_a_late_event()
    before = ratings()
    run = published()
    page = client.get(reverse("ratings:rerate", args=[run.pk])).content.decode()
    assert "March Open, section 1 was reported after later events" in page
    late = Section.objects.get(event__name="March Open")
    assert f'<a href="{late.get_absolute_url()}">Crosstable</a>' in page
    changed = [
        key
        for key, row in ratings().items()
        if int(row["rating"] + 0.5) != int(before[key]["rating"] + 0.5)
    ]
    assert changed
    for member_id, _ in changed:
        address = reverse("ratings:rerate_player", args=[run.pk, member_id])
        assert address in page
    player = next(one for one in members if one.member_id == changed[0][0])
    revision = revisions_of(player)[0]
    assert (revision.run, revision.system) == (run, "OTBR")
    assert revision.before == int(before[changed[0]]["rating"] + 0.5)
    assert revision.after == int(ratings()[changed[0]]["rating"] + 0.5)
    assert revision.causes == [
        "March Open, section 1 was reported after later events had been rated."
    ]
    page = client.get(
        reverse("ratings:rerate_player", args=[run.pk, player.member_id])
    ).content.decode()
    assert "May Open, section 1" in page
    assert "March Open, section 1" in page
    whole = f"{int(revision.after + 0.5)}"
    assert whole in page
    assert f"{revision.after:.2f}" not in page


def test_unpublished_rerate_is_private(client):
    office_with_a_late_event()
    run = ready()
    assert client.get(reverse("ratings:rerate", args=[run.pk])).status_code == 404


@pytest.mark.parametrize("players", [4, 14])
def test_pages_take_the_same_queries_at_any_size(
    client, django_assert_max_num_queries, players
):
    members = office_with_a_late_event(players)
    run = published()
    with django_assert_max_num_queries(7):
        client.get(reverse("ratings:rerate", args=[run.pk]))
    with django_assert_max_num_queries(8):
        client.get(
            reverse("ratings:rerate_player", args=[run.pk, members[0].member_id])
        )
    staff_client(client, *ACTIONS)
    with django_assert_max_num_queries(16):
        client.get(reverse("ratings:office_rerate", args=[run.pk]))
    with django_assert_max_num_queries(16):
        client.get(reverse("ratings:office_rerates"))
    with django_assert_max_num_queries(4):
        revisions_of(members[0])


@pytest.mark.parametrize("number", [1, 3])
def test_published_rerates_are_public(client, django_assert_num_queries, number):
    office_with_a_late_event()
    runs = [published()]
    for _ in range(number - 1):
        run = start_rerate(actor=None, reason="Once more.", whole_history=True)
        run_due_jobs()
        runs.append(publish_rerate(run_id=run.pk, actor=None, reason="Good."))
    unseen = start_rerate(actor=None, reason="Not yet seen.", whole_history=True)
    with django_assert_num_queries(2):
        page = client.get(reverse("ratings:rerates")).content.decode()
    places = [page.index(f'href="/rerates/{run.pk}/"') for run in reversed(runs)]
    assert places == sorted(places)
    assert f'href="/rerates/{unseen.pk}/"' not in page
    assert (
        "May 4, 2024" not in page
    )  # from the earliest pending rerate, not the later event
    assert "Mar 9, 2024" in page


def test_without_a_published_rerate_the_page_says_what_will_stand_there(client):
    page = client.get(reverse("ratings:rerates")).content.decode()
    assert "No rerates have been published yet." in page


def test_largest_differences_end_with_those_that_are_about():
    """A number published to the nearest 50 has no change."""
    said = {"status": "published", "publish_reason": "Looked at."}
    run, few = (
        Run.objects.create(kind="rerate", published_at=timezone.now(), **said)
        for _ in range(2)
    )
    child = make_player()
    others = [make_player(ratings={"OTBR": (1500.0, 40)}) for _ in range(2 * SHOWN)]
    moves = {child: 300.0, **{one: 10.4 + n for n, one in enumerate(others)}}
    for player, points in moves.items():
        moved = {"before": 1500.0, "after": 1500.0 - points}
        if player is child:
            moved["before_age_start"] = 1500.0
        RunDifference.objects.create(run=run, player=player, system="OTBR", **moved)
        if player in (child, *others[:2]):
            RunDifference.objects.create(run=few, player=player, system="OTBR", **moved)
    newcomer = make_player()
    RunDifference.objects.create(
        run=run, player=newcomer, system="OTBR", before=None, after=1900.0
    )
    found = largest_differences(run)
    assert [one.player for one in found] == others[::-1][:SHOWN]
    assert [one.difference for one in found[:2]] == [-69, -68]
    assert [one.difference for one in largest_differences(few)] == [-11, -10, None]


def test_published_rerates_sort_and_download(client):
    office_with_a_late_event()
    run = published()
    summary = {"sections": {"count": 9}, "whole_changes": 0}
    other = Run.objects.create(
        kind="rerate",
        published_at=run.published_at,
        publish_reason="Good.",
        summary=summary,
    )

    def sent(query: str) -> list[list[str]]:
        response = client.get(f"/rerates/?format=csv&{query}")
        rows = b"".join(response.streaming_content).decode().splitlines()[1:]
        return [row.split(",") for row in rows]

    assert [row[0] for row in sent("sort=-sections")] == [str(other.pk), str(run.pk)]
    rows = sent("sort=-changes")
    assert [row[0] for row in rows] == [str(run.pk), str(other.pk)]
    changes = str(run.summary["whole_changes"])
    assert rows[0][3:5] == [str(run.summary["sections"]["count"]), changes]
    page = client.get("/rerates/?sort=from_day").content.decode()
    assert page.index(f"/rerates/{other.pk}/") < page.index(f"/rerates/{run.pk}/")
    assert "the start" in page
