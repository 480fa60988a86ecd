"""The office's directory of members, and a member's page for the office."""

import csv
import io
from datetime import date, timedelta

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from events.models import CorrectionRequest, Official
from players.models import (
    Claim,
    Contact,
    Guardian,
    GuardianAccount,
    Invitation,
    Membership,
    MembershipType,
    Player,
)
from ratings_site.common.audit.services import record
from ratings_site.common.models import AuditEntry, User
from tests.events.reports.test_report_pages import quad, text_of
from tests.factories import (
    make_player,
    make_staff,
    make_td,
    make_user,
    merge_with_approval,
    rated_section,
    upload,
)

pytestmark = pytest.mark.django_db

MEMBERS = "/office/members/"
FILE = f"{MEMBERS}file/"
DAY = timedelta(days=1)


@pytest.fixture
def signed_in(client):
    client.force_login(make_staff("staff"))
    return client


def without(user: User, *codenames: str) -> User:
    """Give a clerk all permissions of the group but these."""
    group = user.groups.get()
    kept = group.permissions.exclude(codename__in=codenames)
    user.user_permissions.set(kept)
    user.groups.clear()
    return User.objects.get(pk=user.pk)


def member(number: int, given: str, *, until: date | None = None, **fields):
    """Create a member whose only membership, if any, ends on this day."""
    player = make_player(f"1200000{number}", given, "Adams", **fields)
    player.memberships.all().delete()
    if until is not None:
        kind, _ = MembershipType.objects.get_or_create(name="Adult")
        Membership.objects.create(
            player=player, type=kind, starts=date(2010, 1, 1), expires=until
        )
    return player


@pytest.fixture
def people():
    """Four members who differ in all that the directory filters."""
    today = timezone.localdate()
    ada = member(1, "Ada", until=today, state="IL", account=make_user("ada"))
    Official.objects.create(player=ada, level="senior", certified_until=today)
    bea = member(2, "Bea", until=today - DAY, state="OH", status="inactive")
    Official.objects.create(player=bea, level="club", certified_until=today)
    cleo = member(3, "Cleo", state="IL", status="suspended")
    dan = member(4, "Dan", until=date(2099, 12, 31), state="", fide_id="2020009")
    return ada, bea, cleo, dan


def names(response) -> list[str]:
    return [row.record.given_name for row in response.context["table"].page]


