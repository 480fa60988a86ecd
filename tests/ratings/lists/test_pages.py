"""The pages of official lists: public, and the office's to publish."""

from datetime import UTC, date, datetime

import pytest
import time_machine
from django.contrib.auth.models import Permission

from players.models import Membership, Player
from ratings.lists.pages import preview_publishing
from ratings.lists.services.lists import ListRefused, prepare_list, publish_list
from ratings.lists.tasks import request_publication
from ratings.models import ListDraft, OfficialList, RatingChange, RerateMark
from ratings.rerates.services.start import start_rerate
from ratings_site.common.approvals.kinds import second_approval_permissions
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, Office, PendingAct
from tests.factories import make_player, make_staff, make_user
from tests.ratings.lists.helpers import (
    AFTER,
    BEFORE,
    JULY,
    JUNE,
    line_of,
    make_publisher,
    published,
    published_rerate,
)
from tests.response_text import contains_number, is_not_found

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


def some(number: int):
    return [
        make_player(
            f"{30000001 + place}",
            family_name=f"Name{place}",
            ratings={"OTBR": (1500.0 + 10 * place, 30)},
        )
        for place in range(number)
    ]


# Public pages


@pytest.mark.parametrize("players", [2, 20])
@pytest.mark.parametrize(
    ("path", "queries"),
    [
        ("/lists/2024-06/", 3),
        ("/lists/2024-06/?revised=1", 6),
        ("/lists/compare/?show=changed", 3),
    ],
)
def test_lists_take_the_same_queries_for_any_size(
    client, django_assert_num_queries, players, path, queries
):
    lines = [line_of(player) for player in some(players)]
    published(JUNE)
    published_rerate({line.pk: line.post_rating + 7 for line in lines})
    published(JULY)

    with django_assert_num_queries(queries):
        response = client.get(path)

    assert response.content.count(b'<th scope="row" class="name">') == players


@pytest.mark.parametrize("lists", [1, 5])
def test_all_lists_take_the_same_queries(client, django_assert_num_queries, lists):
    some(2)
    for month in range(lists):
        published(date(2024, month + 1, 1))

    with django_assert_num_queries(4):
        page = client.get("/lists/").content.decode()

    assert page.count('.csv"') == page.count('.dbf"') == lists
    for official in OfficialList.objects.all():
        for file in official.files.all():
            assert file.sha256 in page


def test_file_of_lists_has_the_days_of_the_page(client, monkeypatch):
    with time_machine.travel(datetime(2026, 12, 2, 1, 30, tzinfo=UTC), tick=False):
        some(2)
        published(JUNE)
    central = Office(name="A federation", time_zone="America/Chicago")
    monkeypatch.setattr(Office, "current", central)
    assert "Dec 1, 2026" in client.get("/lists/").content.decode()
    sent = client.get("/lists/?format=csv")
    assert ",2026-12-01" in b"".join(sent.streaming_content).decode()


def test_list_shows_the_published_number_and_on_demand_the_revised_one(client):
    player = some(1)[0]
    published(JUNE)
    run = published_rerate({line_of(player).pk: 1444.0})

    plain = client.get("/lists/2024-06/").content.decode()
    assert ">1500<" in plain
    assert not contains_number(plain, 1444)

    revised = client.get("/lists/2024-06/?revised=1").content.decode()
    assert ">1500<" in revised
    link = f'<a class="small" href="/rerates/{run.pk}/">rerate {run.pk}</a>'
    assert f"1444 {link}" in revised


def test_other_months_are_not_there(client):
    some(1)
    published(JUNE)
    assert client.get("/lists/2024-07/").status_code == 404
    assert client.get("/lists/2024-13/").status_code == 404
    assert client.get("/lists/0000-01/").status_code == 404


# The office


@pytest.fixture
def clock():
    with time_machine.travel(BEFORE, tick=False) as clock:
        yield clock


