"""Second approvals: one person proposes, another approves."""

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from events.review.groups import MANAGER, OFFICE
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.approvals import kinds
from ratings_site.common.approvals import preview as preview_module
from ratings_site.common.approvals.kinds import (
    ApprovalRefused,
    ApprovedAction,
    Refusal,
    register_approved_action,
    second_approval_permissions,
)
from ratings_site.common.approvals.preview import (
    PreviewLine,
    register_preview,
    second_approval_line,
)
from ratings_site.common.approvals.services import approve, propose, refuse
from ratings_site.common.audit.services import entries_about
from ratings_site.common.models import PendingAct
from tests.events.reports.test_report_pages import text_of
from tests.factories import make_staff, make_user
from tests.test_races import run_concurrently

pytestmark = pytest.mark.django_db

PUBLISH = "ratings.publish_rerate"
LIST = "/office/approvals/"


def make_manager(username: str | None = None):
    user = make_user(username, is_staff=True)
    user.groups.set(Group.objects.filter(name__in=[OFFICE, MANAGER]))
    return user


@pytest.fixture
def approved_actions():
    """Register the kind "test.act"; return the list of actions done."""
    approved: list[ApprovedAction] = []

    @register_approved_action("test.act", permission=PUBLISH)
    def do(act: ApprovedAction) -> str:
        if act.payload.get("fails"):
            raise Refusal("The prize is too small.")
        approved.append(act)
        return "done"

    yield approved
    kinds._kinds.pop("test.act")


@pytest.fixture
def proposer():
    return make_manager("proposer")


@pytest.fixture
def second_approver():
    return make_manager("second")


def propose_action(actor, **payload) -> PendingAct:
    return propose(
        "test.act",
        title="Money floor 1800 for Ada Adams",
        payload=payload,
        actor=actor,
        reason="She won $5,000.",
        url="/players/12000001/",
    )


def actions_about(act: PendingAct) -> list[tuple[str, str, str]]:
    return [
        (entry.action, str(entry.actor), entry.reason)
        for entry in entries_about(act).order_by("pk")
    ]


class TestService:
    def test_an_approved_action_runs_once_with_both_names(
        self, approved_actions, proposer, second_approver
    ):
        act = propose_action(proposer, prize=5000)
        assert approved_actions == []
        assert (
            approve(act_id=act.pk, actor=second_approver, reason="Checked.") == "done"
        )
        assert approved_actions == [
            ApprovedAction(
                {"prize": 5000}, "She won $5,000.", proposer, second_approver
            )
        ]
        act.refresh_from_db()
        assert (act.status, act.decided_by, act.decision_reason) == (
            "approved",
            second_approver,
            "Checked.",
        )
        assert actions_about(act) == [
            ("test.act.proposed", "proposer", "She won $5,000."),
            ("test.act.approved", "second", "Checked."),
        ]

    def test_proposer_cannot_approve_own_action(self, approved_actions, proposer):
        act = propose_action(proposer)
        with pytest.raises(ApprovalRefused, match="another person must approve it"):
            approve(act_id=act.pk, actor=proposer)
        assert approved_actions == []
        assert PendingAct.objects.get().status == "waiting"

    @pytest.mark.parametrize("inviter", ["first", "second", "third"])
    def test_invited_colleague_cannot_approve_until_confirmed(
        self, approved_actions, proposer, second_approver, inviter
    ):
        if inviter == "first":
            second_approver.invited_by = proposer
        elif inviter == "second":
            proposer.invited_by = second_approver
        else:
            proposer.invited_by = second_approver.invited_by = make_manager("third")
        proposer.save()
        second_approver.save()
        act = propose_action(proposer)
        with pytest.raises(ApprovalRefused, match="has confirmed"):
            approve(act_id=act.pk, actor=second_approver)
        assert approved_actions == []
        for invited in (proposer, second_approver):
            invited.confirmed_by = make_manager()
            invited.save()
        assert approve(act_id=act.pk, actor=second_approver) == "done"

    def test_the_database_knows_it_too(self, approved_actions, proposer):
        act = propose_action(proposer)
        with (
            pytest.raises(IntegrityError, match="nobody_approves_his_own_act"),
            transaction.atomic(),
        ):
            PendingAct.objects.filter(pk=act.pk).update(
                status="approved", decided_by=proposer
            )

    def test_both_persons_need_the_permission(self, approved_actions, proposer):
        clerk = make_staff("clerk")
        with pytest.raises(NotAllowed, match="Can publish or discard a rerate"):
            propose_action(clerk)
        assert not PendingAct.objects.exists()
        act = propose_action(proposer)
        for decide in (approve, refuse):
            with pytest.raises(NotAllowed, match="Can publish or discard a rerate"):
                decide(act_id=act.pk, actor=clerk, reason="Hm.")
        assert approved_actions == []

    @pytest.mark.parametrize("decide", [approve, refuse])
    def test_what_is_decided_stays_so(
        self, approved_actions, proposer, second_approver, decide
    ):
        act = propose_action(proposer)
        refuse(act_id=act.pk, actor=second_approver, reason="No prize list.")
        third = make_manager("third")
        with pytest.raises(
            ApprovalRefused, match=r"second has already decided this: declined"
        ):
            decide(act_id=act.pk, actor=third, reason="Again.")
        act.refresh_from_db()
        assert (act.status, act.decided_by) == ("refused", second_approver)
        assert approved_actions == []

    def test_the_proposer_withdraws_even_without_the_permission(
        self, approved_actions, proposer
    ):
        act = propose_action(proposer)
        proposer.groups.clear()
        refuse(act_id=act.pk, actor=type(proposer).objects.get(), reason="A mistake.")
        act.refresh_from_db()
        assert (act.status, act.decided_by) == ("withdrawn", proposer)

    def test_a_failing_action_stays_pending(
        self, approved_actions, proposer, second_approver
    ):
        act = propose_action(proposer, fails=True)
        with pytest.raises(Refusal, match=r"^The prize is too small\.$"):
            approve(act_id=act.pk, actor=second_approver)
        act.refresh_from_db()
        assert (act.status, act.decided_by) == ("waiting", None)
        assert [action for action, *_ in actions_about(act)] == ["test.act.proposed"]

    def test_refusing_takes_a_reason(self, approved_actions, proposer, second_approver):
        act = propose_action(proposer)
        with pytest.raises(ApprovalRefused, match="Enter a reason"):
            refuse(act_id=act.pk, actor=second_approver, reason="  ")

    def test_a_kind_that_no_service_knows_is_refused_in_words(
        self, proposer, second_approver
    ):
        act = PendingAct.objects.create(
            kind="old.kind", title="Old", reason="Once.", proposed_by=proposer
        )
        with pytest.raises(ApprovalRefused, match=r"Unknown action: 'old\.kind'"):
            approve(act_id=act.pk, actor=second_approver)

    def test_actions_with_second_approval_are_registered(self, approved_actions):
        assert PUBLISH in second_approval_permissions()


