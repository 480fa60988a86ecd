"""A member or guardian asks to hide a name; the office decides."""

import re
from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from events.checks.services import findings_of
from events.formats.rosters import RosterRow
from events.models import Event, FindingOverride, Official
from events.models.documents import SectionDocument, diff
from events.records.services.versions import correction_note, first_version
from events.reports.services.submissions import override_findings
from players.identity.services import merge_players
from players.models import (
    Claim,
    FideList,
    FideRating,
    Follow,
    Invitation,
    Player,
    PrivacyRequest,
    ShareLink,
)
from players.models.name_viewer import all_names_shown
from players.privacy.services import (
    PrivacyRefused,
    decide_privacy,
    decline_privacy,
    request_privacy,
)
from players.sharing.queries import followed_players
from ratings.models import RerateMark
from ratings.pages.roster.forms import BY_NAME
from ratings.pages.roster.pages import page_lines
from ratings.pages.roster.queries import RosterLine, RowStatus
from ratings_site.common.api_keys.services import create_key
from ratings_site.common.audit.services import record
from ratings_site.common.dashboard.queries import pending_items
from ratings_site.common.models import AuditEntry, Notice, User
from tests.factories import (
    event_report,
    make_player,
    make_td,
    make_user,
    rated_event,
    section_report,
    upload,
)
from tests.ratings.lists.helpers import published

pytestmark = pytest.mark.django_db

DAY = date(2026, 5, 4)
OFFICE = "/office/privacy/"
HIDDEN = "Private member"


@pytest.fixture
def boss() -> User:
    return make_user("boss", is_staff=True, is_superuser=True)


@pytest.fixture
def ada() -> Player:
    return make_player("20000041", "Ada", "Quorblatt", account=make_user("ada"))


def hide(player: Player, boss: User, **changes) -> Player:
    values = {"make_private": True, "reason": "Asked by phone."} | changes
    return decide_privacy(player_id=player.pk, actor=boss, **values)


def play(ada: Player) -> Event:
    td = make_td()
    section = section_report([ada, make_player()], ["W2W", "L1B"])
    return rated_event(td, event_report(td, [section]))


def waiting() -> int:
    lines = pending_items(timezone.now())
    return sum(line.number for line in lines if line.url.startswith(OFFICE))


def test_member_asks_on_the_sharing_page_and_the_office_hides_the_name(
    client, ada, boss
):
    client.force_login(ada.account)
    asked = client.post(f"/players/{ada.member_id}/sharing/hide-name/", follow=True)
    assert "The office has a request from" in asked.content.decode()
    assert waiting() == 1
    client.force_login(boss)
    address = f"/office/members/{ada.member_id}/privacy/"
    assert address in client.get(OFFICE).content.decode()
    client.post(address, {"decision": "hide", "reason": "Her account."})
    ada.refresh_from_db()
    assert ada.is_private
    assert (ada.name, str(ada)) == (HIDDEN, f"{HIDDEN} ({ada.member_id})")
    assert waiting() == 0
    assert PrivacyRequest.objects.get().state == "done"
    notice = Notice.objects.get(account=ada.account)
    assert notice.title == "The name of Ada Quorblatt is now private"
    entries = AuditEntry.objects.filter(action__startswith="player.privacy")
    assert list(entries.order_by("pk").values_list("action", "reason")) == [
        ("player.privacy_asked", ""),
        ("player.privacy_changed", "Her account."),
    ]


def test_office_declines_with_a_reason_and_the_name_stays(client, ada, boss):
    request_privacy(player_id=ada.pk, actor=ada.account, make_private=True)
    client.force_login(boss)
    client.post(
        f"/office/members/{ada.member_id}/privacy/",
        {"decision": "decline", "reason": "Call us first."},
    )
    ada.refresh_from_db()
    assert not ada.is_private
    assert Notice.objects.get().title == "Privacy request for Ada Quorblatt: declined"
    with pytest.raises(PrivacyRefused):
        decline_privacy(player_id=ada.pk, actor=boss, reason="Again.")


def test_it_is_ended_in_the_same_way(client, ada, boss):
    hide(ada, boss)
    client.force_login(ada.account)
    client.post(f"/players/{ada.member_id}/sharing/show-name/")
    hide(ada, boss, make_private=False)
    ada.refresh_from_db()
    assert ada.name == "Ada Quorblatt"
    assert PrivacyRequest.objects.get().state == "done"