def test_a_list_is_prepared_looked_at_and_published(client, clock):
    some(3)
    publisher = make_publisher()
    clock.move_to(AFTER)
    client.force_login(publisher)
    page = client.get("/office/lists/").content.decode()
    assert "The June 2024 list is due" in page
    assert 'value="2024-06"' in page

    response = client.post("/office/lists/", {"month": "2024-06"})
    assert response["Location"] == "/office/lists/2024-06/"
    waiting = client.get("/office/lists/2024-06/").content.decode()
    assert "The list is being prepared." in waiting
    assert 'hx-get="/office/lists/2024-06/"' in waiting
    fragment = client.get("/office/lists/2024-06/", headers=HTMX)
    assert "<html" not in fragment.content.decode()
    run_due_jobs()
    again = client.get("/office/lists/2024-06/", headers=HTMX)
    assert again["HX-Refresh"] == "true"

    preview = client.get("/office/lists/2024-06/").content.decode()
    assert "Ready to publish" in preview
    assert "3 members whose membership ended on March 1, 2024 or later" in preview
    digest = ListDraft.objects.get().digest
    assert digest in preview

    refused = client.post("/office/lists/2024-06/", {"digest": digest, "reason": ""})
    assert refused.status_code == 422
    assert "For example: monthly list." in refused.content.decode()
    client.post("/office/lists/2024-06/", {"digest": digest, "reason": "June."})
    assert "being published" in client.get("/office/lists/2024-06/").content.decode()
    run_due_jobs()

    official = OfficialList.objects.get()
    assert (official.month, official.published_by, official.reason) == (
        JUNE,
        publisher,
        "June.",
    )
    done = client.get("/office/lists/2024-06/")
    assert done["Location"] == "/lists/2024-06/"
    page = client.get("/office/lists/").content.decode()
    assert "“June.”" in page
    assert "is due" not in page


def test_what_cannot_be_published_says_why(client, clock):
    some(1)
    publisher = make_publisher()
    clock.move_to(AFTER)
    client.force_login(publisher)
    client.post("/office/lists/", {"month": "2024-06"})
    run_due_jobs()

    data = {"digest": "0" * 64, "reason": "Typed with care."}
    answer = client.post("/office/lists/2024-06/", data)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "The list was prepared again after you opened it." in page
    assert ">\nTyped with care.</textarea>" in page
    assert f'value="{ListDraft.objects.get().digest}"' in page
    run_due_jobs()
    assert not OfficialList.objects.exists()


def test_publication_that_fails_at_work_keeps_the_reason(client, clock):
    some(1)
    clock.move_to(AFTER)
    published_by = make_publisher()
    client.force_login(published_by)
    client.post("/office/lists/", {"month": "2024-06"})
    run_due_jobs()
    data = {"digest": ListDraft.objects.get().digest, "reason": "Typed with care."}
    client.post("/office/lists/2024-06/", data)
    # The form is sent a second time while the job is running.
    answer = client.post("/office/lists/2024-06/", {**data, "reason": "Once more."})
    assert answer.status_code == 409
    assert "Once more.</textarea>" in answer.content.decode()
    Membership.objects.all().delete()
    run_due_jobs()
    assert not OfficialList.objects.exists()
    page = client.get("/office/lists/2024-06/").content.decode()
    assert "Members or memberships changed" in page
    assert ">\nTyped with care.</textarea>" in page
    client.force_login(make_publisher())
    assert (
        "Typed with care." not in client.get("/office/lists/2024-06/").content.decode()
    )


def test_list_is_not_offered_while_a_rerate_is_open(client, clock):
    some(1)
    clock.move_to(AFTER)
    client.force_login(make_publisher())
    draft = prepare_list(month=JUNE, actor=None)
    start_rerate(actor=None, reason="Weekly.", whole_history=True)
    page = client.get("/office/lists/2024-06/").content.decode()
    assert "A rerate is in progress." in page
    assert "Publish list" not in page
    data = {"digest": draft.digest, "reason": "Typed with care."}
    answer = client.post("/office/lists/2024-06/", data)
    assert answer.status_code == 422
    assert ">\nTyped with care.</textarea>" in answer.content.decode()


