"""Linking an account to a member: by a code, or by the office's decision."""

import re
from datetime import date, timedelta

import pytest
from django.core import mail
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone

from players.claims.services import claims
from players.claims.services.claims import (
    ClaimRefused,
    ask_office,
    claim_member,
    code_of,
    grant_claim,
    refuse_claim,
    try_code,
)
from players.guardians.queries import children_of
from players.models import Claim, Contact, Guardian, GuardianAccount, Player
from players.privacy.services import decide_privacy
from ratings.access import RatingViewer
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, Job, Notice, User
from tests.factories import make_player, make_staff, make_user, verified
from tests.response_text import contains_number

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]

PAGE = "/players/claim/"
ON_RECORD = "on-record@example.org"


def aged(years: int) -> date:
    today = timezone.localdate()
    return today - timedelta(days=round(365.25 * years) + 30)


def member(years: int = 40, *, email: str = ON_RECORD, **fields) -> Player:
    player = make_player(birth_date=aged(years), **fields)
    if email:
        Contact.objects.create(player=player, email=email)
    return player


def claimed(player: Player, account: User, *, as_guardian: bool = False) -> Claim:
    return claim_member(player_id=player.pk, as_guardian=as_guardian, actor=account)


def mailed_code() -> str:
    """Run the office's jobs, and return the code in the newest letter."""
    run_due_jobs()
    return re.search(r"^ +(\d{4} \d{4})$", mail.outbox[-1].body, re.M)[1]


@pytest.fixture
def ann() -> User:
    return verified(make_user("ann"))


def asked(player: Player, account: User, **options) -> Claim:
    claim = claimed(player, account, **options)
    return ask_office(
        claim_id=claim.pk, text="My club.", birth_date=aged(40), actor=account
    )


def test_guardian_under_a_merged_number_speaks_already(ann):
    kept = member(9)
    ann.children.create(player=make_player(status="duplicate", merged_into=kept))
    with pytest.raises(ClaimRefused):
        claimed(kept, ann, as_guardian=True)


def test_code_from_the_address_on_record_links_account_and_member(client, ann):
    player = member()
    client.force_login(ann)
    page = client.post(PAGE, {"member": player.member_id, "whom": "member"})
    code = mailed_code()
    assert [message.to for message in mail.outbox] == [[ON_RECORD]]
    done = client.post(page["Location"], {"secret_code": code}, follow=True)
    assert player.name in done.content.decode()
    player.refresh_from_db()
    assert player.account == ann
    assert list(
        AuditEntry.objects.order_by("pk").values_list("action", "actor__username")
    ) == [("claim.made", "ann"), ("claim.granted", "ann")]


def test_code_of_a_child_goes_to_the_guardian_and_their_account_speaks(ann):
    child = member(9)
    Guardian.objects.create(player=child, email="parent@example.org")
    claim = claimed(child, ann, as_guardian=True)
    code = mailed_code()
    assert mail.outbox[-1].to == ["parent@example.org"]
    assert not RatingViewer(ann).can_see_exact(child.pk)
    try_code(claim_id=claim.pk, code=code, actor=ann)
    assert children_of(ann) == [child]
    assert RatingViewer(ann).can_see_exact(child.pk)
    child.refresh_from_db()
    assert child.account is None


def test_guardian_without_a_stated_address_gets_the_notices(ann):
    child = member(9)
    claim = claimed(child, ann, as_guardian=True)
    try_code(claim_id=claim.pk, code=mailed_code(), actor=ann)
    assert Guardian.objects.get(player=child).email == ann.email


def test_guardian_speaks_until_the_child_is_of_age(ann):
    child, grown = member(17), member(18, email="")
    for player in (child, grown):
        GuardianAccount.objects.create(player=player, account=ann)
    assert children_of(ann) == [child]


@pytest.mark.parametrize(
    ("years", "as_guardian"), [(12, False), (18, True)], ids=["too young", "of age"]
)
def test_who_speaks_is_a_matter_of_age(ann, years, as_guardian):
    claim = claimed(member(years), ann, as_guardian=as_guardian)
    code = mailed_code()
    with pytest.raises(ClaimRefused):
        try_code(claim_id=claim.pk, code=code, actor=ann)
    claim.refresh_from_db()
    assert claim.state == Claim.State.CODE


