"""Invitations by list: dry run, one action, harmless when repeated."""

import re
from datetime import date, timedelta

import pytest
from django.contrib.auth.models import Permission
from django.core import mail
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from events.access import official_of, submission_denial_reason
from events.models import Official
from players.claims.services.invitation_lists import receive_list
from players.guardians.services import add_guardian_account
from players.imports.kinds import ImportRefused
from players.imports.services.actions import apply_intake
from players.models import Contact, Guardian, Intake, Invitation, Player
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, Job, User
from tests.factories import make_player, make_staff, make_user, verified

pytestmark = pytest.mark.django_db

PAGE = "/office/claims/invite/list/"
DIRECTORS = "/office/invite-directors/"


@pytest.fixture
def staff(client) -> User:
    user = make_staff()
    client.force_login(user)
    return user


def child(years: int, **fields) -> Player:
    born = timezone.localdate() - timedelta(days=round(365.25 * years) + 30)
    return make_player(birth_date=born, **fields)


def read(*lines: str, actor: User | None = None) -> Intake:
    content = "\n".join(["Member ID,Email,Invited as", *lines]).encode()
    actor = actor or make_staff()
    intake = receive_list(actor=actor, name="list.csv", content=[content])
    run_due_jobs()
    intake.refresh_from_db()
    return intake


def sent(intake: Intake, *, actor: User | None = None) -> Intake:
    actor = actor or make_staff()
    apply_intake(intake_id=intake.pk, actor=actor, reason="The new season.")
    run_due_jobs()
    intake.refresh_from_db()
    return intake


def codes(intake: Intake) -> dict[str, str]:
    """Return the refusal codes of lines, by their first cell."""
    rows = intake.rows.filter(kind="refused")
    return {row.values["cells"][0]: row.reason["code"] for row in rows}


def invited(intake: Intake) -> dict[str, tuple[str, str]]:
    rows = intake.rows.filter(kind="new")
    return {
        row.key: (
            row.values["whom"],
            row.values.get("email") or row.values["on_record"],
        )
        for row in rows
    }


def test_dry_run_says_who_is_invited_as_whom_and_where_to():
    typed, on_record, youth, small = make_player(), make_player(), child(15), child(9)
    Contact.objects.create(player=on_record, email="known@example.org")
    Contact.objects.create(player=youth, email="own@example.org")
    Guardian.objects.create(player=youth, email="mother@example.org")
    intake = read(
        f"{typed.member_id},typed@example.org",
        on_record.member_id,
        youth.member_id,
        f"{small.member_id},father@example.org",
    )
    assert invited(intake) == {
        typed.member_id: ("member", "typed@example.org"),
        on_record.member_id: ("member", "known@example.org"),
        youth.member_id: ("member", "mother@example.org"),
        small.member_id: ("guardian", "father@example.org"),
    }
    assert not Invitation.objects.exists()


def test_dry_run_says_who_is_not_invited_and_why():
    grown, small, guarded = make_player(), child(9), child(8)
    add_guardian_account(player=guarded, account=make_user(), actor=make_user())
    own = make_player(account=make_user())
    dead, merged = make_player(status="deceased"), make_player(status="duplicate")
    mute, odd = make_player(), make_player()
    expected = {
        own.member_id: "has_account",
        guarded.member_id: "has_guardian",
        mute.member_id: "no_address",
        odd.member_id: "no_email",
        dead.member_id: "invited_deceased",
        merged.member_id: "member_is_merged",
        "99999999": "invited_unknown",
        "Ada": "no_member_id",
    }
    emails = {odd.member_id: "nowhere", mute.member_id: ""}
    intake = read(*(f"{key},{emails.get(key, 'a@example.org')}" for key in expected))
    assert codes(intake) == expected
    wrong = read(
        f"{small.member_id},a@example.org,member",
        f"{grown.member_id},a@example.org,guardian",
        f"{mute.member_id},a@example.org,king",
        f"{odd.member_id},a@example.org",
        f"{odd.member_id},b@example.org",
    )
    assert codes(wrong) == {
        small.member_id: "too_young_for_account",
        grown.member_id: "needs_no_guardian",
        mute.member_id: "role_unknown",
        odd.member_id: "member_id_twice",
    }


def test_a_birth_year_alone_shows_who_is_under_13():
    year = timezone.localdate().year - 8
    young = make_player(birth_date=None, birth_year=year)
    assert codes(read(f"{young.member_id},a@example.org,member")) == {
        young.member_id: "too_young_for_account"
    }


def test_guardian_under_a_merged_number_counts():
    kept = child(9)
    merged = make_player(status="duplicate", merged_into=kept)
    make_user().children.create(player=merged)
    assert codes(read(f"{kept.member_id},a@example.org")) == {
        kept.member_id: "has_guardian"
    }


def test_address_on_record_is_that_of_the_send_date():
    corrected, lost, typed = make_player(), make_player(), make_player()
    for one in (corrected, lost, typed):
        Contact.objects.create(player=one, email=f"old-{one.pk}@example.org")
    typed_line = f"{typed.member_id},typed@example.org"
    intake = read(corrected.member_id, lost.member_id, typed_line)
    Contact.objects.exclude(player=lost).update(email="new@example.org")
    Contact.objects.filter(player=lost).delete()
    sent(intake)
    letters = sorted(letter.to[0] for letter in mail.outbox)
    assert letters == ["new@example.org", "typed@example.org"]
    facts = AuditEntry.objects.get(action="intake.entered").facts
    assert facts == {"invited": 2, "passed_over": 1}


