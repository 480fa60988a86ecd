"""A correction withdraws a wrong official list, which does not change."""

from datetime import UTC, date, datetime

import pytest
import time_machine
from django.db import IntegrityError, transaction

from players.models import Player
from ratings.decisions.floors.queries.titles import _classes
from ratings.engine.systems import System
from ratings.lists.pages import preview_publishing
from ratings.lists.queries.official import list_history, official_rating
from ratings.lists.queries.rankings import official_ratings_of
from ratings.lists.services.lists import ListRefused, prepare_list, publish_list
from ratings.models import ListDraft, OfficialList, OfficialRating
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, Notice, PendingAct
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

pytestmark = pytest.mark.django_db

WRONG, RIGHT = 1500, 1444
# The error is found in the second week of June.
CORRECTED = datetime(2024, 6, 12, 15, tzinfo=UTC)
OFFICE = "/office/lists/2024-06/"


@pytest.fixture
def clock():
    with time_machine.travel(BEFORE, tick=False) as moved:
        yield moved


@pytest.fixture
def player(clock):
    return make_player("30000001", ratings={"OTBR": (1500.0, 30)})


@pytest.fixture
def wrong(clock, player) -> OfficialList:
    clock.move_to(AFTER)
    done = published(JUNE)
    clock.move_to(CORRECTED)
    published_rerate({line_of(player).pk: float(RIGHT)})
    return done


def correct(correction: int = 1, *, month: date = JUNE) -> OfficialList:
    draft = prepare_list(month=month, actor=None, correction=correction)
    return publish_list(
        month=month, digest=draft.digest, actor=None, reason="A wrong rerate."
    )


def numbers(shown: OfficialList) -> list[int]:
    return list(shown.ratings.values_list("rating", flat=True))


def test_a_correction_is_another_list_and_the_wrong_one_stays(wrong):
    before = [
        *OfficialList.objects.values(),
        *OfficialRating.objects.values(),
        *wrong.files.order_by("kind").values(),
    ]
    done = correct()
    assert (numbers(wrong), numbers(done)) == ([WRONG], [RIGHT])
    assert [
        *OfficialList.objects.filter(pk=wrong.pk).values(),
        *OfficialRating.objects.filter(list=wrong).values(),
        *wrong.files.order_by("kind").values(),
    ] == before
    assert (done.month, done.correction, str(done.in_force_from)) == (
        JUNE,
        1,
        "2024-06-12",
    )
    assert [file.name for file in done.files.all()] == [
        f"ratings-2024-06-correction-1.{kind}" for kind in ("csv", "dbf", "tsv")
    ]
    entry = AuditEntry.objects.filter(action="list.published").latest("pk")
    assert entry.facts == {"withdrawn": "Official rating list of June 2024"}


def test_history_cannot_be_edited_after_the_change_of_its_table(wrong):
    with pytest.raises(IntegrityError), transaction.atomic():
        OfficialList.objects.filter(pk=wrong.pk).update(correction=5)
    with pytest.raises(IntegrityError), transaction.atomic():
        OfficialList.objects.filter(pk=wrong.pk).delete()


@pytest.mark.parametrize(
    ("day", "rating"),
    [
        (date(2024, 6, 1), WRONG),
        (date(2024, 6, 11), WRONG),
        (date(2024, 6, 12), RIGHT),
        (date(2024, 7, 31), RIGHT),
        (date(2024, 5, 31), None),
    ],
)
def test_a_correction_is_official_from_its_day_on(wrong, player, day, rating):
    correct()
    assert official_rating(player, System.OTBR, on=day) == rating


def test_before_its_month_a_correction_counts_from_the_first(clock, player):
    clock.move_to(AFTER)
    published(JUNE)
    Player.objects.update(state="OK")
    assert correct().in_force_from == JUNE


def test_a_member_s_history_shows_what_counts(wrong, player):
    correct()
    [line] = list_history(player)
    assert line.list.correction == 1
    assert line.values[System.OTBR].rating == RIGHT
    [row] = official_ratings_of([player.pk])
    assert (row.rating, row.is_newest) == (RIGHT, True)


def test_a_class_that_only_a_withdrawn_list_gave_is_not_reached(clock):
    player = make_player("30000001", ratings={"OTBR": (2010.0, 30)})
    clock.move_to(AFTER)
    published(JUNE)
    clock.move_to(CORRECTED)
    published_rerate({line_of(player).pk: 1990.0})
    correct()
    [(_system, reached)] = _classes([player.pk], [])
    assert max(one.rating for one in reached) == 1990


def test_a_correction_can_be_corrected(wrong, player):
    correct()
    published_rerate({line_of(player).pk: 1450.0})
    done = correct(2)
    assert numbers(done) == [1450]
    assert [one.is_withdrawn for one in OfficialList.objects.with_withdrawn()] == [
        False,
        True,
        True,
    ]
    assert list(OfficialList.objects.effective()) == [done]


def refusal(act, **kwargs) -> str:
    with pytest.raises(ListRefused) as refused:
        act(**kwargs)
    return str(refused.value)


