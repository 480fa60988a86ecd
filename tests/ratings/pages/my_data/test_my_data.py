"""People can download their data and have it deleted."""

import io
import json
import zipfile
from dataclasses import replace
from datetime import date

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.db import models
from django.utils import timezone

from events.models import Event, PendingMember, Submission
from events.records.exports import event_as_reported
from players.claims.services.claims import ask_office, claim_member
from players.models import (
    Claim,
    Contact,
    Follow,
    Guardian,
    GuardianAccount,
    GuardianConsent,
    IntakeRow,
    Invitation,
    Player,
    ShareLink,
)
from players.sharing.services import follow, make_share_link
from ratings.models import RatingChange, Run
from ratings.pages.my_data.queries import EXCLUDED_TABLES, references
from ratings.pages.my_data.services import (
    DeletionRefused,
    delete_member_data,
    retained_data,
)
from ratings_site.common.accounts.permissions import LOCAL_APPS
from ratings_site.common.models import AuditEntry, Notice, User
from tests.factories import (
    event_report,
    make_player,
    make_td,
    make_user,
    merge_with_approval,
    rated_event,
    section_report,
)
from tests.players.imports.files import entered

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    """A rated newcomer with an account, a guardian and an opponent with an account."""
    account = make_user("ada", email="ada@example.org", first_name="Ada")
    EmailAddress.objects.create(user=account, email="ada@example.org", verified=True)
    player = make_player(
        given_name="Ada", family_name="Byron", account=account, gender="F"
    )
    Guardian.objects.create(player=player, email="mother@example.org")
    Contact.objects.create(player=player, email="ada@example.org")
    other = make_player(given_name="Bo", ratings={"OTBR": (1500.0, 30)})
    section = section_report([player, other], ["W2W", "L1B"])
    rated_event(make_td(), event_report(make_td(), [section]))
    return player


@pytest.fixture
def manager():
    user = make_user("manager", is_staff=True, is_superuser=True)
    return user


def archive_of(client) -> tuple[dict, str]:
    response = client.post("/my-data/")
    with zipfile.ZipFile(io.BytesIO(response.content)) as file:
        page = file.read("my-data.html").decode()
        return json.loads(file.read("my-data.json")), page


def test_archive_holds_account_member_ratings_and_guardian(ada, client):
    client.force_login(ada.account)
    data, page = archive_of(client)
    assert data["account"][0]["email"] == "ada@example.org"
    assert data["member"][0]["birth_date"] == "1990-01-01"
    assert data["entries"][0]["event"].startswith("May Open")
    line = RatingChange.objects.get(player=ada)
    assert data["ratings"][0]["after"] == line.post_rating
    [guardian] = data["guardians (player)"]
    assert guardian["email"] == "another address"
    assert data["contacts (player)"][0]["email"] == "ada@example.org"
    assert "mother@example.org" not in page
    assert AuditEntry.objects.filter(action="account.data_taken").count() == 1


def test_archive_holds_own_lines_exactly_and_nothing_of_an_opponent(ada, client):
    client.force_login(ada.account)
    data, page = archive_of(client)
    own, other = RatingChange.objects.order_by("player_id").filter(
        calculation__section__isnull=False
    )
    assert [row["after"] for row in data["ratings"]] == [own.post_rating]
    for text in (json.dumps(data), page):
        assert repr(own.post_rating) in text
        assert repr(other.post_rating) not in text
        assert other.player.member_id not in text


def test_archive_says_what_rerates_changed_and_not_what_one_may_change(ada, client):
    when = timezone.now()
    done = Run.objects.create(
        kind="rerate",
        status="published",
        reason="Late",
        published_at=when,
        publish_reason="Right",
    )
    waiting = Run.objects.create(kind="rerate", status="ready", reason="Another")
    for run, after in ((done, 1612.25), (waiting, 1733.75)):
        run.differences.create(player=ada, system="OTBR", before=1600.0, after=after)
    client.force_login(ada.account)
    data, page = archive_of(client)
    [told] = data["ratings changed by rerates"]
    wanted = {"system": "Regular", "before": 1600.0, "after": 1612.25}
    assert {name: told[name] for name in wanted} == wanted
    assert "1733.75" not in page


def test_archive_has_no_secrets_and_no_other_account(ada, client):
    stranger = make_user("stranger", email="stranger@example.org")
    client.force_login(ada.account)
    text = json.dumps(archive_of(client)[0])
    assert "stranger" not in text
    assert stranger.email not in text
    assert ada.account.password not in text