def test_only_a_linked_account_asks_and_only_once(ada):
    with pytest.raises(PrivacyRefused):
        request_privacy(player_id=ada.pk, actor=make_user(), make_private=True)
    request_privacy(player_id=ada.pk, actor=ada.account, make_private=True)
    with pytest.raises(PrivacyRefused):
        request_privacy(player_id=ada.pk, actor=ada.account, make_private=True)
    assert PrivacyRequest.objects.count() == 1


def test_certified_td_cannot_be_private_and_a_former_one_can(boss):
    td = make_td().player
    with pytest.raises(PrivacyRefused):
        hide(td, boss)
    yesterday = timezone.localdate() - timedelta(days=1)
    Official.objects.filter(player=td).update(certified_until=yesterday)
    assert hide(td, boss).is_private


def test_share_links_and_notices_of_followers_end(client, ada, boss):
    link = ShareLink.objects.create(player=ada, account=ada.account)
    follower = make_user()
    Follow.objects.create(account=follower, player=ada)
    for number, key in enumerate((ada.pk, ada.pk + 1)):
        Notice.objects.create(
            account=follower, key=f"followed:7:{key}", title=f"Rated {number}"
        )
    hide(ada, boss)
    assert client.get(link.get_absolute_url()).status_code == 404
    assert list(Notice.objects.values_list("title", flat=True)) == ["Rated 1"]
    client.force_login(ada.account)
    client.post(f"/players/{ada.member_id}/sharing/share/")
    assert not ShareLink.objects.exists()


@pytest.mark.parametrize("decision", ["hide", "decline"])
def test_request_made_before_a_merge_is_decided_after_it(client, ada, boss, decision):
    account = ada.account
    asked = request_privacy(player_id=ada.pk, actor=account, make_private=True)
    kept = make_player("20000042", "Ada", "Quorblatt", birth_date=ada.birth_date)
    merge_players(kept_id=kept.pk, merged_id=ada.pk, actor=boss, reason="One person.")
    account = User.objects.get(pk=account.pk)
    with pytest.raises(PrivacyRefused, match="already has"):
        request_privacy(player_id=kept.pk, actor=account, make_private=True)
    client.force_login(account)
    sharing = f"/players/{kept.member_id}/sharing/"
    assert client.get(sharing).context["asked"] == asked
    client.force_login(boss)
    address = f"/office/members/{ada.member_id}/privacy/"
    assert client.get(address).context["asked"] == asked
    client.post(address, {"decision": decision, "reason": "Her letter."})
    assert waiting() == 0
    assert Notice.objects.get(account=account).url == sharing


@pytest.mark.parametrize("private", ["kept", "merged"])
def test_merging_keeps_a_member_private(ada, boss, private):
    other = make_player("20000042", "Ada", "Quorblatt", birth_date=ada.birth_date)
    hide({"kept": ada, "merged": other}[private], boss)
    merge_players(kept_id=ada.pk, merged_id=other.pk, actor=boss, reason="One person.")
    assert list(Player.objects.values_list("is_private", flat=True)) == [True, True]


def test_member_guardian_td_and_staff_read_the_name(client, ada, boss):
    hide(ada, boss)
    page = ada.get_absolute_url()
    for user, is_shown in (
        (None, False),
        (make_player(account=make_user()).account, False),
        (make_td(), False),  # on public pages
        (ada.account, True),
        (boss, True),
    ):
        client.logout()
        if user:
            client.force_login(user)
        assert ("Quorblatt" in client.get(page).content.decode()) == is_shown, user


@pytest.mark.parametrize("is_td", [True, False])
def test_roster_check_names_private_members_to_certified_tds(client, ada, boss, is_td):
    hide(ada, boss)
    td = make_td()
    if not is_td:
        yesterday = timezone.localdate() - timedelta(days=1)
        Official.objects.filter(player=td.player).update(certified_until=yesterday)
    client.force_login(td)
    sent = {
        "rows": "Quorblatt, Ada",
        "day": "2024-06-01",
        "format": "csv",
        "order": "problems",
    }
    answer = client.post(reverse("ratings:roster_check"), sent)
    assert answer.status_code == 200
    assert (ada.member_id in answer.content.decode()) == is_td