@pytest.mark.parametrize("as_guardian", [True, False])
def test_from_13_to_17_either_speaks(ann, as_guardian):
    claim = claimed(member(14), ann, as_guardian=as_guardian)
    granted = try_code(claim_id=claim.pk, code=mailed_code(), actor=ann)
    assert granted.state == Claim.State.GRANTED


def test_a_birth_year_alone_shows_who_is_under_13(ann):
    child = member()
    Player.objects.filter(pk=child.pk).update(
        birth_date=None, birth_year=timezone.localdate().year - 8
    )
    claim = claimed(child, ann)
    with pytest.raises(ClaimRefused, match="under 13"):
        try_code(claim_id=claim.pk, code=mailed_code(), actor=ann)


def test_the_office_sees_the_age_that_a_birth_year_tells(client, ann):
    child = member(email="")
    claim = asked(child, ann)
    Player.objects.filter(pk=child.pk).update(
        birth_date=None, birth_year=timezone.localdate().year - 8
    )
    client.force_login(make_staff())
    page = client.get(f"/office/claims/{claim.pk}/").content.decode()
    assert "under 13: only a parent" in page


def test_five_wrong_codes_end_it_also_for_the_right_one(ann):
    claim = claimed(member(), ann)
    code = mailed_code()
    for _ in range(100):
        with pytest.raises(ClaimRefused):
            try_code(claim_id=claim.pk, code="00000000", actor=ann)
    with pytest.raises(ClaimRefused):
        try_code(claim_id=claim.pk, code=code, actor=ann)
    claim.refresh_from_db()
    assert (claim.tries, claim.state) == (5, Claim.State.CODE)
    assert AuditEntry.objects.filter(action="claim.wrong_code").count() == 5


@pytest.mark.parametrize(("minutes", "counts"), [(29, True), (31, False)])
def test_code_counts_for_half_an_hour(ann, minutes, counts):
    claim = claimed(member(), ann)
    code = mailed_code()
    made = timezone.now() - timedelta(minutes=minutes)
    Claim.objects.update(created_at=made)
    if not counts:
        with pytest.raises(ClaimRefused):
            try_code(claim_id=claim.pk, code=code, actor=ann)
    else:
        try_code(claim_id=claim.pk, code=code, actor=ann)
    claim.refresh_from_db()
    assert (claim.state == Claim.State.GRANTED) is counts


def test_code_of_another_account_or_claim_is_rejected(ann):
    player, bob = member(), make_user()
    mine, his = claimed(player, ann), claimed(player, bob)
    code = mailed_code()
    assert code.replace(" ", "") == code_of(his)
    with pytest.raises(ClaimRefused):
        try_code(claim_id=mine.pk, code=code, actor=ann)
    with pytest.raises(Claim.DoesNotExist):
        try_code(claim_id=his.pk, code=code, actor=ann)


def test_claim_of_a_member_without_an_address_is_answered_the_same(client, ann):
    client.force_login(ann)
    pages = []
    for player in (member(), member(email="")):
        sent = {"member": player.member_id, "whom": "member"}
        page = client.post(PAGE, sent, follow=True).content.decode()
        wrong = client.post(
            f"{PAGE}{Claim.objects.first().pk}/", {"secret_code": "1"}
        ).content.decode()
        for text in (page, wrong):
            text = re.sub(r'value="\w{64}"|/claim/\d+/', "", text)
            pages.append(text.replace(player.member_id, "").replace(player.name, ""))
    assert pages[:2] == pages[2:]
    run_due_jobs()
    assert len(mail.outbox) == 1
    assert not Job.objects.exclude(state=Job.State.DONE).exists()


def test_nothing_mailed_means_that_no_code_is_right(ann):
    claim = claimed(member(email=""), ann)
    run_due_jobs()
    with pytest.raises(ClaimRefused):
        try_code(claim_id=claim.pk, code=code_of(claim), actor=ann)


def test_sixth_claim_of_a_day_is_refused_and_a_member_gets_five_emails(ann):
    for _ in range(5):
        claimed(member(), ann)
    with pytest.raises(ClaimRefused):
        claimed(member(), ann)
    mail.outbox.clear()
    wanted = member(email="wanted@example.org")
    for _ in range(7):
        claimed(wanted, make_user())
    run_due_jobs()
    to = [message.to for message in mail.outbox]
    assert to.count(["wanted@example.org"]) == 5


