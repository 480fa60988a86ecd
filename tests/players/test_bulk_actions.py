"""Bulk actions on the office's lists of members: preview, then apply to each row."""

import re
from datetime import date, timedelta

import pytest
from django.utils import timezone

from players.claims.services.claims import ask_office, claim_member, grant_claim
from players.fide.services.links import link_fide_id
from players.identity.services import MERGE, merge_players
from players.members.rating_history import rating_history
from players.models import (
    Claim,
    FideLinkRefusal,
    GuardianAccount,
    NotSamePerson,
    Player,
    PlayerMerge,
)
from ratings_site.common.approvals.pages import MAX_ROWS
from ratings_site.common.approvals.services import approve
from ratings_site.common.models import AuditEntry, Notice, PendingAct, User
from tests.factories import make_player, make_staff, make_user
from tests.players.fide.fide_files import Person
from tests.players.fide.helpers import import_list
from tests.response_text import contains_number

pytestmark = pytest.mark.django_db

REASON = {"reason": "Looked through on Monday."}
CONFIRM = {"confirm": "yes", **REASON}


@pytest.fixture
def staff(client):
    user = make_staff()
    client.force_login(user)
    return user


def ticks(client, address: str) -> list[str]:
    """Return the keys of the checkboxes of a list."""
    page = client.get(address).content.decode()
    return re.findall(r'type="checkbox" name="row" value="([^"]+)"', page)


def listed(response) -> list[str]:
    """Return the keys that the page submits again."""
    found = re.findall(rb'type="hidden" name="row" value="([^"]+)"', response.content)
    return [one.decode() for one in found]


def names(response, what: str) -> list[str]:
    return [one.name for one in response.context[what]]


def outcome(response) -> tuple[list[str], list[str]]:
    became = response.context["outcome"]
    return [one.name for one in became.done], [one.name for one in became.left_out]