def test_roster_check_of_the_api_tells_no_fide_data(client, ada, boss):
    ada.fide_id = "2016192"
    ada.save()
    month = timezone.localdate().replace(day=1)
    fide_list = FideList.objects.create(
        list_date=month, file_name="x", size=1, state=FideList.State.CURRENT
    )
    FideRating.objects.create(
        list=fide_list, fide_id=2016192, federation="USA", title="FM", rating=2345
    )
    hide(ada, boss)
    td = make_td()
    yesterday = timezone.localdate() - timedelta(days=1)
    Official.objects.filter(player=td.player).update(certified_until=yesterday)
    _key, text = create_key(owner=td, name="roster", may_submit=False)
    asked: dict = {
        "data": {"rows": [{"member_id": ada.member_id}]},
        "content_type": "application/json",
        "headers": {"Authorization": f"Bearer {text}"},
    }
    [row] = client.post("/api/v1/members/check", **asked).json()["rows"]
    assert row["member"]["member_id"] == ada.member_id
    assert (row["member"]["fide_id"], row["member"]["fide_title"]) == (None, "")
    for address in (ada.get_absolute_url(), f"/api/v1/members/{ada.member_id}"):
        text = client.get(address).content.decode()
        assert "2345" not in text
        assert ada.member_id in text
    client.force_login(ada.account)
    assert "2345" in client.get(ada.get_absolute_url()).content.decode()


def test_names_are_hidden_outside_of_requests(ada, boss):
    ada = hide(ada, boss)
    assert ada.name == HIDDEN
    with all_names_shown():
        assert ada.name == "Ada Quorblatt"
    assert ada.name == HIDDEN


def test_history_of_a_section_hides_the_names_that_were_corrected(client, ada, boss):
    event = play(ada)
    section = event.sections.get()
    version = first_version(section)
    document = SectionDocument.from_text(version.document)
    first, *others = document.entries
    corrected = replace(
        document, entries=(first._replace(name="QUORBLAT, ADA"), *others)
    )
    version.pk, version.number, version.document = None, 2, corrected.to_text()
    version.save(force_insert=True)
    address = section.get_absolute_url() + "history/"
    assert "QUORBLAT, ADA" in client.get(address).content.decode()
    hide(ada, boss)
    page = client.get(address).content.decode().upper()
    assert "QUORBLAT" not in page


@pytest.fixture
def corrected(ada, boss):
    """A section that has Ada under a wrong ID in its second version, not its third."""
    section = play(ada).sections.get()
    version = first_version(section)
    right = SectionDocument.from_text(version.document)
    other = make_player("20000055")
    first, *others = right.entries
    wrong = first._replace(player=other.pk, member_id="20000055", name="QUORBLAT, ADA")
    before = replace(right, entries=(wrong, *others))
    after = replace(right, entries=(first._replace(name=""), *others))
    for number, document in ((2, before), (3, after)):
        version.pk, version.number, version.document = None, number, document.to_text()
        version.save(force_insert=True)
    return section, before, after


def test_history_hides_a_name_that_was_reported_under_another_id(
    client, ada, boss, corrected
):
    section, *_documents = corrected
    address = section.get_absolute_url() + "history/"
    assert "QUORBLAT, ADA" in client.get(address).content.decode()
    hide(ada, boss)
    assert "QUORBLAT" not in client.get(address).content.decode()


