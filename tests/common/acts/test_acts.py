"""Acts that take two people: proposed by one, approved by another."""

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from events.office.groups import MANAGER, OFFICE
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.acts import effects, kinds
from ratings_site.common.acts.effects import (
    Effect,
    of_second_person,
    says_what_happens,
)
from ratings_site.common.acts.kinds import (
    ActRefused,
    Approved,
    Refusal,
    needs_second_person,
    second_person,
)
from ratings_site.common.acts.services import approve, propose, refuse
from ratings_site.common.audit.services import entries_about
from ratings_site.common.models import PendingAct
from tests.events.reports.test_desk import text_of
from tests.factories import make_staff, make_user
from tests.test_races import at_once

pytestmark = pytest.mark.django_db

PUBLISH = "ratings.publish_rerate"
LIST = "/office/approvals/"


def make_manager(username: str | None = None):
    user = make_user(username, is_staff=True)
    user.groups.set(Group.objects.filter(name__in=[OFFICE, MANAGER]))
    return user


@pytest.fixture
def done():
    """Register the kind "test.act"; return what was done of it."""
    approved: list[Approved] = []

    @second_person("test.act", permission=PUBLISH)
    def do(act: Approved) -> str:
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
def second():
    return make_manager("second")


def proposed(actor, **payload) -> PendingAct:
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
    def test_an_approved_act_is_done_once_with_both_names(self, done, proposer, second):
        act = proposed(proposer, prize=5000)
        assert done == []
        assert approve(act_id=act.pk, actor=second, reason="Checked.") == "done"
        assert done == [Approved({"prize": 5000}, "She won $5,000.", proposer, second)]
        act.refresh_from_db()
        assert (act.status, act.decided_by, act.decision_reason) == (
            "approved",
            second,
            "Checked.",
        )
        assert actions_about(act) == [
            ("test.act.proposed", "proposer", "She won $5,000."),
            ("test.act.approved", "second", "Checked."),
        ]

    def test_nobody_approves_his_own_act(self, done, proposer):
        act = proposed(proposer)
        with pytest.raises(ActRefused, match="a second person has to approve it"):
            approve(act_id=act.pk, actor=proposer)
        assert done == []
        assert PendingAct.objects.get().status == "waiting"

    @pytest.mark.parametrize("inviter", ["first", "second", "third"])
    def test_who_came_in_by_one_invitation_is_no_second_person_until_confirmed(
        self, done, proposer, second, inviter
    ):
        if inviter == "first":
            second.invited_by = proposer
        elif inviter == "second":
            proposer.invited_by = second
        else:
            proposer.invited_by = second.invited_by = make_manager("third")
        proposer.save()
        second.save()
        act = proposed(proposer)
        with pytest.raises(ActRefused, match="has confirmed"):
            approve(act_id=act.pk, actor=second)
        assert done == []
        for invited in (proposer, second):
            invited.confirmed_by = make_manager()
            invited.save()
        assert approve(act_id=act.pk, actor=second) == "done"

    def test_the_database_knows_it_too(self, done, proposer):
        act = proposed(proposer)
        with (
            pytest.raises(IntegrityError, match="nobody_approves_his_own_act"),
            transaction.atomic(),
        ):
            PendingAct.objects.filter(pk=act.pk).update(
                status="approved", decided_by=proposer
            )

    def test_both_persons_need_the_permission(self, done, proposer):
        clerk = make_staff("clerk")
        with pytest.raises(NotAllowed, match="Can publish or discard a rerate"):
            proposed(clerk)
        assert not PendingAct.objects.exists()
        act = proposed(proposer)
        for decide in (approve, refuse):
            with pytest.raises(NotAllowed, match=PUBLISH):
                decide(act_id=act.pk, actor=clerk, reason="Hm.")
        assert done == []

    @pytest.mark.parametrize("decide", [approve, refuse])
    def test_what_is_decided_stays_so(self, done, proposer, second, decide):
        act = proposed(proposer)
        refuse(act_id=act.pk, actor=second, reason="No prize list.")
        third = make_manager("third")
        with pytest.raises(ActRefused, match=r"second has decided this .*: refused"):
            decide(act_id=act.pk, actor=third, reason="Again.")
        act.refresh_from_db()
        assert (act.status, act.decided_by) == ("refused", second)
        assert done == []

    def test_the_proposer_withdraws_even_without_the_permission(self, done, proposer):
        act = proposed(proposer)
        proposer.groups.clear()
        refuse(act_id=act.pk, actor=type(proposer).objects.get(), reason="A mistake.")
        act.refresh_from_db()
        assert (act.status, act.decided_by) == ("withdrawn", proposer)

    def test_an_act_that_cannot_be_done_goes_on_waiting(self, done, proposer, second):
        act = proposed(proposer, fails=True)
        with pytest.raises(Refusal, match=r"^The prize is too small\.$"):
            approve(act_id=act.pk, actor=second)
        act.refresh_from_db()
        assert (act.status, act.decided_by) == ("waiting", None)
        assert [action for action, *_ in actions_about(act)] == ["test.act.proposed"]

    def test_refusing_takes_a_reason(self, done, proposer, second):
        act = proposed(proposer)
        with pytest.raises(ActRefused, match="Say why"):
            refuse(act_id=act.pk, actor=second, reason="  ")

    def test_a_kind_that_no_service_knows_is_refused_in_words(self, proposer, second):
        act = PendingAct.objects.create(
            kind="old.kind", title="Old", reason="Once.", proposed_by=proposer
        )
        with pytest.raises(ActRefused, match=r"does not know how to do 'old\.kind'"):
            approve(act_id=act.pk, actor=second)

    def test_the_acts_that_take_two_are_known(self, done):
        assert PUBLISH in needs_second_person()