class TestDirectory:
    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ({}, ["Ada", "Bea", "Cleo", "Dan"]),
            ({"q": "12000003"}, ["Cleo"]),
            ({"q": "2020009"}, ["Dan"]),
            ({"q": "bea adams"}, ["Bea"]),
            ({"q": "nobody here"}, []),
            ({"state": "il"}, ["Ada", "Cleo"]),
            ({"status": "active"}, ["Ada", "Dan"]),
            ({"status": "suspended"}, ["Cleo"]),
            ({"membership": "current"}, ["Ada", "Dan"]),
            ({"membership": "expired"}, ["Bea"]),
            ({"membership": "none"}, ["Cleo"]),
            ({"td": "any"}, ["Ada", "Bea"]),
            ({"td": "club"}, ["Bea"]),
            ({"td": "none"}, ["Cleo", "Dan"]),
            ({"account": "yes"}, ["Ada"]),
            ({"account": "no"}, ["Bea", "Cleo", "Dan"]),
            ({"state": "IL", "account": "no"}, ["Cleo"]),
            ({"sort": "-name"}, ["Dan", "Cleo", "Bea", "Ada"]),
            ({"sort": "-member_id"}, ["Dan", "Cleo", "Bea", "Ada"]),
            ({"sort": "status"}, ["Ada", "Dan", "Bea", "Cleo"]),
            ({"td": "any", "sort": "td"}, ["Bea", "Ada"]),
            ({"td": "any", "sort": "membership_until"}, ["Bea", "Ada"]),
            ({"td": "any", "sort": "-membership_until"}, ["Ada", "Bea"]),
        ],
        ids=str,
    )
    def test_each_field_narrows_and_columns_sort(self, signed_in, people, query, found):
        assert names(signed_in.get(MEMBERS, query)) == found

    def test_membership_that_begins_later_is_current(self, signed_in, people):
        later = timezone.localdate() + DAY
        Membership.objects.filter(player=people[0]).update(starts=later, expires=later)
        found = signed_in.get(MEMBERS, {"membership": "current"})
        assert names(found) == ["Ada", "Dan"]

    def test_username_that_is_an_address_is_not_in_the_file(self, signed_in, people):
        User.objects.filter(player=people[0]).update(username="ada@example.org")
        [row] = rows(signed_in.get(MEMBERS, {"q": "12000001", "format": "csv"}))[1:]
        assert row[-1] == "yes"

    def test_a_row_says_what_is_on_record_and_leads_to_the_member(
        self, signed_in, people
    ):
        response = signed_in.get(MEMBERS, {"q": "Dan"})
        assert "Dan Adams 12000004 Active Life member" in text_of(response)
        assert 'href="/office/members/12000004/"' in response.content.decode()
        ada = text_of(signed_in.get(MEMBERS, {"q": "Ada"}))
        assert "Ada Adams 12000001 IL Active Member until" in ada
        assert "Senior TD ada" in ada

    def test_a_td_certified_under_a_merged_id_is_one_under_both(self, signed_in):
        td = make_td("td", "12000001")
        merge_with_approval(make_player("12000002"), td.player)
        for level, numbers in (
            ("any", ["12000001", "12000002"]),
            ("senior", ["12000001", "12000002"]),
            ("none", []),
        ):
            asked = {"td": level, "format": "csv"}
            lines = sorted(rows(signed_in.get(MEMBERS, asked))[1:])
            assert [line[0] for line in lines] == numbers
            assert {(line[8], line[9]) for line in lines} <= {("senior", "2099-12-31")}
        assert text_of(signed_in.get(MEMBERS, {"sort": "td"})).count("Senior TD") == 3
        Official.objects.create(
            player=Player.objects.get(member_id="12000002"),
            level="local",
            certified_until=date(2098, 12, 31),
        )
        assert names(signed_in.get(MEMBERS, {"td": "local"})) == []

    def test_a_field_with_a_fault_is_named_and_passed_over(self, signed_in, people):
        response = signed_in.get(MEMBERS, {"state": "Ohio", "td": "club"})
        assert response.status_code == 422
        assert "Enter a two-letter state, such as IL." in text_of(response)
        assert names(response) == ["Bea"]

    def test_nothing_found_and_no_members_are_told_apart(self, signed_in):
        assert "No members yet." in text_of(signed_in.get(MEMBERS))
        found = text_of(signed_in.get(MEMBERS, {"q": "x"}))
        assert "No members match these filters." in found

    @pytest.mark.parametrize("number", [2, 40])
    def test_the_page_takes_the_same_queries_for_any_number(
        self, signed_in, django_assert_num_queries, number
    ):
        for n in range(number):
            player = make_player(account=make_user() if n % 2 else None)
            Official.objects.create(
                player=player, level="club", certified_until=date(2030, 1, 1)
            )
        with django_assert_num_queries(7):
            response = signed_in.get(MEMBERS)
        assert len(names(response)) == number

    def test_it_is_the_first_page_of_the_members_menu(self, signed_in):
        menu = signed_in.get(MEMBERS).context["office"]["menu"]
        (group,) = [one for one in menu.groups if one.label == "Members"]
        assert (group.url, group.current) == (MEMBERS, "true")

    def test_pages_are_for_the_office(self, client, people):
        for path in (MEMBERS, FILE, f"{MEMBERS}12000001/"):
            where = client.get(path)["Location"]
            assert where == f"/accounts/login/?next={path}"
        for user in (make_td("td"), make_user("desk", is_staff=True)):
            client.force_login(user)
            for path in (MEMBERS, FILE, f"{MEMBERS}12000001/"):
                for response in (client.get(path), client.post(path, {"reason": "x"})):
                    assert response.status_code == 403, path
        assert not AuditEntry.objects.filter(action="members.exported").exists()