def test_notes_of_corrections_tell_no_reported_names(ada, boss, corrected):
    section, before, after = corrected
    note = correction_note(section, before, after, "Wrong ID.")
    assert "member ID 20000055, now 20000041" in note
    assert "QUORBLAT" not in note
    sentences = [one.sentence for one in diff(before, after)]
    earlier = RerateMark(
        kind=RerateMark.Kind.CORRECTION, section=section, note=" ".join(sentences)
    )
    assert "QUORBLAT, ADA" in earlier.translated_note
    hide(ada, boss)
    assert "as reported Private member, now nothing" in earlier.translated_note
    with all_names_shown():
        assert "QUORBLAT, ADA" in earlier.translated_note
    nobody = replace(after, entries=after.entries[1:])
    [added] = [one.sentence for one in diff(nobody, before) if "QUOR" in one.sentence]
    earlier.note = added
    assert earlier.translated_note.endswith("now Private member (20000055).")


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        (
            "The merge of Ada Oldname (20000041) into Bo Adler (20000060) was undone.",
            "The merge of Private member (20000041) into Bo Adler (20000060) was "
            "undone.",
        ),
        (
            "Bo Adler (20000060) was merged into Ada Oldname (20000041).",
            "Bo Adler (20000060) was merged into Private member (20000041).",
        ),
    ],
)
@pytest.mark.parametrize("own", ["20000041", "20000060"])
def test_notes_hide_the_member_of_each_id(ada, boss, note, shown, own):
    make_player("20000060", "Bo", "Adler")
    hide(ada, boss)
    mark = RerateMark(player=Player.objects.get(member_id=own), note=note)
    assert mark.translated_note == shown


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        (
            "FIDE rating of Ada Oldname: linked to FIDE ID 2016192.",
            "FIDE rating of Private member: linked to FIDE ID ….",
        ),
        (
            "Ada Oldname: adult membership was entered.",
            "Private member: adult membership was entered.",
        ),
        (
            "The games of Ada Oldname in Paris Open were corrected.",
            "The games of Private member in Paris Open were corrected.",
        ),
        (
            "FIDE rating 1900 of Ada Oldname was entered.",
            "FIDE rating … of Private member was entered.",
        ),
        (
            "CFC rating 1900 of Ada Oldname was taken back.",
            "CFC rating … of Private member was taken back.",
        ),
    ],
)
def test_notes_hide_earlier_names(ada, boss, note, shown):
    mark = RerateMark(player=ada, note=note)
    assert mark.translated_note == note
    hide(ada, boss)
    assert RerateMark(player=Player.objects.get(), note=note).translated_note == shown


def test_only_the_td_who_reported_an_event_downloads_the_name(client, ada, boss):
    event = play(ada)
    hide(ada, boss)
    address = f"{event.get_absolute_url()}report.csv"
    td = event.submission.uploaded_by
    for user, is_shown in ((None, False), (make_td("other"), False), (td, True)):
        client.logout()
        if user:
            client.force_login(user)
        text = client.get(address).content.decode().upper()
        assert ada.member_id in text
        assert ("QUORBLATT" in text) == is_shown, user


def test_findings_name_private_members_only_while_the_td_is_certified(
    client, ada, boss
):
    td = make_td(member_id="20000061")
    section = section_report([ada, make_player("20000062")], ["W2W", "L1B"])
    first, *others = section.entries
    section = replace(section, entries=(replace(first, name="TAPIR, ZED"), *others))
    submission = upload(td, event_report(td, [section]))
    hide(ada, boss)
    [odd] = [one for one in findings_of(submission) if "Quorblatt" in one.message]
    override_findings(
        submission_id=submission.pk, actor=td, finding_keys=[odd.key], reason="Ask me."
    )
    gone = "Ada Quorblatt was here."  # of an issue that the report has no longer
    FindingOverride.objects.create(
        submission=submission, finding_key="x", message=gone, reason="Yes.", by=td
    )
    submission.refresh_from_db()
    counts = submission.finding_counts
    _key, text = create_key(owner=td, name="desk", may_submit=True)
    headers = {"Authorization": f"Bearer {text}"}
    client.force_login(td)
    page = submission.get_absolute_url()
    for is_certified in (True, False):
        yesterday = timezone.localdate() - timedelta(days=1)
        until = date(2099, 1, 1) if is_certified else yesterday
        Official.objects.filter(player=td.player).update(certified_until=until)
        api = f"/api/v1/reports/{submission.pk}"
        for answer in (client.get(page), client.get(api, headers=headers)):
            shown = answer.content.decode()
            assert answer.status_code == 200
            assert "TAPIR, ZED" in shown
            assert ("Quorblatt" in shown) == is_certified
        submission.refresh_from_db()
        assert submission.finding_counts == counts
    client.force_login(boss)
    assert "Quorblatt" in client.get(page).content.decode()


def test_clerks_read_private_names_in_the_findings_of_the_api(client, ada, boss):
    hide(ada, boss)
    td = make_td(member_id="20000061")
    section = section_report([ada, make_player("20000062")], ["W2W", "L1B"])
    first, *others = section.entries
    section = replace(section, entries=(replace(first, name="TAPIR, ZED"), *others))
    submission = upload(boss, event_report(td, [section]))
    _key, text = create_key(owner=boss, name="desk", may_submit=True)
    answer = client.get(
        f"/api/v1/reports/{submission.pk}", headers={"Authorization": f"Bearer {text}"}
    )
    assert "Quorblatt" in answer.content.decode()