class TestFideLinks:
    LIST = "/office/links/"
    SEVERAL = "/office/links/several/"

    def members(self, number: int, *, born: int | None = 1982) -> list[Player]:
        """Create members with exactly one namesake each on the newest list."""
        people = [
            Person(one, f"Name{one:03}, Ada", 2000 + one)
            for one in range(1, number + 1)
        ]
        import_list(people)
        return [
            make_player(
                given_name="Ada",
                family_name=f"Name{one:03}",
                birth_date=born and date(born, 3, 23),
            )
            for one in range(1, number + 1)
        ]

    def fide_ids(self, *members: Player) -> list[str | None]:
        found = Player.objects.in_bulk([one.pk for one in members])
        return [found[one.pk].fide_id for one in members]

    def test_ticked_ones_are_listed_then_linked_with_one_reason(self, client, staff):
        one, other, third = self.members(3)
        keys = ticks(client, self.LIST)
        assert [key.split(":")[:2] for key in keys] == [
            [str(one.pk), "1"],
            [str(other.pk), "2"],
            [str(third.pk), "3"],
        ]
        sent = {"act": "link", "row": keys[:2]}
        response = client.post(self.SEVERAL, sent)
        assert (response.status_code, listed(response)) == (200, keys[:2])
        assert self.fide_ids(one, other, third) == [None] * 3

        response = client.post(self.SEVERAL, {**sent, **CONFIRM})
        assert outcome(response) == (["Ada Name001", "Ada Name002"], [])
        assert self.fide_ids(one, other, third) == ["1", "2", None]
        entries = AuditEntry.objects.filter(action="player.fide_id_linked")
        assert [(entry.actor, entry.reason) for entry in entries] == [
            (staff, REASON["reason"])
        ] * 2

    def test_all_certain_ones_are_those_of_the_list_as_searched(self, client, staff):
        self.members(3)
        make_player(given_name="Ada", family_name="Name003", birth_date=None)
        response = client.post(self.SEVERAL, {"act": "link all"})
        assert names(response, "listed") == ["Ada Name001", "Ada Name002"]
        response = client.post(f"{self.SEVERAL}?list=q%3Dname002", {"act": "link all"})
        assert names(response, "listed") == ["Ada Name002"]
        assert response.context["shown"].url == "/office/links/?q=name002"

    def test_who_lacks_a_birth_year_is_not_certain(self, client, staff):
        self.members(1, born=None)
        response = client.post(self.SEVERAL, {"act": "link all"})
        assert (response.status_code, names(response, "listed")) == (422, [])
        response = client.post(
            self.SEVERAL, {"act": "link", "row": ticks(client, self.LIST)}
        )
        assert names(response, "listed") == ["Ada Name001"]
        assert response.context["to_look_at"] == 1

    def test_one_that_cannot_be_linked_stops_no_other(self, client, staff):
        one, taken, third = self.members(3)
        keys = ticks(client, self.LIST)
        sent = {"act": "link", "row": keys, **CONFIRM}
        link_fide_id(player_id=taken.pk, fide_id=77, actor=staff, reason="A letter.")
        response = client.post(self.SEVERAL, sent)
        assert outcome(response) == (["Ada Name001", "Ada Name003"], [str(taken)])
        assert self.fide_ids(one, taken, third) == ["1", "77", "3"]

    def test_two_members_of_one_fide_id_are_not_both_linked(self, client, staff):
        import_list([Person(7, "Noether, Emmy", 2104)])
        twins = [
            make_player(given_name="Emmy", family_name="Noether", birth_date=None)
            for _ in range(2)
        ]
        keys = ticks(client, self.LIST)
        response = client.post(self.SEVERAL, {"act": "link", "row": keys, **CONFIRM})
        assert outcome(response) == (["Emmy Noether"], ["Emmy Noether"])
        assert self.fide_ids(*twins) == ["7", None]

    def test_what_agrees_less_than_when_it_was_listed_is_left_out(self, client, staff):
        (one,) = self.members(1)
        keys = ticks(client, self.LIST)
        make_player(given_name="Ada", family_name="Name001", birth_date=None)
        response = client.post(self.SEVERAL, {"act": "link", "row": keys, **CONFIRM})
        assert outcome(response) == ([], [str(one)])
        assert self.fide_ids(one) == [None]

    def test_chosen_ones_are_declined(self, client, staff):
        _one, other = self.members(2)
        keys = ticks(client, self.LIST)
        sent = {"act": f"decline {keys[1]}", "row": keys}
        response = client.post(self.SEVERAL, sent)
        assert listed(response) == keys[1:]
        response = client.post(
            self.SEVERAL, {"act": "decline", "row": keys[1:], **CONFIRM}
        )
        assert outcome(response) == (["Ada Name002"], [])
        declined = FideLinkRefusal.objects.get()
        assert (declined.player, declined.fide_id, declined.by, declined.reason) == (
            other,
            2,
            staff,
            REASON["reason"],
        )
        assert ticks(client, self.LIST) == keys[:1]

    def test_one_can_be_left_out_and_the_reason_stays(self, client, staff):
        self.members(2)
        keys = ticks(client, self.LIST)
        sent = {"act": "link", "row": keys, "leave_out": keys[0], **REASON}
        response = client.post(self.SEVERAL, sent)
        assert listed(response) == keys[1:]
        assert response.context["form"]["reason"].value() == REASON["reason"]

    @pytest.mark.parametrize("reason", ["", "  ", "Monday\x00"])
    def test_without_a_reason_no_member_is_linked(self, client, staff, reason):
        members = self.members(2)
        keys = ticks(client, self.LIST)
        sent = {"act": "link", "row": keys, "confirm": "yes", "reason": reason}
        response = client.post(self.SEVERAL, sent)
        assert (response.status_code, listed(response)) == (422, keys)
        assert self.fide_ids(*members) == [None, None]

    @pytest.mark.parametrize("row", ["", "x", "0:1:1", "٣:1:2", "1:1:1:1", "9" * 30])
    def test_nonsense_selects_no_member(self, client, staff, row):
        members = self.members(1)
        for said in ({"row": row}, {"act": f"link {row}"}):
            response = client.post(self.SEVERAL, {"act": "link", **CONFIRM, **said})
            assert (response.status_code, names(response, "listed")) == (422, [])
        assert self.fide_ids(*members) == [None]

    def test_an_unknown_action_redirects_to_the_list(self, client, staff):
        for sent in ({}, {"act": "merge"}):
            response = client.post(f"{self.SEVERAL}?list=q%3Da%26page%3D2", sent)
            assert response.url == "/office/links/?q=a&page=2"

    def test_it_takes_the_permission(self, client, staff):
        members = self.members(1)
        keys = ticks(client, self.LIST)
        client.force_login(make_user(is_staff=True))
        response = client.post(self.SEVERAL, {"act": "link", "row": keys, **CONFIRM})
        assert response.status_code == 403
        assert self.fide_ids(*members) == [None]

    def test_no_more_are_listed_than_one_reads(self, client, staff):
        self.members(MAX_ROWS + 1)
        response = client.post(self.SEVERAL, {"act": "link all"})
        assert len(listed(response)) == MAX_ROWS
        assert response.context["has_more"]

    @pytest.mark.parametrize("members", [2, 12])
    def test_the_pages_take_the_same_queries_for_any_number(
        self, client, staff, django_assert_num_queries, members
    ):
        self.members(members)
        with django_assert_num_queries(14):
            keys = ticks(client, self.LIST)
        with django_assert_num_queries(11):
            response = client.post(self.SEVERAL, {"act": "link", "row": keys})
        assert len(listed(response)) == members

    def test_filter_and_page_are_kept_by_the_single_decision(self, client, staff):
        (one,) = self.members(1)
        address = f"/office/links/{one.member_id}/1/?list=q%3Dname"
        response = client.post(address, {"decision": "accept", **REASON})
        assert response.url == "/office/links/?q=name"