def test_list_that_was_published_meanwhile_shows_what_was_typed(client):
    some(1)
    published(JUNE)
    client.force_login(make_publisher())
    data = {"digest": "0" * 64, "reason": "Typed with care."}
    answer = client.post("/office/lists/2024-06/", data)
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "The June 2024 list is already published." in page
    assert "Typed with care.</textarea>" in page


def test_publishing_previews_its_effects(client, clock):
    some(3)
    clock.move_to(AFTER)
    draft = prepare_list(month=JUNE, actor=None)
    effects = preview_publishing(draft)
    assert [one.code for one in effects] == [
        "members",
        "first",
        "in_force",
        "earlier_months",
        "told",
        "final",
    ]
    done = publish_list(month=JUNE, digest=draft.digest, actor=None, reason="June.")
    assert effects[0].sentence == (
        f"The list has {done.members} members: Regular ({done.ratings.count()})."
    )
    before = dict(done.ratings.values_list("player", "rating"))
    posts = {
        line.pk: line.post_rating + move
        for line, move in zip(
            RatingChange.objects.filter(calculation__is_current=True).order_by("pk"),
            (30.0, -17.0, 4.0),
            strict=True,
        )
    }
    clock.move_to(datetime(2024, 5, 21, 12, tzinfo=UTC))
    run = published_rerate(posts)
    clock.move_to(datetime(2024, 6, 20, 12, tzinfo=UTC))
    draft = prepare_list(month=JULY, actor=None)
    effects = preview_publishing(draft)
    assert [one.code for one in effects] == [
        "members",
        "changes",
        "gain",
        "loss",
        "in_force",
        "earlier_months",
        "undo_of_rerate",
        "told",
        "final",
    ]
    done = publish_list(month=JULY, digest=draft.digest, actor=None, reason="July.")
    moved = [row.rating - before[row.player_id] for row in done.ratings.all()]
    assert sorted(moved) == [-17, 4, 30]
    assert ": 3 changed, 0 new" in effects[1].sentence
    assert "+30 (" in effects[2].sentence
    assert "−17 (" in effects[3].sentence
    assert effects[6].sentence.startswith(
        f"After this, undoing {run} needs a second approval"
    )


def test_with_the_setting_publishing_needs_second_approval(client, clock, settings):
    settings.LIST_SECOND_PERSON = True
    some(1)
    clock.move_to(AFTER)
    first, second = make_publisher(), make_publisher()
    draft = prepare_list(month=JUNE, actor=first)
    address = "/office/lists/2024-06/"
    client.force_login(first)
    page = client.get(address).content.decode()
    assert f"This needs a second approval. Can be approved by: {second}." in page
    assert "No second approval is needed." not in page
    with pytest.raises(ListRefused, match="second approval"):
        publish_list(month=JUNE, digest=draft.digest, actor=first, reason="June.")
    client.post(address, {"digest": draft.digest, "reason": "June."})
    run_due_jobs()
    assert not OfficialList.objects.exists()
    proposal = PendingAct.objects.get()
    page = client.get(address).content.decode()
    assert f'href="/office/approvals/{proposal.pk}/"' in page
    assert 'name="digest"' not in page

    client.force_login(second)
    approval = f"/office/approvals/{proposal.pk}/"
    assert (
        "The list has 1 member: Regular (1)." in client.get(approval).content.decode()
    )
    client.post(approval, {"decision": "approve", "reason": "Looked at it."})
    run_due_jobs()
    done = OfficialList.objects.get()
    assert (done.published_by, done.reason) == (first, "June.")
    entry = AuditEntry.objects.get(action="list.published")
    assert entry.facts == {"approved_by": str(second)}