def test_exported_name_does_not_depend_on_the_readers_language(client, ada, boss):
    event = play(ada)
    hide(ada, boss)
    for language in ("en", "es"):
        address = f"{event.get_absolute_url()}report.csv"
        text = client.get(address, headers={"accept-language": language}).content
        assert "PRIVATE MEMBER" in text.decode().upper()


def test_staff_download_lists_with_the_names(client, ada, boss):
    hide(ada, boss)
    address = f"/players/?q={ada.member_id}&format=csv"
    assert "Quorblatt" not in client.get(address).getvalue().decode()
    client.force_login(boss)
    assert "Quorblatt" in client.get(address).getvalue().decode()


def test_activity_log_has_the_name_whoever_acts(ada, boss):
    hide(ada, boss)
    entry = record("player.checked", subject=Player.objects.get(), actor=None)
    assert entry.subject_name == "Ada Quorblatt (20000041)"


def test_letters_to_the_member_have_the_name(ada, boss):
    hide(ada, boss)
    ada.refresh_from_db()
    words = {
        "player": ada,
        "claim": Claim(player=ada),
        "invitation": Invitation(player=ada, at_age=18),
        "site": "https://example.org",
    }
    for letter in ("code", "invitation", "offer"):
        text = render_to_string(f"players/claims/{letter}.txt", words)
        assert "Ada Quorblatt (20000041)" in text


def test_roster_is_not_sorted_by_a_hidden_name(ada, boss):
    hide(ada, boss)
    ada.refresh_from_db()
    rows = [
        RosterLine(RosterRow(1, ada.member_id, "Zebra"), DAY, RowStatus.MATCH),
        RosterLine(RosterRow(2, "", "Tapir"), DAY, RowStatus.NOT_FOUND),
    ]
    lines = [replace(rows[0], player=ada), rows[1]]
    assert [one.line.row.number for one in page_lines(lines, BY_NAME)] == [2, 1]
    with all_names_shown():
        assert [one.line.row.number for one in page_lines(lines, BY_NAME)] == [1, 2]


def test_private_members_are_listed_by_member_id(client):
    """Their own order would tell the order of the hidden names."""
    for member_id, name, is_private in [
        ("20000051", "Zorn", True),
        ("20000052", "Adler", True),
        ("20000053", "Moll", False),
        ("20000054", "Baer", False),
    ]:
        make_player(
            member_id,
            family_name=name,
            state="WY",
            ratings={"OTBR": (1500, 30)},
            is_private=is_private,
        )
    # Public members by name, and then private ones by ID.
    by_name = ["20000054", "20000053", "20000051", "20000052"]
    month = published().slug
    for address in (
        "/players/?state=WY",
        "/players/?state=WY&sort=name",
        "/players/?q=2000005",
        f"/lists/{month}/?system=OTBR",
        f"/lists/{month}/?system=OTBR&sort=name",
        "/rankings/OTBR/",
    ):
        page = client.get(address).content.decode()
        assert list(dict.fromkeys(re.findall("2000005[1-4]", page))) == by_name, address
    page = client.get("/players/?state=WY&sort=-name").content.decode()
    found = list(dict.fromkeys(re.findall("2000005[1-4]", page)))
    assert found == by_name[::-1]


def test_followed_private_members_are_listed_by_member_id():
    fan = make_user("fan")
    for member_id, name in [("20000051", "Zorn"), ("20000052", "Adler")]:
        player = make_player(member_id, family_name=name, is_private=True)
        fan.follows.create(player=player)
    public = make_player("20000053", family_name="Moll")
    fan.follows.create(player=public)
    found = [player.member_id for player in followed_players(fan)]
    assert found == ["20000053", "20000051", "20000052"]


@pytest.mark.parametrize("members", [2, 20])
def test_any_number_of_private_members_takes_the_same_queries(
    client, django_assert_num_queries, members
):
    client.force_login(make_player(account=make_user()).account)
    for number in range(members):
        make_player(family_name=f"Quorb{number}", state="WY", is_private=True)
    client.get("/players/?state=WY")
    with django_assert_num_queries(9):
        page = client.get("/players/?state=WY").content.decode()
    assert page.count("Private member") == members