def test_only_the_newest_list_is_corrected(wrong):
    published(JULY)
    said = refusal(prepare_list, month=JUNE, actor=None, correction=1)
    assert said == "Only the latest list can be corrected."


def test_a_list_is_corrected_once_by_the_same_number(wrong):
    draft = prepare_list(month=JUNE, actor=None, correction=1)
    said = {"month": JUNE, "digest": draft.digest, "actor": None, "reason": "Wrong."}
    publish_list(**said)
    assert "June 2024, correction 1 is already published" in refusal(
        publish_list, **said
    )
    assert OfficialList.objects.count() == 2


def test_a_correction_that_changes_nothing_is_refused(clock, player):
    clock.move_to(AFTER)
    published(JUNE)
    draft = prepare_list(month=JUNE, actor=None, correction=1)
    said = {"month": JUNE, "digest": draft.digest, "actor": None, "reason": "Wrong."}
    assert "would be the same as the published list" in refusal(publish_list, **said)


def test_it_is_compared_with_the_list_that_it_withdraws(wrong):
    draft = prepare_list(month=JUNE, actor=None, correction=1)
    effects = {one.code: one.sentence for one in preview_publishing(draft)}
    assert ": 1 changed" in effects["changes"]
    assert "It replaces the June 2024 list" in effects["withdraws"]
    assert "on Jun 12, 2024" in effects["in_force"]


def test_the_office_corrects_a_list_on_its_pages(client, wrong):
    client.force_login(make_publisher())
    page = client.get("/office/lists/").content.decode()
    assert f'action="{OFFICE}correct/"' in page
    assert client.post(f"{OFFICE}correct/")["Location"] == OFFICE
    run_due_jobs()
    page = client.get(OFFICE).content.decode()
    assert "If you publish it, it replaces that list." in page
    assert "June 2024" in client.get("/office/lists/").content.decode()
    data = {"digest": ListDraft.objects.get().digest, "reason": "A wrong rerate."}
    client.post(OFFICE, data)
    run_due_jobs()
    assert numbers(OfficialList.objects.first()) == [RIGHT]
    # The published list is no longer a draft.
    assert client.get(OFFICE)["Location"] == "/lists/2024-06/"


def test_a_correction_needs_second_approval_too(client, wrong, settings):
    settings.LIST_SECOND_PERSON = True
    client.force_login(make_publisher())
    client.post(f"{OFFICE}correct/")
    run_due_jobs()
    data = {"digest": ListDraft.objects.get().digest, "reason": "A wrong rerate."}
    client.post(OFFICE, data)
    proposal = PendingAct.objects.get()
    assert proposal.title == "Correct the June 2024 official rating list"
    client.force_login(make_publisher())
    client.post(
        f"/office/approvals/{proposal.pk}/", {"decision": "approve", "reason": "Yes."}
    )
    run_due_jobs()
    assert OfficialList.objects.count() == 2


def test_only_the_office_prepares_a_correction(client, wrong):
    client.force_login(make_user())
    assert client.post(f"{OFFICE}correct/").status_code == 403
    client.force_login(make_staff())
    assert client.post("/office/lists/2024-05/correct/")["Location"] == "/office/lists/"
    assert not ListDraft.objects.filter(correction=1).exists()


def test_each_page_says_which_list_counts(client, wrong):
    old_file = client.get("/lists/2024-06/ratings-2024-06.csv").content
    correct()
    page = client.get("/lists/2024-06/").content.decode()
    assert "June 2024, correction 1" in page
    assert f">{RIGHT}" in page
    assert "This list replaced an earlier one on" in page
    assert 'href="/lists/2024-06/?correction=0"' in page
    page = client.get("/lists/2024-06/?correction=0").content.decode()
    assert f">{WRONG}" in page
    assert "This list was withdrawn on" in page
    assert "A wrong rerate." in page
    assert 'href="/lists/2024-06/?correction=1"' in page
    page = client.get("/lists/").content.decode()
    assert page.count("replaced by a correction</span>") == 1
    assert page.count("current</span>") == 1
    assert client.get("/lists/2024-06/ratings-2024-06.csv").content == old_file
    new_file = client.get("/lists/2024-06/ratings-2024-06-correction-1.csv").content
    assert (str(WRONG).encode() in old_file, str(RIGHT).encode() in new_file) == (
        True,
        True,
    )


def test_rankings_comparisons_and_the_api_go_by_the_correction(client, wrong):
    correct()
    page = client.get("/rankings/OTBR/").content.decode()
    assert (f">{RIGHT}" in page, f">{WRONG}" in page) == (True, False)
    page = client.get("/lists/compare/").content.decode()
    assert "correction" not in page
    [one] = client.get("/api/v1/lists").json()["items"]
    assert (one["month"], one["correction"], one["in_force_from"]) == (
        "2024-06",
        1,
        "2024-06-12",
    )
    [row] = client.get("/api/v1/lists/2024-06").json()["items"]
    assert row["rating"] == RIGHT


def test_members_hear_of_a_correction(wrong, player):
    player.account = make_user()
    player.save()
    correct()
    run_due_jobs()
    notice = Notice.objects.get()
    assert "1500" in notice.text
    assert "1444" in notice.text