class TestPages:
    def post(self, client, act, **data):
        return client.post(reverse("office:approval", args=[act.pk]), data)

    def test_a_pending_action_is_shown_to_proposer_and_approvers(
        self, client, approved_actions, proposer, second_approver
    ):
        act = propose_action(proposer)
        said = {"proposer": "proposed", "second": "can decide"}
        for user in (proposer, second_approver):
            client.force_login(user)
            words = text_of(client.get(LIST))
            assert "Money floor 1800 for Ada Adams proposer" in words
            assert f"She won $5,000. {said[user.username]}" in words
        client.force_login(make_staff("clerk"))
        assert (
            "You need the permission “Can publish or discard a rerate” for this."
            in text_of(client.get(LIST))
        )
        page = client.get(reverse("office:approval", args=[act.pk]))
        assert "You can’t decide this." in text_of(page)
        assert "Can be approved by: second." in text_of(page)
        assert b'name="decision"' not in page.content

    def test_an_invited_colleague_reads_why_not(
        self, client, approved_actions, proposer, second_approver
    ):
        second_approver.invited_by = proposer
        second_approver.save()
        act = propose_action(proposer)
        client.force_login(second_approver)
        page = text_of(client.get(reverse("office:approval", args=[act.pk])))
        assert "proposer invited you" in page
        assert "Approve and apply now" not in page

    def test_approving_does_it_and_lists_both_names(
        self, client, approved_actions, proposer, second_approver
    ):
        act = propose_action(proposer)
        client.force_login(second_approver)
        page = client.get(reverse("office:approval", args=[act.pk])).content.decode()
        assert 'href="/players/12000001/"' in page
        response = self.post(client, act, decision="approve", reason="Checked.")
        assert response.url == LIST
        assert len(approved_actions) == 1
        words = text_of(client.get(LIST))
        assert "Done: Money floor 1800 for Ada Adams." in words
        assert "Approved proposer second" in words

    def test_the_proposer_can_only_withdraw(self, client, approved_actions, proposer):
        act = propose_action(proposer)
        client.force_login(proposer)
        page = text_of(client.get(reverse("office:approval", args=[act.pk])))
        assert "Withdraw" in page
        assert "Approve" not in page
        answer = self.post(client, act, decision="approve", reason="Quickly.")
        assert approved_actions == []
        assert "You proposed this, so another person must approve it." in text_of(
            answer
        )
        assert "Quickly." in answer.content.decode()
        self.post(client, act, decision="refuse", reason="A mistake.")
        act.refresh_from_db()
        assert act.status == "withdrawn"

    @pytest.mark.parametrize(
        ("data", "sentence"),
        [
            ({"decision": "approve"}, "Enter a reason"),
            ({"decision": "refuse", "reason": " "}, "Enter a reason"),
            ({"decision": "approve", "reason": "x" * 501}, "at most 500 characters"),
            ({"decision": "approve", "reason": "\x00"}, "Null characters"),
            ({"reason": "Checked."}, "Choose one of the buttons."),
            ({"decision": "shrug", "reason": "Hm."}, "not one of the available"),
        ],
    )
    def test_an_incomplete_decision_is_rejected(
        self, client, approved_actions, proposer, second_approver, data, sentence
    ):
        act = propose_action(proposer)
        client.force_login(second_approver)
        response = self.post(client, act, **data)
        assert response.status_code == 422
        assert sentence in text_of(response)
        assert PendingAct.objects.get().status == "waiting"

    def test_what_the_service_refuses_is_said_on_the_page(
        self, client, approved_actions, proposer, second_approver
    ):
        act = propose_action(proposer, fails=True)
        client.force_login(second_approver)
        response = self.post(client, act, decision="approve", reason="Checked.")
        assert response.status_code == 422
        assert "The prize is too small." in text_of(response)

    def test_who_comes_second_reads_who_was_first(
        self, client, approved_actions, proposer, second_approver
    ):
        act = propose_action(proposer)
        refuse(act_id=act.pk, actor=second_approver, reason="No prize list.")
        client.force_login(make_manager("third"))
        response = client.post(
            reverse("office:approval", args=[act.pk]),
            {"decision": "approve", "reason": "I rang the organizer."},
        )
        assert response.status_code == 422
        assert "second has already decided this: declined." in text_of(response)
        assert "I rang the organizer." in text_of(response)
        assert approved_actions == []

    def test_without_the_permission_a_post_is_turned_away(
        self, client, approved_actions, proposer, second_approver
    ):
        act = propose_action(proposer)
        client.force_login(make_staff("clerk"))
        response = self.post(client, act, decision="refuse", reason="I rang them.")
        assert response.status_code == 403
        assert "I rang them." in text_of(response)
        assert "Can be approved by: second." in text_of(response)
        assert "proposer, second" not in text_of(response)
        assert PendingAct.objects.get().status == "waiting"

    @pytest.mark.parametrize("number", [2, 20])
    def test_the_list_takes_the_same_queries_for_any_number(
        self,
        client,
        approved_actions,
        proposer,
        second_approver,
        django_assert_num_queries,
        number,
    ):
        for one in range(number):
            refuse(
                act_id=propose_action(proposer, one=one).pk,
                actor=second_approver,
                reason="No.",
            )
            propose_action(proposer, one=one)
        client.force_login(second_approver)
        with django_assert_num_queries(9):
            response = client.get(LIST)
        assert response.content.count(b"can decide") == number