class TestPages:
    def post(self, client, act, **data):
        return client.post(reverse("office:approval", args=[act.pk]), data)

    def test_a_waiting_act_is_shown_to_whom_it_concerns(
        self, client, done, proposer, second
    ):
        act = proposed(proposer)
        said = {"proposer": "proposed it", "second": "may decide"}
        for user in (proposer, second):
            client.force_login(user)
            words = text_of(client.get(LIST))
            assert "Money floor 1800 for Ada Adams proposer" in words
            assert f"She won $5,000. {said[user.username]}" in words
        client.force_login(make_staff("clerk"))
        assert "It takes the permission “Can publish or discard a rerate”." in text_of(
            client.get(LIST)
        )
        page = client.get(reverse("office:approval", args=[act.pk]))
        assert "You cannot decide on this." in text_of(page)
        assert "Who may approve it: second." in text_of(page)
        assert b'name="decision"' not in page.content

    def test_an_invited_colleague_reads_why_not(self, client, done, proposer, second):
        second.invited_by = proposer
        second.save()
        act = proposed(proposer)
        client.force_login(second)
        page = text_of(client.get(reverse("office:approval", args=[act.pk])))
        assert "proposer invited you" in page
        assert "Approve: do it now" not in page

    def test_approving_does_it_and_lists_both_names(
        self, client, done, proposer, second
    ):
        act = proposed(proposer)
        client.force_login(second)
        page = client.get(reverse("office:approval", args=[act.pk])).content.decode()
        assert 'href="/players/12000001/"' in page
        response = self.post(client, act, decision="approve", reason="Checked.")
        assert response.url == LIST
        assert len(done) == 1
        words = text_of(client.get(LIST))
        assert "Done: Money floor 1800 for Ada Adams." in words
        assert "Approved proposer second" in words

    def test_the_proposer_can_only_withdraw(self, client, done, proposer):
        act = proposed(proposer)
        client.force_login(proposer)
        page = text_of(client.get(reverse("office:approval", args=[act.pk])))
        assert "Withdraw" in page
        assert "Approve" not in page
        answer = self.post(client, act, decision="approve", reason="Quickly.")
        assert done == []
        assert "You proposed this; a second person has to approve it." in text_of(
            answer
        )
        assert "Quickly." in answer.content.decode()
        self.post(client, act, decision="refuse", reason="A mistake.")
        act.refresh_from_db()
        assert act.status == "withdrawn"

    @pytest.mark.parametrize(
        ("data", "sentence"),
        [
            ({"decision": "approve"}, "Say why"),
            ({"decision": "refuse", "reason": " "}, "Say why"),
            ({"decision": "approve", "reason": "x" * 501}, "at most 500 characters"),
            ({"decision": "approve", "reason": "\x00"}, "Null characters"),
            ({"reason": "Checked."}, "Press one of the buttons."),
            ({"decision": "shrug", "reason": "Hm."}, "not one of the available"),
        ],
    )
    def test_an_incomplete_decision_is_none(
        self, client, done, proposer, second, data, sentence
    ):
        act = proposed(proposer)
        client.force_login(second)
        response = self.post(client, act, **data)
        assert response.status_code == 422
        assert sentence in text_of(response)
        assert PendingAct.objects.get().status == "waiting"

    def test_what_the_service_refuses_is_said_on_the_page(
        self, client, done, proposer, second
    ):
        act = proposed(proposer, fails=True)
        client.force_login(second)
        response = self.post(client, act, decision="approve", reason="Checked.")
        assert response.status_code == 422
        assert "The prize is too small." in text_of(response)

    def test_who_comes_second_reads_who_was_first(self, client, done, proposer, second):
        act = proposed(proposer)
        refuse(act_id=act.pk, actor=second, reason="No prize list.")
        client.force_login(make_manager("third"))
        response = client.post(
            reverse("office:approval", args=[act.pk]),
            {"decision": "approve", "reason": "I rang the organizer."},
        )
        assert response.status_code == 422
        assert "second has decided this already: refused." in text_of(response)
        assert "I rang the organizer." in text_of(response)
        assert done == []

    def test_without_the_permission_a_post_is_turned_away(
        self, client, done, proposer, second
    ):
        act = proposed(proposer)
        client.force_login(make_staff("clerk"))
        response = self.post(client, act, decision="refuse", reason="I rang them.")
        assert response.status_code == 403
        assert "I rang them." in text_of(response)
        assert "Who may approve it: second." in text_of(response)
        assert "proposer, second" not in text_of(response)
        assert PendingAct.objects.get().status == "waiting"

    @pytest.mark.parametrize("number", [2, 20])
    def test_the_list_takes_the_same_queries_for_any_number(
        self, client, done, proposer, second, django_assert_num_queries, number
    ):
        for one in range(number):
            refuse(act_id=proposed(proposer, one=one).pk, actor=second, reason="No.")
            proposed(proposer, one=one)
        client.force_login(second)
        with django_assert_num_queries(9):
            response = client.get(LIST)
        assert response.content.count(b"may decide") == number