def test_guardian_takes_the_child_s_data_home_until_the_child_is_of_age(ada, client):
    mother = make_user("mother", email="mother@example.org")
    GuardianAccount.objects.create(player=ada, account=mother)
    client.force_login(mother)
    assert "member" not in archive_of(client)[0]
    today = timezone.localdate()
    Player.objects.filter(pk=ada.pk).update(birth_date=today.replace(day=1, year=2020))
    data, _ = archive_of(client)
    assert [row["member_id"] for row in data["member"]] == [ada.member_id]
    assert data["account"][0]["username"] == "mother"


def test_guardian_of_before_gets_nothing_of_the_member(ada, client):
    mother = make_user("mother")
    GuardianAccount.objects.create(player=ada, account=mother, ended_at=timezone.now())
    client.force_login(mother)
    assert "member" not in archive_of(client)[0]


def test_archive_of_a_requester_says_nothing_of_the_member_s_records(ada, client):
    Claim.objects.create(
        player=ada, account=make_user("eve"), state="asked", text="It is me.",
        birth_date_agrees=True, mailed_at=timezone.now(),
    )  # fmt: skip
    client.force_login(User.objects.get(username="eve"))
    [row] = archive_of(client)[0]["link requests (account)"]
    assert (row["player"], row["text"]) == (str(ada), "It is me.")
    assert not {"birth_date_agrees", "mailed_at"} & row.keys()


def test_archive_of_a_child_or_one_parent_has_no_address_of_the_other(ada, client):
    today = timezone.localdate()
    born = today.replace(day=1, year=today.year - 15)
    Player.objects.filter(pk=ada.pk).update(birth_date=born)
    Contact.objects.update(email="kid@example.org")
    values = {"email": "kid@example.org", "guardian_email": ["", "Mother@example.org"]}
    entered("45678901,Ada,Byron,2015-12-10")
    IntakeRow.objects.update(key=ada.member_id, values=values)
    Invitation.objects.create(player=ada, as_guardian=True, email="mother@example.org")
    mother, father = make_user("mother"), make_user("father")
    for parent in (mother, father):
        GuardianAccount.objects.create(player=ada, account=parent)
    EmailAddress.objects.create(user=mother, email="mother@example.org", verified=True)
    told = {}
    for account in (ada.account, father, mother):
        client.force_login(account)
        data, page = archive_of(client)
        texts = (json.dumps(data).casefold(), page.casefold())
        told[account.username] = [
            name
            for name in ("mother", "kid")
            if f"{name}@example.org" in "".join(texts)
        ]
        assert "another address" in texts[0]
    assert told == {"ada": [], "father": [], "mother": ["mother"]}


@pytest.mark.parametrize("verified", [True, False])
def test_an_address_is_the_account_s_own_once_it_is_verified(ada, client, verified):
    EmailAddress.objects.create(
        user=ada.account, email="mother@example.org", verified=verified
    )
    client.force_login(ada.account)
    [guardian] = archive_of(client)[0]["guardians (player)"]
    assert (guardian["email"] == "mother@example.org") == verified


def test_archive_has_no_words_or_names_of_other_requesters(ada, client):
    stranger = make_user("stranger-7")
    claim = claim_member(player_id=ada.pk, as_guardian=False, actor=stranger)
    born = date(1980, 1, 1)
    ask_office(claim_id=claim.pk, text="My story.", birth_date=born, actor=stranger)
    client.force_login(ada.account)
    data, _ = archive_of(client)
    [row] = data["link requests (player)"]
    assert (row["account"], row["text"]) == ("another account", "not shown")
    assert len(data["acts about the member"]) == 2
    assert "stranger-7" not in json.dumps(data)


def test_account_without_a_member_gets_its_own_data(client):
    client.force_login(make_user("eve", email="eve@example.org"))
    data, _ = archive_of(client)
    assert data["account"][0]["username"] == "eve"
    assert "member" not in data


@pytest.mark.parametrize("target", [Player, User])
def test_every_table_that_names_a_person_is_followed(target):
    followed = {model for model, _ in references(target)}
    naming = {
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label in LOCAL_APPS
        and any(
            isinstance(field, models.ForeignKey) and field.related_model is target
            for field in model._meta.concrete_fields
        )
    }
    left_out = {model._meta.label_lower for model in naming - followed}
    assert left_out <= EXCLUDED_TABLES