class TestPreviewLines:
    @pytest.fixture
    def preview_registered(self, approved_actions):
        @register_preview("test.act")
        def preview(facts, actor):
            if facts.get("is_gone"):
                raise Refusal("The prize is gone.")
            return [PreviewLine("floor", f"{actor} sees a floor of {facts['prize']}.")]

        yield
        preview_module._preview_functions.pop("test.act")

    def page(self, client, act, user) -> tuple[list[str], str]:
        client.force_login(user)
        answer = client.get(reverse("office:approval", args=[act.pk]))
        codes = [effect.code for effect in answer.context["effects"]]
        return codes, text_of(answer)

    def test_who_approves_and_who_proposed_read_what_will_happen(
        self, client, preview_registered, proposer, second_approver
    ):
        act = propose_action(proposer, prize=5000)
        for user in (proposer, second_approver):
            codes, words = self.page(client, act, user)
            assert codes == ["floor"]
            assert f"What will happen {user} sees a floor of 5000." in words
        refuse(act_id=act.pk, actor=second_approver, reason="No.")
        assert self.page(client, act, second_approver)[0] == []

    def test_what_cannot_be_done_any_more_is_said_before(
        self, client, preview_registered, proposer, second_approver
    ):
        codes, words = self.page(
            client, propose_action(proposer, is_gone=True), second_approver
        )
        assert codes == ["impossible"]
        assert "The prize is gone." in words
        assert "Approve and apply now" not in words
        assert "What will happen" not in words
        assert "Decline" in words

    def test_a_kind_without_a_preview_has_no_preview_lines(
        self, client, approved_actions, proposer, second_approver
    ):
        codes, words = self.page(client, propose_action(proposer), second_approver)
        assert codes == []
        assert "What will happen" not in words

    def test_second_approvers_are_named(self, proposer):
        alone = second_approval_line(PUBLISH, proposer)
        assert (alone.code, alone.level) == ("second_person", "warning")
        make_manager("second")
        invited = make_manager("invited")
        invited.invited_by = proposer
        invited.save()
        make_staff("clerk")
        named = second_approval_line(PUBLISH, proposer)
        assert (named.code, named.level) == ("second_person", "note")
        assert named.sentence.endswith("Can be approved by: second.")


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempt", range(4))
def test_of_two_approvers_at_once_one_is_told(approved_actions, proposer, attempt):
    if connection.vendor != "postgresql":
        pytest.skip("The SQLite database of the tests has one connection.")
    act = propose_action(proposer)
    managers = [make_manager("first"), make_manager("second")]
    answers = run_concurrently(
        *(
            lambda actor=actor: approve(act_id=act.pk, actor=actor, reason="Checked.")
            for actor in managers
        )
    )
    assert len(approved_actions) == 1
    (told,) = [answer for answer in answers if answer != "done"]
    assert isinstance(told, ApprovalRefused)
    assert (
        str(told)
        == f"{approved_actions[0].approved_by} has already decided this: approved."
    )
