"""A listed TD requests to limit reporting to listed TDs; the office decides."""

from datetime import date

import pytest
from django.utils import timezone

from events.affiliates.queries import open_request
from events.affiliates.services import TdListRefused, request_td_list
from events.checks.services import findings_of
from events.models import Affiliate, Official
from events.reports.services.submissions import submit_report
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.approvals.kinds import ApprovalRefused
from ratings_site.common.approvals.services import approve, refuse
from ratings_site.common.dashboard.queries import pending_items
from ratings_site.common.models import AuditEntry, Notice, PendingAct
from tests.events.checks.test_exclusive_affiliates import CODE, report
from tests.factories import make_affiliate, make_player, make_staff, make_td, upload

pytestmark = pytest.mark.django_db

ASK = "/affiliates/A6000001/tds/"
PAGE = "/affiliates/A6000001/"
OFFICE = "/office/approvals/"
WHY = "The president agrees."


@pytest.fixture
def club() -> Affiliate:
    return make_affiliate()


@pytest.fixture
def td(club):
    """A TD on the list of the club."""
    user = make_td("tessa", "12000001")
    user.player.official.affiliates.add(club)
    return user


@pytest.fixture
def other():
    """A TD on no list."""
    return make_td("olga", "12000002")


@pytest.fixture
def clerk():
    return make_staff("clerk")


def ask(club, actor, *tds) -> PendingAct:
    ids = " ".join(one.player.member_id for one in tds)
    return request_td_list(
        affiliate_id=club.pk, member_ids=ids, reason=WHY, actor=actor
    )


def listed(club) -> tuple[bool, list[str]]:
    club.refresh_from_db()
    officials = club.official_set.order_by("player__member_id")
    return club.is_exclusive, [one.player.member_id for one in officials]


class TestRequest:
    def test_td_names_tds_sees_their_names_and_the_request_waits(
        self, client, club, td, other
    ):
        client.force_login(td)
        assert ASK in client.get(PAGE).text
        typed = {"member_ids": "12000002", "reason": WHY}
        page = client.post(ASK, {**typed, "look": "1"})
        effects = [(one.code, one.sentence) for one in page.context["effects"]]
        assert effects == [
            (
                "named",
                "Only these TDs can report for Castle Chess Club: "
                "Tessa Director (12000002).",
            ),
            (
                "removed",
                "Removed from the list: Tessa Director (12000001). They can’t submit "
                "reports for this affiliate, not even those in progress.",
            ),
        ]
        assert not PendingAct.objects.exists()
        response = client.post(ASK, {**typed, "seen": page.context["seen"]})
        assert response.url == PAGE
        asked = open_request(club)
        assert (asked.proposed_by, asked.reason) == (td, WHY)
        assert listed(club) == (False, ["12000001"])
        page = client.get(PAGE).text
        assert "to limit reporting to listed TDs is pending." in page
        assert ASK not in page

    @pytest.mark.parametrize(
        ("typed", "sentence"),
        [
            ("", "Enter the member ID of at least one TD."),
            (" ,; ", "Enter the member ID of at least one TD."),
            (
                "12000001 12000077 x",
                "No TD has these member IDs: 12000077, X. Correct them.",
            ),
            (
                "12000001, 12000003",
                "Not certified today: Ed Ended (12000003). Name certified TDs only.",
            ),
            ("12000004", "No TD has these member IDs: 12000004. Correct them."),
        ],
    )
    @pytest.mark.parametrize("button", [{"look": "1"}, {}])
    def test_an_invalid_list_is_refused(self, client, td, typed, sentence, button):
        Official.objects.create(
            player=make_player("12000003", "Ed", "Ended"),
            level="club",
            certified_until=date(2020, 1, 1),
        )
        make_player("12000004")
        client.force_login(td)
        response = client.post(ASK, {"member_ids": typed, "reason": WHY, **button})
        errors = [
            one for some in response.context["form"].errors.values() for one in some
        ]
        assert (response.status_code, errors) == (422, [sentence])
        assert not PendingAct.objects.exists()

    def test_a_second_open_request_is_refused(self, client, club, td, other):
        other.player.official.affiliates.add(club)
        ask(club, td, td)
        with pytest.raises(TdListRefused, match="already has a request for this"):
            ask(club, other, other)
        client.force_login(other)
        sent = {"member_ids": "12000002", "reason": WHY}
        page = client.post(ASK, sent)
        sentence = "The office already has a request for this affiliate."
        assert (page.status_code, sentence in page.text) == (422, True)
        assert ASK not in client.get(PAGE).text
        assert PendingAct.objects.count() == 1

    def test_another_affiliate_can_have_its_own_request(self, club, td):
        second = make_affiliate("A6000002", name="Rook Club")
        td.player.official.affiliates.add(second)
        ask(club, td, td)
        assert ask(second, td, td) == open_request(second)

    def test_only_a_certified_td_on_the_list_can_ask(self, client, club, td, other):
        sentence = "Only a certified TD on Castle Chess Club’s list can request this."
        member = make_player(account=make_staff("member")).account
        ended = make_td("ended")
        ended.player.official.affiliates.add(club)
        Official.objects.filter(player=ended.player).update(
            certified_until=timezone.localdate() - timezone.timedelta(days=1)
        )
        for user in (other, member, ended):
            client.force_login(user)
            assert ASK not in client.get(PAGE).text
            assert sentence in client.get(ASK).text
            sent = {"member_ids": "12000001", "reason": WHY}
            assert client.post(ASK, sent).status_code == 403
            with pytest.raises(TdListRefused) as refusal:
                ask(club, user, td)
            assert str(refusal.value) == sentence
        client.logout()
        assert client.get(ASK).status_code == 302
        assert not PendingAct.objects.exists()