def test_claim_again_takes_the_place_of_the_one_that_waits(ann):
    player = member()
    first, second = claimed(player, ann), claimed(player, ann)
    first.refresh_from_db()
    assert [first.state, second.state] == [Claim.State.WITHDRAWN, Claim.State.CODE]
    with pytest.raises(IntegrityError):
        Claim.objects.create(player=player, account=ann, salt="x")


def test_record_of_another_account_is_not_taken_by_a_code(ann):
    player = member(account=make_user("before"))
    claim = claimed(player, ann)
    code = mailed_code()
    with pytest.raises(ClaimRefused):
        try_code(claim_id=claim.pk, code=code, actor=ann)
    player.refresh_from_db()
    assert player.account.username == "before"


def test_account_is_one_member(ann):
    member(account=ann, email="")
    claim = claimed(member(), ann)
    code = mailed_code()
    with pytest.raises(ClaimRefused):
        try_code(claim_id=claim.pk, code=code, actor=ann)


def test_claim_of_a_merged_number_is_one_of_the_member_who_goes_on(ann):
    kept, merged = member(), member(email="")
    Player.objects.filter(pk=merged.pk).update(
        merged_into=kept, status=Player.Status.DUPLICATE
    )
    assert claimed(merged, ann).player == kept


# Asking the office


@pytest.mark.parametrize(
    ("known", "agrees"), [(aged(40), True), (aged(41), False), (None, None)]
)
def test_of_the_birth_date_only_whether_it_agrees_is_kept(ann, known, agrees):
    player = member()
    Player.objects.filter(pk=player.pk).update(birth_date=known)
    claim = asked(player, ann)
    assert claim.birth_date_agrees is agrees
    everything = str(Claim.objects.values()) + str(AuditEntry.objects.values())
    assert not contains_number(everything, aged(40))
    assert "agrees': True" not in str(AuditEntry.objects.values())


def test_claimant_is_not_told_whether_the_birth_date_agrees(client, ann):
    client.force_login(ann)
    pages = []
    for years in (40, 50):
        claim = claimed(member(years, email=""), ann)
        sent = {"secret_birth_date": aged(40).isoformat(), "text": "My club."}
        page = client.post(f"{PAGE}{claim.pk}/", sent, follow=True).content.decode()
        shown = page.partition("<main")[2]  # the menu links to /matches/
        assert "The office has your request." in shown
        pages.append("matches" in shown or "differs" in shown)
    assert pages == [False, False]
    assert list(
        Claim.objects.order_by("pk").values_list("birth_date_agrees", flat=True)
    ) == [True, False]


def test_office_grants_and_the_claimant_hears_of_it(client, ann):
    player = member(email="")
    claim = asked(player, ann)
    client.force_login(make_staff("sam"))
    assert player.name in client.get("/office/claims/").content.decode()
    page = client.get(f"/office/claims/{claim.pk}/").content.decode()
    assert not contains_number(page, aged(40))
    assert "matches" in page
    client.post(
        f"/office/claims/{claim.pk}/", {"decision": "grant", "reason": "Letter seen."}
    )
    player.refresh_from_db()
    assert player.account == ann
    notice = Notice.objects.get(account=ann)
    assert notice.text == "Letter seen."
    entry = AuditEntry.objects.get(action="claim.granted")
    assert (entry.actor.username, entry.reason) == ("sam", "Letter seen.")


def test_office_refuses_with_a_reason(client, ann):
    player = member(email="")
    claim = asked(player, ann)
    client.force_login(make_staff())
    path = f"/office/claims/{claim.pk}/"
    assert client.post(path, {"decision": "refuse", "reason": ""}).status_code == 422
    client.post(path, {"decision": "refuse", "reason": "Not you."})
    claim.refresh_from_db()
    player.refresh_from_db()
    assert (claim.state, claim.reason) == (Claim.State.REFUSED, "Not you.")
    assert player.account is None
    late = client.post(path, {"decision": "grant", "reason": "A letter came."})
    assert late.status_code == 422
    assert "A letter came." in late.content.decode()


@pytest.mark.parametrize("granted", [True, False])
def test_only_a_linked_account_is_told_the_name_of_a_private_member(
    client, ann, granted
):
    player = member(
        email="", given_name="Ada", family_name="Quorblatt", is_private=True
    )
    claim = asked(player, ann)
    client.force_login(make_staff())
    decision = "grant" if granted else "refuse"
    answer = {"decision": decision, "reason": "Letter seen."}
    client.post(f"/office/claims/{claim.pk}/", answer)
    assert Notice.objects.get(account=ann).title == (
        "Your account is now linked to Ada Quorblatt."
        if granted
        else "Your account was not linked to Private member."
    )


