"""From sign-up to a certified TD's first report, and refusals on the way."""

import re
from datetime import date, timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from events.certification.services import (
    ask_for_certification,
    certify_td,
    decline_td,
)
from events.models import Official
from players.claims.services.claims import ClaimRefused, claim_member
from players.models import Claim, Player
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry, Notice, User
from tests.factories import make_player, make_staff, make_td, make_user, verified

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]

WELCOME = "/welcome/"
OFFICE = "/office/directors/"
PASSWORD = "Rook-to-e8-now"
CERTIFY = {"decision": "grant", "level": "local", "reason": "Passed the exam."}
BORN = date(1970, 5, 24)


# Of the two pages of the office.
REQUESTS, ONE_REQUEST = 7, 9


def next_year() -> date:
    return timezone.localdate() + timedelta(days=365)


def certifying_staff() -> dict[str, str]:
    return CERTIFY | {"certified_until": next_year().isoformat()}


def request_certification(
    player: Player, account: User, text: str = "Local TD."
) -> Claim:
    return ask_for_certification(
        player_id=player.pk, text=text, birth_date=BORN, actor=account
    )


def certify(request: Claim, actor: User) -> Official:
    return certify_td(
        request_id=request.pk,
        level="local",
        certified_until=next_year(),
        safe_play_until=next_year(),
        reason="Passed the exam.",
        actor=actor,
    )


@pytest.fixture
def tess() -> Player:
    return make_player("31415926", "Tess", "Tell", birth_date=BORN)


@pytest.fixture
def tom() -> User:
    return verified(make_user("tom"))


class Reader:
    """A person with a browser; counts the pages that it loads."""

    def __init__(self) -> None:
        self.client = Client()
        self.loads = 0
        self.page = ""
        self.path = ""

    def open(self, path: str) -> None:
        self._shown(self.client.get(path, follow=True))

    def follow(self, words: str) -> None:
        """Follow a link of the page."""
        links = re.findall(r'<a [^>]*href="([^"]+)"[^>]*>(.*?)</a>', self.page, re.S)
        named = [url for url, text in links if words in re.sub(r"<.*?>", "", text)]
        assert named, (words, self.path)
        self.open(named[0])

    def send(self, action: str, **fields: str) -> None:
        """Send a form of the page; the answer is one more page."""
        forms = re.findall(r"<form [^>]*>", self.page)
        actions = [re.search(r'action="([^"]*)"', one) for one in forms]
        assert action in [one[1] if one else self.path for one in actions]
        for name in fields:
            assert f'name="{name}"' in self.page, name
        self._shown(self.client.post(action, fields, follow=True))

    def _shown(self, response) -> None:
        assert response.status_code == 200
        self.loads += 1
        self.page = response.content.decode()
        self.path = response.request["PATH_INFO"]


def test_eight_pages_lead_from_sign_up_to_a_certified_tds_reports(tess):
    td, clerk = Reader(), Reader()
    clerk.client.force_login(make_staff("cleo"))

    td.open("/accounts/signup/")
    both = {"password1": PASSWORD, "password2": PASSWORD}
    td.send("/accounts/signup/", username="tess", email="tess@example.org", **both)
    run_due_jobs()
    code = re.search(r"^ {4}(\S+)$", mail.outbox[-1].body, re.M)[1]
    td.send(td.path, code=code)
    assert td.path == WELCOME
    assert "What brings you here?" in td.page
    td.send(
        WELCOME,
        member=tess.member_id,
        secret_birth_date=BORN.isoformat(),
        text="Local TD until next year, Portland.",
    )
    assert "The ratings office has your request" in td.page

    clerk.open("/office/")
    clerk.follow("request for TD certification")
    assert "Not linked yet. Certifying also links the account." in clerk.page
    assert "Portland" in clerk.page
    clerk.send(clerk.path, **certifying_staff())
    assert "Tess Tell is certified as a Local TD" in clerk.page

    run_due_jobs()
    letter = mail.outbox[-1]
    assert letter.to == ["tess@example.org"]
    assert letter.subject == "You are certified as a Local TD"
    td.open(re.search(r"^http://[^/]+(/desk/\S*)$", letter.body, re.M)[1])
    assert td.path == "/desk/"
    assert "Upload a file" in td.page
    assert "Enter results manually" in td.page
    assert td.loads + clerk.loads == 8


def test_certifying_links_records_and_tells(tess, tom):
    cleo = make_staff("cleo")
    request = request_certification(tess, tom)
    official = certify(request, cleo)
    tess.refresh_from_db()
    request.refresh_from_db()
    assert (tess.account, official.level) == (tom, "local")
    assert official.certified_until == official.safe_play_until == next_year()
    assert (request.state, request.decided_by) == ("granted", cleo)
    entry = AuditEntry.objects.get(action="td.certified")
    assert (entry.actor, entry.reason) == (cleo, "Passed the exam.")
    assert entry.facts == {
        "account": "tom",
        "level": "local",
        "until": next_year().isoformat(),
        "safe_play": next_year().isoformat(),
        "new": True,
    }
    notice = Notice.objects.get(account=tom)
    assert (notice.kind, notice.url) == ("events.certification", "/desk/")