class TestDuplicates:
    LIST = "/office/duplicates/"
    SEVERAL = "/office/duplicates/several/"

    def pair(self, name: str, **other) -> tuple[Player, Player]:
        one = make_player(family_name=name)
        return one, make_player(family_name=name, **other)

    def exchanged(self, name: str) -> tuple[Player, Player]:
        """Create two with different birth dates and two digits of their IDs swapped."""
        ids = f"6{len(name):02}12345", f"6{len(name):02}21345"
        born = date(1950, 1, 1), date(1990, 1, 1)
        first, second = (
            make_player(member_id, family_name=name, birth_date=day)
            for member_id, day in zip(ids, born, strict=True)
        )
        return first, second

    def goes_on_as(self, *members: Player) -> list[Player]:
        found = Player.objects.select_related("merged_into").in_bulk(
            [one.pk for one in members]
        )
        return [found[one.pk].canonical for one in members]

    def test_ticked_pairs_are_listed_then_merged_with_one_reason(self, client, staff):
        one, two = self.pair("Ash"), self.pair("Birch")
        third = self.pair("Cedar")
        keys = ticks(client, self.LIST)
        assert keys == [f"{a.pk}:{b.pk}" for a, b in (one, two, third)]
        sent = {"act": "merge", "row": keys[:2]}
        response = client.post(self.SEVERAL, sent)
        assert listed(response) == keys[:2]
        assert not PlayerMerge.objects.exists()

        response = client.post(self.SEVERAL, {**sent, **CONFIRM})
        assert outcome(response) == (["Ada Ash", "Ada Birch"], [])
        assert self.goes_on_as(one[1], two[1], third[1]) == [one[0], two[0], third[1]]
        merges = PlayerMerge.objects.order_by("pk")
        assert [(merge.by, merge.reason) for merge in merges] == [
            (staff, REASON["reason"])
        ] * 2
        assert AuditEntry.objects.filter(action="player.merged").count() == 2

    def test_where_birth_dates_differ_it_becomes_a_proposal(self, client, staff):
        plain, differs = self.pair("Ash"), self.exchanged("Birch")
        keys = ticks(client, self.LIST)
        sent = {"act": "merge", "row": keys}
        response = client.post(self.SEVERAL, sent)
        codes = [
            [effect.code for effect in row.effects]
            for row in response.context["listed"]
        ]
        assert codes == [["merged", "why"], ["merged", "differ", "proposed", "why"]]
        response = client.post(self.SEVERAL, {**sent, **CONFIRM})
        assert outcome(response) == (["Ada Ash", "Ada Birch"], [])
        assert self.goes_on_as(plain[1], differs[1]) == [plain[0], differs[1]]
        act = PendingAct.objects.get()
        assert (act.kind, act.proposed_by, act.reason) == (
            MERGE,
            staff,
            REASON["reason"],
        )
        assert f"/office/approvals/{act.pk}/" in response.content.decode()
        approve(act_id=act.pk, actor=make_staff())
        assert self.goes_on_as(differs[1]) == [differs[0]]

    def test_what_is_proposed_already_is_left_out(self, client, staff):
        one, other = self.exchanged("Birch")
        keys = ticks(client, self.LIST)
        merge_players(kept_id=one.pk, merged_id=other.pk, actor=staff, reason="Same.")
        response = client.post(self.SEVERAL, {"act": "merge", "row": keys})
        assert (names(response, "listed"), names(response, "left_out")) == (
            [],
            ["Ada Birch"],
        )

    def test_those_who_met_are_left_out_and_stop_no_other(
        self, client, staff, monkeypatch
    ):
        one, met = self.pair("Ash"), self.pair("Birch")
        monkeypatch.setattr(
            rating_history(),
            "merge_refusals",
            lambda pairs: [
                ["They met."] if pair[0] == met[0] else [] for pair in pairs
            ],
        )
        keys = ticks(client, self.LIST)
        response = client.post(self.SEVERAL, {"act": "merge", "row": keys, **CONFIRM})
        assert outcome(response) == (["Ada Ash"], ["Ada Birch"])
        assert self.goes_on_as(one[1], met[1]) == [one[0], met[1]]

    def test_three_numbers_of_one_person_become_one(self, client, staff):
        first, second = self.pair("Ash")
        third = make_player(family_name="Ash")
        keys = ticks(client, self.LIST)
        assert len(keys) == 3
        response = client.post(self.SEVERAL, {"act": "merge", "row": keys, **CONFIRM})
        assert outcome(response) == (["Ada Ash"] * 2, ["Ada Ash"])
        assert self.goes_on_as(second, third) == [first, first]

    def test_a_missing_birth_date_is_marked(self, client, staff):
        make_player(family_name="Ash", state="OH")
        make_player(family_name="Ash", state="OH", birth_date=None)
        response = client.post(
            self.SEVERAL, {"act": "merge", "row": ticks(client, self.LIST)}
        )
        assert response.context["to_look_at"] == 1

    def test_chosen_pairs_are_told_apart(self, client, staff):
        one, two = self.pair("Ash"), self.pair("Birch")
        keys = ticks(client, self.LIST)
        response = client.post(
            self.SEVERAL, {"act": "apart", "row": keys[1:], **CONFIRM}
        )
        assert outcome(response) == (["Ada Birch"], [])
        apart = NotSamePerson.objects.get()
        assert (apart.first, apart.second, apart.by, apart.reason) == (
            *two,
            staff,
            REASON["reason"],
        )
        assert ticks(client, self.LIST) == [f"{one[0].pk}:{one[1].pk}"]

    @pytest.mark.parametrize("act", ["merge", "apart"])
    def test_only_a_suspected_pair_is_taken(self, client, staff, act):
        one, other = make_player(family_name="Ash"), make_player(family_name="Birch")
        _first, second = self.pair("Cedar")
        rows = [f"{one.pk}:{other.pk}", f"{second.pk}:{_first.pk}", f"{one.pk}:z"]
        response = client.post(self.SEVERAL, {"act": act, "row": rows, **CONFIRM})
        assert outcome(response) == ([], [str(one), str(second), str(one)])
        assert not PlayerMerge.objects.exists()
        assert not NotSamePerson.objects.exists()

    def test_it_takes_the_permission(self, client, staff):
        self.pair("Ash")
        keys = ticks(client, self.LIST)
        client.force_login(make_user(is_staff=True))
        response = client.post(self.SEVERAL, {"act": "merge", "row": keys, **CONFIRM})
        assert response.status_code == 403
        assert not PlayerMerge.objects.exists()

    @pytest.mark.parametrize("pairs", [2, 12])
    def test_the_pages_take_the_same_queries_for_any_number(
        self, client, staff, django_assert_num_queries, pairs
    ):
        for number in range(pairs):
            self.pair(f"Name{number}")
        with django_assert_num_queries(10):
            keys = ticks(client, self.LIST)
        with django_assert_num_queries(12):
            response = client.post(self.SEVERAL, {"act": "merge", "row": keys})
        assert len(listed(response)) == pairs

    def test_the_page_is_kept_by_the_single_decision(self, client, staff):
        one, other = self.pair("Ash")
        address = f"/office/duplicates/{one.member_id}/{other.member_id}/"
        response = client.post(
            f"{address}?list=page%3D2", {"decision": "apart", **REASON}
        )
        assert response.url == "/office/duplicates/?page=2"