@pytest.mark.parametrize("granted", [True, False])
def test_hiding_a_name_deletes_it_from_decisions_for_unlinked_accounts(ann, granted):
    player, sam = member(email=""), make_staff("sam")
    decide = grant_claim if granted else refuse_claim
    decide(claim_id=asked(player, ann).pk, actor=sam, reason="Letter seen.")
    boss = make_user(is_staff=True, is_superuser=True)
    decide_privacy(player_id=player.pk, make_private=True, actor=boss, reason="Asked.")
    ann.refresh_from_db()
    assert (Notice.objects.count(), ann.unread_notices) == (granted, granted)


def test_own_claims_and_decided_claims_cannot_be_decided(ann):
    sam = make_staff("sam")
    own = asked(member(email=""), sam)
    with pytest.raises(ClaimRefused):
        grant_claim(claim_id=own.pk, actor=sam, reason="It is I.")
    other = asked(member(email=""), ann)
    with pytest.raises(NotAllowed):
        refuse_claim(claim_id=other.pk, actor=make_user(), reason="No.")
    refuse_claim(claim_id=other.pk, actor=sam, reason="No.")
    with pytest.raises(ClaimRefused):
        grant_claim(claim_id=other.pk, actor=sam, reason="Yes.")


def test_pages_of_a_claim_belong_to_its_account(client, ann):
    claim = claimed(member(), ann)
    assert client.get(PAGE).url == f"/accounts/login/?next={PAGE}"
    other = Client()
    other.force_login(make_user())
    assert other.get(f"{PAGE}{claim.pk}/").status_code == 404
    assert other.get("/office/claims/").status_code == 403


def test_address_on_record_stands_nowhere_but_in_the_admin(client, ann):
    player = member()
    claimed(player, ann)
    run_due_jobs()
    staff = Client()
    staff.force_login(make_staff())
    for who, path in (
        (client, player.get_absolute_url()),
        (client, f"/api/v1/members/{player.member_id}/"),
        (staff, "/office/jobs/"),
        (staff, "/office/audit/"),
    ):
        assert ON_RECORD not in who.get(path, follow=True).content.decode()
    page = staff.get(f"/admin/players/player/{player.pk}/change/").content.decode()
    assert ON_RECORD in page
    assert len(code_of(Claim.objects.get())) == claims.CODE_DIGITS


def test_own_claim_shows_no_buttons_but_who_decides(client):
    clerk = verified(make_staff())
    claim = claimed(member(), clerk)
    birth_date = claim.player.birth_date
    ask_office(claim_id=claim.pk, text="It is me.", birth_date=birth_date, actor=clerk)
    page = f"/office/claims/{claim.pk}/"
    client.force_login(clerk)
    mine = client.get(page).content.decode()
    client.force_login(make_staff())
    theirs = client.get(page).content.decode()
    assert ("Another clerk has to decide it" in mine, 'value="grant"' in mine) == (
        True,
        False,
    )
    assert 'value="grant"' in theirs


def unrelated_claims(player: Player, number: int, claims: int) -> None:
    """Let *number* accounts each send *claims* link requests for a member."""
    for one in range(number):
        stranger = verified(make_user(f"stranger{one}"))
        for _ in range(claims):
            claimed(player, stranger)
            run_due_jobs()


def mails() -> int:
    run_due_jobs()
    return len(mail.outbox)


def test_one_account_cannot_use_up_the_codes_of_a_member(ann):
    player = member()
    unrelated_claims(player, 1, claims.MAX_CLAIMS_PER_DAY)
    assert mails() == 2
    claimed(player, ann)
    assert mails() == 3


def test_member_gets_five_codes_a_day_from_all_accounts_together(ann):
    player = member()
    unrelated_claims(player, 4, 2)
    claimed(player, ann)
    assert mails() == claims.MAX_CLAIMS_PER_DAY


@pytest.mark.parametrize("is_verified", [True, False])
def test_strangers_cannot_use_up_the_codes_of_the_address_s_own_account(is_verified):
    player = member()
    owner = make_user("owner", email=ON_RECORD.upper())
    owner.emailaddress_set.create(email=ON_RECORD.upper(), verified=is_verified)
    unrelated_claims(player, 4, 2)
    claimed(player, owner)
    assert mails() == claims.MAX_CLAIMS_PER_DAY + is_verified