def test_emails_are_sent_once_however_often_the_list_is_uploaded():
    ann, ben = make_player(), make_player()
    lines = [f"{ann.member_id},ann@example.org", f"{ben.member_id},ben@example.org"]
    first, second = read(*lines), read(*lines)
    sent(first)
    sent(second)
    assert sorted(letter.to[0] for letter in mail.outbox) == [
        "ann@example.org",
        "ben@example.org",
    ]
    facts = [
        entry.facts
        for entry in AuditEntry.objects.filter(action="intake.entered").order_by("pk")
    ]
    assert facts == [
        {"invited": 2, "passed_over": 0},
        {"invited": 0, "passed_over": 2},
    ]
    assert set(codes(read(*lines)).values()) == {"invited_already"}
    kept = AuditEntry.objects.filter(action="invitation.made")
    assert [entry.reason for entry in kept] == ["", ""]
    assert "example.org" not in str(AuditEntry.objects.values())


def test_invitation_that_has_lapsed_may_be_sent_again():
    player = make_player()
    line = f"{player.member_id},ann@example.org"
    sent(read(line))
    Invitation.objects.update(made_at=timezone.now() - timedelta(days=15))
    assert list(invited(read(line))) == [player.member_id]


def test_invitation_emails_share_the_rate_limit_of_notices(settings):
    settings.NOTICE_MAILS_A_MINUTE = 2
    lines = [f"{make_player().member_id},m{n}@example.org" for n in range(5)]
    sent(read(*lines))
    assert len(mail.outbox) == 2
    waits = Job.objects.filter(kind="players.mail_invitation", state="queued")
    assert waits.count() == 3


def test_reading_takes_the_same_queries_for_any_length():
    staff = make_staff()
    taken = []
    for lines in (3, 30):
        staff = User.objects.get(pk=staff.pk)  # with no request yet
        players = [make_player() for _ in range(lines)]
        rows = [f"{one.member_id},m@example.org" for one in players]
        with CaptureQueriesContext(connection) as queries:
            read(*rows, actor=staff)
        taken.append(len(queries))
    assert taken[0] == taken[1]


def test_pasted_lines_need_no_headings(client, staff):
    ann, ben = make_player(), make_player()
    pasted = f"{ann.member_id} ann@example.org\n{ben.member_id}\tben@example.org\n"
    page = client.post(PAGE, {"lines": pasted})
    run_due_jobs()
    intake = Intake.objects.get()
    assert page["Location"] == intake.get_absolute_url()
    assert sorted(invited(intake)) == sorted([ann.member_id, ben.member_id])
    client.post(f"{page['Location']}enter/", {"reason": "They asked."})
    run_due_jobs()
    assert Invitation.objects.count() == 2


def test_a_file_is_taken_and_both_or_neither_are_not(client, staff):
    content = f"Member ID\n{make_player().member_id}\n".encode()
    neither = client.post(PAGE, {"lines": ""})
    both = {"lines": "1", "file": SimpleUploadedFile("list.csv", content)}
    for page in (neither, client.post(PAGE, both)):
        assert page.context["form"].non_field_errors()
    assert not Intake.objects.exists()
    client.post(PAGE, {"file": SimpleUploadedFile("list.csv", content)})
    assert Intake.objects.get().file_name == "list.csv"


def test_import_permission_does_not_allow_invitations():
    clerk = make_user(is_staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename="take_in"))
    intake = sent(read(f"{make_player().member_id},a@example.org"), actor=clerk)
    assert (intake.state, intake.problem["code"]) == ("ready", "may_not_invite")
    assert not Invitation.objects.exists()


def test_who_only_takes_in_files_sees_no_addresses(client):
    clerk = make_user(is_staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename="take_in"))
    member = make_player()
    Contact.objects.create(player=member, email="secret@example.org")
    intake = read(member.member_id)
    client.force_login(clerk)
    page = client.get(intake.get_absolute_url())
    assert page.status_code == 403
    assert "secret@example.org" not in page.content.decode()
    with pytest.raises(PermissionDenied):
        read(member.member_id, actor=clerk)


def test_what_was_sent_cannot_be_undone():
    intake = sent(read(f"{make_player().member_id},a@example.org"))
    with pytest.raises(ImportRefused):
        apply_intake(intake_id=intake.pk, actor=make_staff(), reason="Again.")


def directing(until: date, **fields) -> Player:
    player = make_player(**fields)
    Official.objects.create(player=player, level="local", certified_until=until)
    return player


def test_director_is_invited_and_is_one_the_moment_the_account_is_linked(client, staff):
    today = timezone.localdate()
    tessa = directing(today)
    Contact.objects.create(player=tessa, email="tessa@example.org")
    directing(today - timedelta(days=1))
    directing(today, account=make_user())
    page = client.post(DIRECTORS)
    run_due_jobs()
    assert list(invited(Intake.objects.get())) == [tessa.member_id]
    client.post(f"{page['Location']}enter/", {"reason": "The new office."})
    run_due_jobs()
    (letter,) = mail.outbox
    path = re.search(r"https?://[^/]+(/\S+)", letter.body)[1]

    account = verified(make_user("tessa"))
    guest = Client()
    guest.force_login(account)
    assert official_of(account) is None
    guest.post(path)
    account.refresh_from_db()
    assert official_of(account).player == tessa
    assert submission_denial_reason(account) == ""


def test_without_such_directors_there_is_no_list(client, staff):
    directing(timezone.localdate(), account=make_user())
    page = client.post(DIRECTORS, follow=True).content.decode()
    assert "All certified directors already have an account." in page
    assert not Intake.objects.exists()