def aged(years: int) -> date:
    return timezone.localdate() - timedelta(days=round(365.25 * years) + 30)


class TestClaims:
    LIST = "/office/claims/"
    SEVERAL = "/office/claims/several/"

    def claim(
        self,
        name: str,
        *,
        years: int = 40,
        typed: int | None = None,
        as_guardian: bool = False,
        account: User | None = None,
    ) -> Claim:
        """An open request; *typed* is the age entered, by default the one on record."""
        member = make_player(family_name=name, birth_date=aged(years))
        account = account or make_user()
        one = claim_member(player_id=member.pk, as_guardian=as_guardian, actor=account)
        return ask_office(
            claim_id=one.pk,
            text=f"The club of {name}.",
            birth_date=aged(typed or years),
            actor=account,
        )

    def states(self, *claims: Claim) -> list[str]:
        found = Claim.objects.in_bulk([one.pk for one in claims])
        return [found[one.pk].state for one in claims]

    def test_ticked_ones_are_listed_then_granted_with_one_reason(self, client, staff):
        one, other, third = (self.claim(name) for name in ("Ash", "Birch", "Cedar"))
        keys = ticks(client, self.LIST)
        assert keys == [str(each.pk) for each in (one, other, third)]
        sent = {"act": "grant", "row": keys[:2]}
        response = client.post(self.SEVERAL, sent)
        assert listed(response) == keys[:2]
        assert "The club of Ash." in response.content.decode()
        assert response.context["to_look_at"] == 0
        assert self.states(one, other, third) == ["asked"] * 3

        response = client.post(self.SEVERAL, {**sent, **CONFIRM})
        assert outcome(response) == (["Ada Ash", "Ada Birch"], [])
        assert self.states(one, other, third) == ["granted", "granted", "asked"]
        assert Player.objects.get(family_name="Ash").account == one.account
        entries = AuditEntry.objects.filter(action="claim.granted")
        assert [(entry.actor, entry.reason) for entry in entries] == [
            (staff, REASON["reason"])
        ] * 2
        assert set(Notice.objects.values_list("account", flat=True)) == {
            one.account_id,
            other.account_id,
        }

    def test_chosen_ones_are_refused(self, client, staff):
        one, other = self.claim("Ash"), self.claim("Birch", typed=30)
        keys = ticks(client, self.LIST)
        response = client.post(self.SEVERAL, {"act": f"refuse {keys[1]}"})
        assert listed(response) == keys[1:]
        response = client.post(
            self.SEVERAL, {"act": "refuse", "row": keys[1:], **CONFIRM}
        )
        assert outcome(response) == (["Ada Birch"], [])
        assert self.states(one, other) == ["asked", "refused"]
        other.refresh_from_db()
        assert (other.decided_by, other.reason) == (staff, REASON["reason"])

    def test_another_birth_date_is_looked_at_by_itself(self, client, staff):
        claim = self.claim("Ash", typed=30)
        keys = ticks(client, self.LIST)
        response = client.post(self.SEVERAL, {"act": "grant", "row": keys, **CONFIRM})
        assert outcome(response) == ([], ["Ada Ash"])
        assert self.states(claim) == ["asked"]

    def test_a_young_childs_record_has_no_account_of_its_own(self, client, staff):
        own = self.claim("Ash", years=9)
        parents = self.claim("Birch", years=9, as_guardian=True)
        grown = self.claim("Cedar", as_guardian=True)
        keys = ticks(client, self.LIST)
        response = client.post(self.SEVERAL, {"act": "grant", "row": keys})
        assert names(response, "listed") == ["Ada Birch"]
        assert names(response, "left_out") == ["Ada Ash", "Ada Cedar"]
        assert response.context["to_look_at"] == 1
        response = client.post(self.SEVERAL, {"act": "grant", "row": keys, **CONFIRM})
        assert outcome(response) == (["Ada Birch"], ["Ada Ash", "Ada Cedar"])
        assert self.states(own, parents, grown) == ["asked", "granted", "asked"]
        assert GuardianAccount.objects.get().account == parents.account

    def test_a_child_with_a_guardian_is_reviewed_alone(self, client, staff):
        claim = self.claim("Ash", years=9, as_guardian=True)
        GuardianAccount.objects.create(player=claim.player, account=make_user())
        keys = ticks(client, self.LIST)
        response = client.post(self.SEVERAL, {"act": "grant", "row": keys, **CONFIRM})
        assert outcome(response) == ([], ["Ada Ash"])
        assert self.states(claim) == ["asked"]
        grant_claim(claim_id=claim.pk, actor=staff, reason="The other parent.")
        assert self.states(claim) == ["granted"]

    def test_of_two_claims_to_one_member_the_second_is_refused_by_the_guard(
        self, client, staff
    ):
        first = self.claim("Ash")
        rival = make_user()
        second = claim_member(player_id=first.player_id, as_guardian=False, actor=rival)
        second = ask_office(
            claim_id=second.pk, text="I.", birth_date=aged(40), actor=rival
        )
        keys = ticks(client, self.LIST)
        response = client.post(self.SEVERAL, {"act": "grant", "row": keys, **CONFIRM})
        assert outcome(response) == (["Ada Ash"], ["Ada Ash"])
        assert self.states(first, second) == ["granted", "asked"]

    @pytest.mark.parametrize("act", ["grant", "refuse"])
    def test_ones_own_claim_has_no_box_and_is_left_out(self, client, staff, act):
        own = self.claim("Ash", account=staff)
        assert ticks(client, self.LIST) == []
        assert f"grant {own.pk}" not in client.get(self.LIST).content.decode()
        sent = {"act": act, "row": str(own.pk), **CONFIRM}
        response = client.post(self.SEVERAL, sent)
        assert outcome(response) == ([], ["Ada Ash"])
        assert self.states(own) == ["asked"]

    def test_decisions_of_others_are_named(self, client, staff):
        claim = self.claim("Ash")
        keys = ticks(client, self.LIST)
        grant_claim(claim_id=claim.pk, actor=make_staff(), reason="A letter.")
        response = client.post(self.SEVERAL, {"act": "refuse", "row": keys, **CONFIRM})
        assert outcome(response) == ([], [f"Link request {claim.pk}"])
        assert self.states(claim) == ["granted"]

    def test_birth_dates_stay_off_the_pages(self, client, staff):
        born = self.claim("Ash", years=9, as_guardian=True).player.birth_date
        keys = ticks(client, self.LIST)
        page = client.post(self.SEVERAL, {"act": "grant", "row": keys})
        for response in (page, client.get(self.LIST)):
            assert not contains_number(response.content.decode(), born.year)

    def test_it_takes_the_permission(self, client, staff):
        claim = self.claim("Ash")
        client.force_login(make_user(is_staff=True))
        sent = {"act": "grant", "row": str(claim.pk), **CONFIRM}
        assert client.post(self.SEVERAL, sent).status_code == 403
        assert self.states(claim) == ["asked"]

    @pytest.mark.parametrize("claims", [2, 12])
    def test_the_pages_take_the_same_queries_for_any_number(
        self, client, staff, django_assert_num_queries, claims
    ):
        for number in range(claims):
            self.claim(f"Name{number}", years=9, as_guardian=True)
        with django_assert_num_queries(7):
            keys = ticks(client, self.LIST)
        with django_assert_num_queries(7):
            response = client.post(self.SEVERAL, {"act": "grant", "row": keys})
        assert len(listed(response)) == claims