class TestDecision:
    def test_approval_sets_the_list_and_only_named_tds_report(
        self, client, club, td, other, clerk
    ):
        draft = upload(td, report(td))
        assert about_list(draft) == []
        asked = ask(club, td, other)
        address = f"{OFFICE}{asked.pk}/"
        client.force_login(clerk)
        assert address in client.get(OFFICE).text
        page = client.get(address)
        assert [one.code for one in page.context["effects"]] == ["named", "removed"]
        sent = {"decision": "approve", "reason": "The letter is here."}
        assert client.post(address, sent).url == OFFICE
        assert listed(club) == (True, ["12000002"])
        assert about_list(draft) == [CODE]
        named = upload(other, report(other))
        assert about_list(named) == []
        assert submit_report(submission_id=named.pk, actor=other).state == "submitted"
        notice = Notice.objects.get(account=td, key=f"td-list:{asked.pk}")
        assert (notice.title, notice.text, notice.url) == (
            "Only the TDs you listed can now report for Castle Chess Club",
            "The letter is here.",
            PAGE,
        )
        entries = AuditEntry.objects.filter(action__startswith="affiliate.")
        assert [
            (one.action, one.actor, one.reason) for one in entries.order_by("pk")
        ] == [
            ("affiliate.named_tds.proposed", td, WHY),
            ("affiliate.tds_named", clerk, WHY),
            ("affiliate.named_tds.approved", clerk, "The letter is here."),
        ]
        entry = entries.get(action="affiliate.tds_named")
        assert (entry.subject_name, entry.facts) == (
            "Castle Chess Club (A6000001)",
            {
                "before": "Tessa Director (12000001)",
                "named": "Tessa Director (12000002)",
            },
        )

    def test_decline_changes_nothing_and_gives_the_reason(
        self, client, club, td, clerk
    ):
        asked = ask(club, td, td)
        client.force_login(clerk)
        sent = {"decision": "refuse", "reason": "The president disagrees."}
        assert client.post(f"{OFFICE}{asked.pk}/", sent).url == OFFICE
        assert listed(club) == (False, ["12000001"])
        notice = Notice.objects.get(account=td)
        assert (notice.title, notice.text) == (
            "Request to limit reporting for Castle Chess Club: declined",
            "The president disagrees.",
        )
        entry = AuditEntry.objects.get(action="affiliate.named_tds.refused")
        assert (entry.actor, entry.reason) == (clerk, "The president disagrees.")
        assert ask(club, td, td).is_open  # it can be asked again

    def test_it_is_on_the_to_do_list_until_decided(self, club, td, clerk):
        def waiting() -> list[int]:
            items = pending_items(timezone.now())
            return [one.number for one in items if one.url == f"{OFFICE}#waiting"]

        asked = ask(club, td, td)
        assert waiting() == [1]
        approve(act_id=asked.pk, actor=clerk)
        assert waiting() == [0]

    def test_it_takes_the_permission_and_another_person(self, club, td, other):
        asked = ask(club, td, td)
        for decide in (approve, refuse):
            with pytest.raises(NotAllowed):
                decide(act_id=asked.pk, actor=other, reason="So.")
        td.is_superuser = td.is_staff = True
        td.save()
        with pytest.raises(ApprovalRefused, match="another person must approve it"):
            approve(act_id=asked.pk, actor=td)
        assert listed(club) == (False, ["12000001"])

    @pytest.mark.parametrize(
        ("change", "sentence"),
        [
            (
                lambda club, td, other: Official.objects.filter(
                    player=other.player
                ).update(certified_until=date(2020, 1, 1)),
                "Not certified today: Tessa Director (12000002). Name certified TDs "
                "only.",
            ),
            (
                lambda club, td, other: club.official_set.clear(),
                "Only a certified TD on Castle Chess Club’s list can request this.",
            ),
        ],
        ids=["named TD", "person who asked"],
    )
    def test_what_has_become_invalid_can_only_be_declined(
        self, client, club, td, other, clerk, change, sentence
    ):
        asked = ask(club, td, td, other)
        change(club, td, other)
        client.force_login(clerk)
        page = client.get(f"{OFFICE}{asked.pk}/").text
        assert sentence in page
        assert 'value="approve"' not in page
        with pytest.raises(TdListRefused) as refusal:
            approve(act_id=asked.pk, actor=clerk)
        assert str(refusal.value) == sentence
        club.refresh_from_db()
        assert not club.is_exclusive
        refuse(act_id=asked.pk, actor=clerk, reason="Too late.")
        assert open_request(club) is None


class TestAffiliatePage:
    def test_it_says_to_tds_who_may_report(self, client, club, td, other):
        assert 'id="tds"' not in client.get(PAGE).text  # the public
        client.force_login(other)
        page = client.get(PAGE).text
        assert "The TDs on its list report for this affiliate." in page
        assert "Tessa Director</a>" in page
        assert "A certified TD on the list can use this page" in page
        approve(act_id=ask(club, td, td).pk, actor=make_staff())
        page = client.get(PAGE).text
        assert "Only the TDs on its list can report for this affiliate." in page

    def test_an_affiliate_without_a_list(self, client, club, other):
        client.force_login(other)
        page = client.get(PAGE).text
        assert "Any certified TD can report for this affiliate." in page
        assert "have the affiliate write to the ratings office" in page


def about_list(submission) -> list[str]:
    codes = [one.code for one in findings_of(submission)]
    return [code for code in codes if code.startswith("affiliate.")]