class TestEffects:
    @pytest.fixture
    def foreseen(self, done):
        @says_what_happens("test.act")
        def foresee(facts, actor):
            if facts.get("is_gone"):
                raise Refusal("The prize is gone.")
            return [Effect("floor", f"{actor} sees a floor of {facts['prize']}.")]

        yield
        effects._foreseeing.pop("test.act")

    def page(self, client, act, user) -> tuple[list[str], str]:
        client.force_login(user)
        answer = client.get(reverse("office:approval", args=[act.pk]))
        codes = [effect.code for effect in answer.context["effects"]]
        return codes, text_of(answer)

    def test_who_approves_and_who_proposed_read_what_will_happen(
        self, client, foreseen, proposer, second
    ):
        act = proposed(proposer, prize=5000)
        for user in (proposer, second):
            codes, words = self.page(client, act, user)
            assert codes == ["floor"]
            assert f"What will happen {user} sees a floor of 5000." in words
        refuse(act_id=act.pk, actor=second, reason="No.")
        assert self.page(client, act, second)[0] == []

    def test_what_cannot_be_done_any_more_is_said_before(
        self, client, foreseen, proposer, second
    ):
        codes, words = self.page(client, proposed(proposer, is_gone=True), second)
        assert codes == ["impossible"]
        assert "The prize is gone." in words

    def test_a_kind_of_which_nobody_says_it_has_no_effects(
        self, client, done, proposer, second
    ):
        codes, words = self.page(client, proposed(proposer), second)
        assert codes == []
        assert "What will happen" not in words

    def test_second_persons_are_named(self, proposer):
        alone = of_second_person(PUBLISH, proposer)
        assert (alone.code, alone.level) == ("second_person", "warning")
        make_manager("second")
        invited = make_manager("invited")
        invited.invited_by = proposer
        invited.save()
        make_staff("clerk")
        named = of_second_person(PUBLISH, proposer)
        assert (named.code, named.level) == ("second_person", "note")
        assert named.sentence.endswith("such as: second.")


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempt", range(4))
def test_of_two_approvers_at_once_one_is_told(done, proposer, attempt):
    if connection.vendor != "postgresql":
        pytest.skip("The SQLite database of the tests has one connection.")
    act = proposed(proposer)
    managers = [make_manager("first"), make_manager("second")]
    answers = at_once(
        *(
            lambda actor=actor: approve(act_id=act.pk, actor=actor, reason="Checked.")
            for actor in managers
        )
    )
    assert len(done) == 1
    (told,) = [answer for answer in answers if answer != "done"]
    assert isinstance(told, ActRefused)
    assert str(told) == f"{done[0].approved_by} has decided this already: approved."