def test_forgetting_takes_the_person_and_leaves_the_history(ada, manager):
    account, before = ada.account, list(RatingChange.objects.values())
    delete_member_data(player_id=ada.pk, actor=manager, reason="Asked by letter.")
    ada.refresh_from_db()
    account.refresh_from_db()
    assert (ada.account, ada.gender, ada.state) == (None, "", "")
    assert ada.name.endswith("Byron")
    # The initial rating depends on the age.
    assert ada.birth_date is not None
    assert (account.email, account.first_name, account.is_active) == ("", "", False)
    assert not EmailAddress.objects.filter(user=account).exists()
    assert not Guardian.objects.filter(player=ada).exists()
    assert not Contact.objects.filter(player=ada).exists()
    assert list(RatingChange.objects.values()) == before
    entry = AuditEntry.objects.get(action="player.forgotten")
    assert (entry.reason, entry.facts) == ("Asked by letter.", {})


def test_name_goes_where_the_federation_says_so(ada, manager, settings, client):
    settings.FORGET_NAMES = True
    delete_member_data(player_id=ada.pk, actor=manager, reason="Asked by letter.")
    page = client.get(f"/players/{ada.member_id}/").content.decode()
    assert "Byron" not in page
    assert "Forgotten" in page


@pytest.mark.parametrize("ending", ["json", "csv", "trf16", "trf26"])
def test_public_downloads_omit_the_deleted_name(ending, ada, manager, settings, client):
    settings.FORGET_NAMES = True
    address = f"{Event.objects.get().get_absolute_url()}report.{ending}"
    before = client.get(address).content
    assert b"BYRON, ADA" in before
    delete_member_data(player_id=ada.pk, actor=manager, reason="Asked by letter.")
    after = client.get(address).content
    assert b"BYRON" not in after
    assert b"FORGOTTEN" in after.upper()


def test_other_names_stay_as_reported_in_all_files(ada, manager, settings):
    settings.FORGET_NAMES = True
    event = Event.objects.get()
    before = event_as_reported(event).sections[0].entries
    delete_member_data(player_id=ada.pk, actor=manager, reason="Asked by letter.")
    after = event_as_reported(event).sections[0].entries
    assert after[0] == replace(before[0], name="Member Forgotten", state="")
    assert after[1] == before[1]


def test_name_of_a_merged_number_goes_too(ada, manager, settings, client):
    settings.FORGET_NAMES = True
    kept = make_player(given_name="Augusta", family_name="King")
    merge_with_approval(kept, ada)
    delete_member_data(player_id=kept.pk, actor=manager, reason="Asked by letter.")
    ada.refresh_from_db()
    assert ada.name == "Member Forgotten"
    [first, _] = event_as_reported(Event.objects.get()).sections[0].entries
    assert first.name == "Member Forgotten"


def test_birth_date_goes_where_no_rating_rests_on_it(manager):
    player = make_player()
    delete_member_data(player_id=player.pk, actor=manager, reason="Asked.")
    player.refresh_from_db()
    assert player.birth_date is None


@pytest.mark.parametrize(
    ("birth_date", "is_mid_year", "stays"),
    [
        (None, False, (None, None)),
        (None, True, (None, 1990)),
        (date(1990, 1, 1), True, (date(1990, 1, 1), None)),
    ],
)
def test_birth_year_stays_only_if_a_rating_rests_on_it(
    ada, manager, settings, birth_date, is_mid_year, stays
):
    settings.BIRTH_YEAR_AS_MID_YEAR = is_mid_year
    ada.birth_date, ada.birth_year = birth_date, 1990
    ada.save()
    told = "Birth date" in dict(retained_data(ada))
    delete_member_data(player_id=ada.pk, actor=manager, reason="Asked.")
    ada.refresh_from_db()
    assert (ada.birth_date, ada.birth_year) == stays
    assert told == any(stays)


def test_what_a_report_told_of_a_newcomer_goes_too(ada, manager):
    submission = Submission.objects.get()
    newcomer = PendingMember.objects.create(
        submission=submission,
        number="NEW-1",
        given_name="Ada",
        family_name="Byron",
        birth_date=date(2015, 12, 10),
        email="mother@example.org",
        told_by=submission.uploaded_by,
        resolved_to=ada,
        resolved_how="issued",
        resolved_at=timezone.now(),
    )
    delete_member_data(player_id=ada.pk, actor=manager, reason="Asked.")
    newcomer.refresh_from_db()
    assert (newcomer.email, newcomer.birth_date) == ("", None)
    assert newcomer.birth_year == 2015