def test_an_approval_is_for_the_list_that_was_looked_at(client, clock, settings):
    settings.LIST_SECOND_PERSON = True
    some(1)
    clock.move_to(AFTER)
    draft = prepare_list(month=JUNE, actor=None)
    said = {"digest": draft.digest, "reason": "June."}
    proposal = request_publication(draft, actor=make_publisher(), **said)
    Player.objects.update(state="OK")
    prepare_list(month=JUNE, actor=None)
    client.force_login(make_publisher())
    approval = f"/office/approvals/{proposal.pk}/"
    assert "was prepared again" in client.get(approval).content.decode()
    answer = client.post(approval, {"decision": "approve", "reason": "Fine."})
    assert answer.status_code == 422
    run_due_jobs()
    assert not OfficialList.objects.exists()


@pytest.mark.parametrize("asks", [True, False])
def test_the_page_of_permissions_says_whether_lists_need_two(settings, asks):
    settings.LIST_SECOND_PERSON = asks
    assert ("ratings.publish_list" in second_approval_permissions()) is asks


def test_publishing_warns_of_pending_rerates_and_discarded_drafts(clock):
    some(1)
    clock.move_to(datetime(2024, 6, 20, 12, tzinfo=UTC))
    prepare_list(month=JUNE, actor=None)
    RerateMark.objects.create(kind="late", from_day=date(2024, 3, 9), note="Late.")
    effects = {
        one.code: one.sentence
        for one in preview_publishing(prepare_list(month=JULY, actor=None))
    }
    assert effects["marks"].startswith("1 pending rerate, from Mar 9, 2024")
    assert effects["drafts"] == (
        "These drafts can no longer be published after this: June 2024."
    )


@pytest.mark.parametrize("month", ["", "June", "2024-13", "2024-6-1"])
def test_month_has_to_be_one(client, month):
    client.force_login(make_staff())
    response = client.post("/office/lists/", {"month": month})
    assert response.status_code == 422
    assert "Enter a month such as 2024-05." in response.content.decode()


@pytest.mark.parametrize(
    ("newest", "month"), [(None, "2024-06"), (5, "2024-06"), (6, "2024-07")]
)
def test_form_begins_with_the_next_month_that_is_not_published(
    client, clock, newest, month
):
    some(1)
    clock.move_to(AFTER)
    if newest:
        published(date(2024, newest, 1))
    client.force_login(make_staff())
    page = client.get("/office/lists/").content.decode()
    assert f'value="{month}"' in page


def test_a_published_month_is_not_prepared_again(client):
    some(1)
    published(JUNE)
    client.force_login(make_staff())
    response = client.post("/office/lists/", {"month": "2024-06"})
    assert response.status_code == 422
    assert "a published list never changes" in response.content.decode()


def test_looking_takes_an_office_account_and_publishing_the_permission(client, clock):
    some(1)
    staff = make_staff()
    staff.user_permissions.set([])
    group = staff.groups.get()
    group.permissions.remove(Permission.objects.get(codename="publish_list"))
    clock.move_to(AFTER)
    client.force_login(make_user())
    assert client.get("/office/lists/").status_code == 403
    client.force_login(staff)
    client.post("/office/lists/", {"month": "2024-06"})
    run_due_jobs()

    page = client.get("/office/lists/2024-06/").content.decode()
    assert "needs the permission" in page
    assert "Publish list" not in page
    data = {"digest": ListDraft.objects.get().digest, "reason": "June."}
    answer = client.post("/office/lists/2024-06/", data)
    assert answer.status_code == 403
    assert ">\nJune.</textarea>" in answer.content.decode()
    run_due_jobs()
    assert not OfficialList.objects.exists()


def test_what_has_not_been_prepared_is_not_there(client):
    client.force_login(make_staff())
    assert is_not_found(client.get("/office/lists/2024-06/"))