def test_decline_changes_nothing_and_gives_the_reason(client, tess, tom):
    request = request_certification(tess, tom)
    client.force_login(make_staff())
    answer = client.post(
        f"{OFFICE}{request.pk}/", {"decision": "refuse", "reason": "No exam yet."}
    )
    assert answer["Location"] == OFFICE
    tess.refresh_from_db()
    request.refresh_from_db()
    assert (tess.account, request.state) == (None, "refused")
    assert not Official.objects.exists()
    notice = Notice.objects.get(account=tom)
    assert "No exam yet." in notice.text
    client.force_login(tom)
    assert "Request TD certification" in client.get(WELCOME).content.decode()


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"level": ""}, "level"),
        ({"certified_until": ""}, "certified_until"),
        ({"certified_until": "2020-01-01"}, "certified_until"),
        ({"reason": ""}, "reason"),
    ],
)
def test_certifying_needs_level_day_and_reason(client, tess, tom, changed, field):
    request = request_certification(tess, tom)
    client.force_login(make_staff())
    answer = client.post(f"{OFFICE}{request.pk}/", certifying_staff() | changed)
    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert not Official.objects.exists()


def test_only_the_office_certifies_and_never_itself(client, tess, tom):
    request = request_certification(tess, tom)
    for decide in (certify, lambda one, actor: decline(one, actor)):
        with pytest.raises(NotAllowed):
            decide(request, tom)
    for path in (OFFICE, f"{OFFICE}{request.pk}/"):
        client.force_login(tom)
        assert client.get(path).status_code == 403
    cleo = make_staff()
    own = make_player(account=cleo)
    with pytest.raises(ClaimRefused, match="your own request"):
        certify(request_certification(own, cleo), cleo)


def decline(request: Claim, actor: User) -> Claim:
    return decline_td(request_id=request.pk, reason="No.", actor=actor)


def test_decided_request_is_decided_once(tess, tom):
    request = request_certification(tess, tom)
    cleo = make_staff()
    certify(request, cleo)
    for decide in (certify, decline):
        with pytest.raises(ClaimRefused, match="no longer open"):
            decide(request, cleo)


def test_member_of_another_account_is_not_certified_for_this_one(tess, tom):
    request = request_certification(tess, tom)
    Player.objects.filter(pk=tess.pk).update(account=make_user("owner"))
    with pytest.raises(ClaimRefused, match="already linked to another account"):
        certify(request, make_staff())
    assert not Official.objects.exists()


def test_account_asks_once_and_for_its_own_member_only(tess, tom):
    request_certification(tess, tom)
    with pytest.raises(ClaimRefused, match="already has your request"):
        request_certification(tess, tom)
    td = make_td()
    with pytest.raises(ClaimRefused, match="linked to"):
        request_certification(tess, td)
    with pytest.raises(ClaimRefused, match="already certified"):
        request_certification(td.player, td)


def test_td_request_and_link_request_stand_side_by_side(client, tess, tom):
    request_certification(tess, tom)
    link = claim_member(player_id=tess.pk, as_guardian=False, actor=tom)
    assert link.state == "code"
    client.force_login(make_staff())
    assert "Tess Tell" not in client.get("/office/claims/").content.decode()
    td_request = Claim.objects.get(as_td=True)
    assert client.get(f"/office/claims/{td_request.pk}/").status_code == 404
    assert client.get(f"{OFFICE}{link.pk}/").status_code == 404


def test_expired_td_asks_for_renewal(client):
    td = make_td()
    yesterday = timezone.localdate() - timedelta(days=1)
    Official.objects.update(certified_until=yesterday)
    client.force_login(td)
    page = client.get(WELCOME).content.decode()
    assert "Your TD certification ended on" in page
    assert client.post(WELCOME, {"text": "Renewed."}).status_code == 302
    official = certify(Claim.objects.get(), make_staff())
    assert (official.player.account, official.level) == (td, "local")
    assert AuditEntry.objects.get(action="td.certified").facts["new"] is False


def test_welcome_page_keeps_what_was_typed_and_links_members(client, tom):
    client.force_login(tom)
    answer = client.post(WELCOME, {"member": "99999999", "text": "Club TD"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "No member has this ID." in page
    assert "Club TD" in page
    child = make_player("27182818", birth_date=None)
    sent = {"member": child.member_id, "whom": "guardian"}
    answer = client.post("/players/claim/", sent)
    assert answer["Location"] == f"/players/claim/{Claim.objects.get().pk}/"


@pytest.mark.parametrize("others", [1, 12])
def test_pages_take_the_same_queries_for_any_number_of_requests(
    client, django_assert_num_queries, tess, tom, others
):
    request = request_certification(tess, tom)
    for number in range(others):
        request_certification(make_player(), make_user(f"td{number}"))
    client.force_login(make_staff())
    client.get(OFFICE)
    with django_assert_num_queries(REQUESTS):
        client.get(OFFICE)
    with django_assert_num_queries(ONE_REQUEST):
        client.get(f"{OFFICE}{request.pk}/")


def test_certifying_says_what_becomes_of_the_safe_play_date(tess, tom):
    """A call that leaves it out can't clear the date on record."""
    Official.objects.create(
        player=tess,
        level="club",
        certified_until=next_year(),
        safe_play_until=next_year(),
    )
    with pytest.raises(TypeError, match="safe_play_until"):
        certify_td(
            request_id=1,
            level="local",
            certified_until=next_year(),
            reason="Passed the exam.",
            actor=make_staff(),
        )
    assert Official.objects.get().safe_play_until == next_year()