def text_of_file(response) -> str:
    return b"".join(response.streaming_content).decode()


def rows(response) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text_of_file(response))))


HEADING = [
    *("member_id", "given_name", "family_name", "suffix", "state", "status"),
    *("membership_until", "fide_id", "td_level", "td_certified_until", "account"),
]


class TestFile:
    def test_the_csv_file_has_the_rows_of_the_filter_and_no_personal_data(
        self, signed_in, people
    ):
        Contact.objects.create(player=people[3], email="dan@example.org")
        query = {"account": "no", "sort": "name", "format": "csv"}
        response = signed_in.get(MEMBERS, query)
        yesterday, today = timezone.localdate() - DAY, timezone.localdate()
        assert text_of_file(response).splitlines() == [
            ",".join(HEADING),
            f"12000002,Bea,Adams,,OH,inactive,{yesterday},,club,{today},",
            "12000003,Cleo,Adams,,IL,suspended,,,,,",
            "12000004,Dan,Adams,,,active,2099-12-31,2020009,,,",
        ]
        assert "members-" in response["Content-Disposition"]
        assert not AuditEntry.objects.filter(action="members.exported").exists()

    def test_a_name_is_no_formula(self, signed_in):
        make_player("12000001", "=1+1", "Adams")
        assert rows(signed_in.get(MEMBERS, {"format": "csv"}))[1][1] == "'=1+1"

    def test_personal_data_takes_a_reason_which_is_audited(self, signed_in, people):
        Contact.objects.create(player=people[3], email="dan@example.org")
        Guardian.objects.create(player=people[3], email="mum@example.org")
        refused = signed_in.post(f"{FILE}?q=Dan", {"with_emails": "on", "reason": ""})
        assert refused.status_code == 422
        assert "Enter a reason." in text_of(refused)
        sent = {"with_emails": "on", "with_birth_dates": "on", "reason": "Newsletter."}
        heading, row = rows(signed_in.post(f"{FILE}?q=Dan", sent))
        assert heading == [*HEADING, "email", "guardian_email", "birth_date"]
        assert row[-3:] == ["dan@example.org", "mum@example.org", "1990-01-01"]
        (entry,) = AuditEntry.objects.filter(action="members.exported")
        assert (str(entry.actor), entry.reason, entry.facts) == (
            "staff",
            "Newsletter.",
            {
                "columns": ["email", "guardian_email", "birth_date"],
                "filter": {"q": "Dan"},
            },
        )

    @pytest.mark.parametrize(
        ("missing", "shown"),
        [
            ((), ["with_emails", "with_birth_dates", "reason"]),
            (("view_contact",), ["with_birth_dates", "reason"]),
            (("view_guardian",), ["with_birth_dates", "reason"]),
            (("view_player",), ["with_emails", "reason"]),
        ],
    )
    def test_each_kind_of_data_is_for_those_who_may_see_it(
        self, client, people, missing, shown
    ):
        client.force_login(without(make_staff(), *missing))
        form = client.get(FILE).context["form"]
        assert list(form.fields) == shown
        sent = {"with_emails": "on", "with_birth_dates": "on", "reason": "Why not."}
        heading, *_ = rows(client.post(FILE, sent))
        assert ("email" in heading) == ("with_emails" in shown)
        assert ("birth_date" in heading) == ("with_birth_dates" in shown)

    def test_without_any_such_right_the_link_is_absent(self, client, people):
        client.force_login(make_staff("all"))
        assert "With personal data" in text_of(client.get(MEMBERS))
        client.force_login(without(make_staff(), "view_player", "view_contact"))
        assert "With personal data" not in text_of(client.get(MEMBERS))


def actions(response) -> dict[str, str]:
    return dict(response.context["actions"])