def test_what_a_file_of_members_said_is_told_and_goes(manager, client):
    entered("45678901,Ada,Byron,2015-12-10")
    player = Player.objects.get(member_id="45678901")
    player.account = make_user("ada")
    player.save()
    client.force_login(player.account)
    [row] = archive_of(client)[0]["rows of files"]
    assert row["values"]["birth_date"] == "2015-12-10"
    delete_member_data(player_id=player.pk, actor=manager, reason="Asked.")
    assert not IntakeRow.objects.filter(key="45678901").exists()


def test_a_member_is_forgotten_once(ada, manager):
    delete_member_data(player_id=ada.pk, actor=manager, reason="Asked.")
    with pytest.raises(DeletionRefused, match="no personal data left"):
        delete_member_data(player_id=ada.pk, actor=manager, reason="Asked again.")
    assert AuditEntry.objects.filter(action="player.forgotten").count() == 1


def test_archive_has_own_follows_and_links_but_not_followers_or_secrets(ada, client):
    carl = make_player(given_name="Carl")
    follow(player_id=carl.pk, actor=ada.account)
    follow(player_id=ada.pk, actor=make_user("fan"))
    link = make_share_link(player_id=ada.pk, actor=ada.account)
    client.force_login(ada.account)
    data, page = archive_of(client)
    assert [row["player"] for row in data["followed players"]] == [str(carl)]
    [shared] = data["share links (account)"]
    assert shared["player"] == str(ada)
    for text in (json.dumps(data), page):
        assert "another account" not in text
        assert link.token not in text


def test_deletion_ends_follows_share_links_and_consents(ada, manager):
    carl, fan = make_player(given_name="Carl"), make_user("fan")
    follow(player_id=carl.pk, actor=ada.account)
    follow(player_id=ada.pk, actor=fan)
    follow(player_id=carl.pk, actor=fan)
    make_share_link(player_id=ada.pk, actor=ada.account)
    GuardianConsent.objects.create(player=ada, kind="follow", account=fan)
    GuardianConsent.objects.create(player=carl, kind="share", account=ada.account)
    delete_member_data(player_id=ada.pk, actor=manager, reason="Asked by letter.")
    assert list(Follow.objects.values_list("account", "player")) == [(fan.pk, carl.pk)]
    assert not ShareLink.objects.exists()
    assert not GuardianConsent.objects.exists()


def test_deleted_name_leaves_the_notices_of_followers(ada, manager, settings):
    settings.FORGET_NAMES = True
    fan = make_user("fan")
    for name, account in (("still", fan), ("before", make_user("before"))):
        Notice.objects.create(
            account=account, kind="ratings.followed", key=f"followed:7:{ada.pk}",
            title=f"Ada Byron after {name}", on_site=True,
        )  # fmt: skip
    Notice.objects.create(
        account=fan, kind="ratings.followed", key=f"followed:{ada.pk}:0",
        title="Another player", on_site=True,
    )  # fmt: skip
    follow(player_id=ada.pk, actor=fan)
    delete_member_data(player_id=ada.pk, actor=manager, reason="Asked by letter.")
    titles = Notice.objects.filter(kind="ratings.followed").values_list(
        "title", flat=True
    )
    assert list(titles) == ["Another player"]
    fan.refresh_from_db()
    assert fan.unread_notices == 1


def test_accounts_of_the_office_are_not_forgotten(manager):
    manager.player = make_player(account=manager)
    with pytest.raises(DeletionRefused, match="staff account"):
        delete_member_data(player_id=manager.player.pk, actor=manager, reason="Me.")
    manager.refresh_from_db()
    assert manager.username == "manager"


def test_page_of_the_office_forgets_and_says_what_stays(ada, manager, client):
    client.force_login(manager)
    address = f"/office/members/{ada.member_id}/forget/"
    assert "Your opponents’ ratings" in client.get(address).content.decode()
    assert client.post(address, {"reason": ""}).status_code == 422
    ada.refresh_from_db()
    assert ada.account is not None
    client.post(address, {"reason": "Asked by letter."})
    ada.refresh_from_db()
    assert ada.account is None