class TestMemberPage:
    def test_a_clerk_has_every_action_in_one_row(self, signed_in, people):
        dan = people[3]
        Contact.objects.create(player=dan, email="dan@example.org")
        response = signed_in.get(f"{MEMBERS}12000004/")
        assert actions(response) == {
            "Edit": f"/admin/players/player/{dan.pk}/change/",
            "Change status": "/office/members/12000004/status/",
            "Merge": "/office/duplicates/?kept=12000004#other",
            "Remove FIDE ID": "/office/links/12000004/",
            "Certify as TD": f"/admin/events/official/add/?player={dan.pk}",
            "Email": "mailto:dan@example.org",
            "Invite": "/office/claims/invite/?member=12000004",
            "Floors and ratings": "/office/members/12000004/floors/",
            "Privacy": "/office/members/12000004/privacy/",
        }
        for label, url in actions(response).items():
            if label != "Email":
                assert signed_in.get(url).status_code == 200, url

    def test_actions_follow_the_record(self, signed_in, people):
        ada = people[0]
        found = actions(signed_in.get(f"{MEMBERS}12000001/"))
        official = ada.official.pk
        assert found["TD certification"] == f"/admin/events/official/{official}/change/"
        assert (
            found["Link FIDE ID"] == "/office/links/?q=12000001&member=12000001#known"
        )
        assert "Email" not in found
        claim = Claim.objects.create(
            player=ada,
            account=make_user(),
            state="asked",
            as_td=True,
            asked_at=timezone.now(),
        )
        found = actions(signed_in.get(f"{MEMBERS}12000001/"))
        assert found["Review TD request"] == f"/office/directors/{claim.pk}/"

    @pytest.mark.parametrize(
        ("missing", "label"),
        [
            ("change_player", "Edit"),
            ("change_status", "Change status"),
            ("merge_players", "Merge"),
            ("link_fide_id", "Remove FIDE ID"),
            ("add_official", "Certify as TD"),
            ("view_contact", "Email"),
            ("view_guardian", "Email"),
            ("decide_claim", "Invite"),
        ],
    )
    def test_each_action_is_for_accounts_with_the_right(
        self, client, people, missing, label
    ):
        Contact.objects.create(player=people[3], email="dan@example.org")
        url = f"{MEMBERS}12000004/"
        client.force_login(make_staff())
        whole = actions(client.get(url))
        client.force_login(without(make_staff(), missing))
        left = actions(client.get(url))
        assert whole.keys() - left.keys() == {label}

    def test_deleting_personal_data_is_offered_with_the_right(self, client, people):
        manager = make_staff()
        right = Permission.objects.get(codename="forget_member")
        manager.user_permissions.add(right)
        client.force_login(manager)
        found = actions(client.get(f"{MEMBERS}12000004/"))
        assert found["Delete personal data"] == "/office/members/12000004/forget/"

    def test_the_page_shows_all_that_is_on_record(self, signed_in, people):
        dan, staff = people[3], User.objects.get(username="staff")
        Contact.objects.create(player=dan, email="dan@example.org")
        Guardian.objects.create(player=dan, email="mum@example.org")
        GuardianAccount.objects.create(player=dan, account=make_user("mum"))
        Claim.objects.create(player=dan, account=make_user("cousin"))
        Invitation.objects.create(player=dan, made_by=staff)
        record("player.edited", subject=dan, actor=staff, reason="A letter.")
        words = text_of(signed_in.get(f"{MEMBERS}12000004/"))
        for text in (
            "Birth date Jan 1, 1990",
            "FIDE ID 2020009",
            "TD level Not a TD",
            "Email on record dan@example.org",
            "Parent or guardian’s email mum@example.org",
            "Parent or guardian mum, since",
            "cousin, the member Waiting for the code",
            "Invitation, staff not used,",
            "Adult Jan 1, 2010 Life member",
            "player: edited “A letter.” staff,",
        ):
            assert text in words, (text, words)

    def test_addresses_and_birth_dates_are_for_those_who_may_see_them(
        self, client, people
    ):
        Contact.objects.create(player=people[3], email="dan@example.org")
        Guardian.objects.create(player=people[3], email="mum@example.org")
        hidden = "view_player", "view_contact", "view_guardian", "view_auditentry"
        client.force_login(without(make_staff(), *hidden))
        page = client.get(f"{MEMBERS}12000004/").content.decode()
        for text in ("1990", "dan@example.org", "mum@example.org", 'activity"'):
            assert text not in page

    def test_reports_and_open_corrections_of_the_member_are_listed(self, signed_in):
        td = make_td("td")
        upload(td, quad(td, name="Spring Quads"))
        section = rated_section(players=4)
        for state in ("asked", "refused"):
            CorrectionRequest.objects.create(
                section=section,
                kind="other",
                text="I won.",
                change_digest=state,
                seen_version=1,
                asked_by=td,
                state=state,
                **(
                    {
                        "decided_by": td,
                        "decided_at": timezone.now(),
                        "decision_reason": "No.",
                    }
                    if state == "refused"
                    else {}
                ),
            )
        page = text_of(signed_in.get(f"{MEMBERS}{td.player.member_id}/"))
        assert "Reports sent Spring Quads Draft" in page
        players = [one.player.member_id for one in section.entries.all()]
        for member_id in (td.player.member_id, *players):
            words = text_of(signed_in.get(f"{MEMBERS}{member_id}/"))
            assert words.count(f"{section.event.name}, section 1") == 1

    def test_a_duplicate_leads_to_the_record_that_was_kept(self, signed_in):
        kept, merged = make_player("12000001"), make_player("12000002")
        merge_with_approval(kept, merged)
        response = signed_in.get(f"{MEMBERS}12000002/")
        assert response["Location"] == f"{MEMBERS}12000001/"
        assert "Merged IDs 12000002" in text_of(signed_in.get(f"{MEMBERS}12000001/"))

    def test_certification_under_a_merged_id_is_on_the_record(self, signed_in):
        merge_with_approval(make_player("12000001"), make_td("td").player)
        page = signed_in.get(f"{MEMBERS}12000001/")
        assert "Senior TD until Dec 31, 2099" in text_of(page)

    def test_an_unknown_member_is_not_found(self, signed_in):
        response = signed_in.get(f"{MEMBERS}19999999/")
        assert response.status_code == 404
        assert "No member has this ID." in text_of(response)

    @pytest.mark.parametrize("number", [1, 8])
    def test_the_page_takes_the_same_queries_for_any_history(
        self, signed_in, django_assert_num_queries, number
    ):
        td, staff = make_td("td"), User.objects.get(username="staff")
        player, kind = td.player, MembershipType.objects.create(name="Youth")
        for n in range(number):
            upload(td, quad(td, name=f"Open {n}"))
            GuardianAccount.objects.create(player=player, account=make_user())
            Claim.objects.create(
                player=player,
                account=make_user(),
                state="refused",
                decided_by=staff,
                reason="No.",
            )
            Invitation.objects.create(player=player, made_by=staff)
            record("player.edited", subject=player, actor=staff)
            Membership.objects.create(
                player=player,
                type=kind,
                starts=date(2000 + n, 1, 1),
                expires=date(2000 + n, 12, 31),
            )
            CorrectionRequest.objects.create(
                section=rated_section(players=2),
                kind="other",
                text="I won.",
                change_digest=str(n),
                seen_version=1,
                asked_by=td,
            )
        with django_assert_num_queries(18):
            response = signed_in.get(f"{MEMBERS}{player.member_id}/")
        assert response.content.count(b"Youth") == number


class TestWaysToThePage:
    @pytest.mark.parametrize(
        "path", ["/players/12000001/", "/players/?q=Ada", "/search/?q=Ada"]
    )
    def test_staff_find_the_record_from_public_pages(self, client, people, path):
        link = 'href="/office/members/12000001/"'
        assert link not in client.get(path).content.decode()
        client.force_login(make_user())
        assert link not in client.get(path).content.decode()
        client.force_login(make_staff())
        assert link in client.get(path).content.decode()
