"""The office's pages of foreign ratings, links, duplicates, opt-ins and statuses."""

from datetime import date

import pytest
from django.utils import timezone

from players.fide.services.links import link_fide_id
from players.identity.services import mark_not_duplicates
from players.members.rating_history import rating_history
from players.models import (
    ExternalRating,
    FideLinkRefusal,
    FideOptIn,
    NotSamePerson,
    PlayerMerge,
)
from ratings_site.common.models import AuditEntry
from tests.factories import make_player, make_staff, make_user
from tests.players.fide.fide_files import Person
from tests.players.fide.helpers import MAY, import_list, make_executive_director

pytestmark = pytest.mark.django_db

REASON = {"reason": "A letter of 4 May."}


@pytest.fixture
def staff(client):
    user = make_staff()
    client.force_login(user)
    return user


def text_of(answer) -> str:
    return answer.content.decode()


# --- CFC ratings ---


def cfc_form(player, **said) -> dict:
    return {
        "member": player.member_id,
        "rating": "1850",
        "games": "",
        "list_date": "2024-05-01",
        "reason": "chess.ca",
        **said,
    }


def test_cfc_rating_is_entered_and_listed(client, staff):
    player = make_player(given_name="Daniel", residence="CAN")
    answer = client.post("/office/cfc/", cfc_form(player), follow=True)
    page = text_of(answer)
    assert "CFC 1850 added for Daniel Adams." in page
    assert "not used" not in page
    row = ExternalRating.objects.get()
    assert (row.player, row.body, row.rating, row.list_date, row.games) == (
        player,
        "CFC",
        1850,
        MAY,
        None,
    )
    assert '<td data-label="CFC" class="num">1850</td>' in page


def test_rating_of_who_lives_elsewhere_is_doubted(client, staff):
    page = text_of(client.post("/office/cfc/", cfc_form(make_player()), follow=True))
    assert "used only for members who live in Canada" in page
    assert "not used" in page


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"member": "99999999"}, "No member has this ID."),
        ({"member": "1234"}, "Enter an 8-digit member ID."),
        ({"rating": "0"}, "greater than or equal to 1"),
        ({"rating": "١٨٥٠"}, "Enter a whole number, using the digits 0 to 9."),
        ({"list_date": "2099-01-01"}, "This date is in the future."),
        ({"list_date": "yesterday"}, "Enter a date such as 2024-05-04."),
        ({"reason": ""}, "Enter where you found the rating."),
    ],
)
def test_cfc_form_says_what_is_wrong(client, staff, said, sentence):
    answer = client.post("/office/cfc/", cfc_form(make_player(), **said))
    assert answer.status_code == 422
    assert sentence in text_of(answer)
    assert not ExternalRating.objects.exists()


def test_cfc_page_takes_the_same_queries_and_is_searched(
    client, staff, django_assert_num_queries
):
    for count in (2, 10):
        for number in range(count):
            ExternalRating.objects.create(
                player=make_player(family_name=f"Family{count}x{number}"),
                body="CFC", list_date=MAY, rating=1500,
            )  # fmt: skip
        with django_assert_num_queries(7):
            client.get("/office/cfc/")
    page = text_of(client.get("/office/cfc/", {"q": "family10x3"}))
    assert "Family10x3" in page
    assert "Family10x4" not in page


# --- FIDE IDs ---


def test_suggestion_is_accepted(client, staff):
    player = make_player(given_name="Emmy", family_name="Noether",
                         birth_date=date(1982, 3, 23))  # fmt: skip
    import_list([Person(7, "Noether, Emmy", 2104, year=1982)])
    page = text_of(client.get("/office/links/"))
    assert f"/office/links/{player.member_id}/7/" in page
    assert "strong, 100" in page
    url = f"/office/links/{player.member_id}/7/"
    page = text_of(client.get(url))
    assert (
        "Same name, federation USA, both born in 1982, no other FIDE player matches"
        in page
    )
    assert "1982-03-23" not in page

    assert client.post(url, {"decision": "accept"}).status_code == 422
    answer = client.post(url, {"decision": "accept", **REASON}, follow=True)
    assert "Emmy Noether is now linked to FIDE ID 7." in text_of(answer)
    assert "There are none now." in text_of(answer)
    player.refresh_from_db()
    assert (player.fide_id, player.external_ratings.get().rating) == ("7", 2104)
    answer = client.post(url, {"decision": "accept", **REASON})
    assert answer.status_code == 422
    assert "already has FIDE ID 7" in text_of(answer)


def test_suggestion_is_declined(client, staff):
    player = make_player(given_name="Emmy", family_name="Noether", birth_date=None)
    import_list([Person(7, "Noether, Emmy", 2104)])
    url = f"/office/links/{player.member_id}/7/"
    answer = client.post(url, {"decision": "decline", **REASON}, follow=True)
    assert "FIDE ID 7 won’t be suggested for Emmy Noether again." in text_of(answer)
    declined = FideLinkRefusal.objects.get()
    assert (declined.player, declined.fide_id, declined.reason) == (
        player,
        7,
        "A letter of 4 May.",
    )
    player.refresh_from_db()
    assert player.fide_id is None


def test_wrong_fide_id_is_found_and_taken_away_with_a_reason(client, staff):
    player = make_player(given_name="Emmy", family_name="Noether", birth_date=None)
    import_list([Person(7, "Noether, Emmy", 2104)])
    link_fide_id(player_id=player.pk, fide_id=7, actor=staff, reason="Same name.")
    url = f"/office/links/{player.member_id}/"
    assert url not in text_of(client.get("/office/links/"))
    assert url in text_of(client.get("/office/links/", {"q": "noether"}))
    assert "Remove FIDE ID 7 from Emmy Noether" in text_of(client.get(url))

    assert client.post(url).status_code == 422
    player.refresh_from_db()
    assert player.fide_id == "7"
    answer = client.post(url, REASON, follow=True)
    assert "FIDE ID 7 removed from Emmy Noether." in text_of(answer)
    player.refresh_from_db()
    assert (player.fide_id, player.external_ratings.count()) == (None, 0)
    entry = AuditEntry.objects.get(action="player.fide_id_unlinked")
    assert (entry.actor, entry.reason, entry.facts) == (
        staff,
        "A letter of 4 May.",
        {"fide_id": "7"},
    )
    assert client.get(url).status_code == 404


def test_taking_a_fide_id_away_takes_the_permission_to_link(client):
    player = make_player(fide_id="7")
    client.force_login(make_user(is_staff=True))
    answer = client.post(f"/office/links/{player.member_id}/", REASON)
    assert answer.status_code == 403
    player.refresh_from_db()
    assert player.fide_id == "7"


def test_links_take_the_same_queries_for_any_number(
    client, staff, django_assert_num_queries
):
    import_list([Person(number, f"Name{number}, A") for number in range(1, 13)])
    assert client.get("/office/links/12345678/7/").status_code == 404
    for count in (2, 12):
        for number in range(1, count + 1):
            make_player(given_name="A", family_name=f"Name{number}", birth_date=None)
        with django_assert_num_queries(14):
            page = text_of(client.get("/office/links/"))
        assert page.count("/office/links/") > count


def test_links_without_a_list_lead_to_the_lists(client, staff):
    page = text_of(client.get("/office/links/"))
    assert "after you upload a FIDE list" in page
    assert 'href="/office/fide/"' in page


# --- Duplicates ---


@pytest.fixture
def pair():
    return (
        make_player("20000111", "Ada", "Byron", state="OH"),
        make_player("20000222", "Ada", "Byron", state="IL"),
    )


URL = "/office/duplicates/20000111/20000222/"


def test_pair_is_looked_at_merged_and_undone(client, staff, pair, monkeypatch):
    monkeypatch.setattr(
        rating_history(),
        "merge_facts",
        lambda player: [("Games", player.member_id[-3:])],
    )
    page = text_of(client.get("/office/duplicates/"))
    assert URL in page
    assert "Same name and birth date" in page
    page = text_of(client.get(URL))
    assert '<td data-label="Kept">Jan 1, 1990</td>' in page
    assert (
        '<th scope="row" class="name">Games</th><td data-label="Kept">111</td>'
        '<td data-label="Merged">222 '
    ) in page

    answer = client.post(URL, {"decision": "merge", **REASON}, follow=True)
    page = text_of(answer)
    assert (
        "Ada Byron (20000222) was merged into Ada Byron (20000111). Ratings update "
        "with the next rerate."
    ) in page
    assert "There are none now." in page
    merge = PlayerMerge.objects.get()
    undo = f"/office/merges/{merge.pk}/undo/"
    assert undo in page

    assert client.post(undo, {"reason": ""}).status_code == 422
    page = text_of(client.post(undo, {"reason": "Twins."}, follow=True))
    assert "Merge undone. They’re two members again." in page
    assert "“Twins.”" in page
    answer = client.post(undo, {"reason": "Twins."})
    assert answer.status_code == 422
    assert "This merge has already been undone." in text_of(answer)


def test_pair_is_told_apart(client, staff, pair):
    page = text_of(client.post(URL, {"decision": "apart", **REASON}, follow=True))
    assert "won’t be listed as duplicates again" in page
    assert "There are none now." in page
    assert NotSamePerson.objects.get().reason == "A letter of 4 May."
    page = text_of(client.get(URL))
    assert "Marked as not duplicates on" in page
    assert "“A letter of 4 May.”" in page


def test_members_who_met_cannot_be_merged(client, staff, pair, monkeypatch):
    sentence = "They played each other in the May Open, section 1, round 3."
    monkeypatch.setattr(rating_history(), "merge_refusals", lambda pairs: [[sentence]])
    page = text_of(client.get(URL))
    assert "These members can’t be merged." in page
    assert sentence in page
    assert 'value="merge"' not in page
    answer = client.post(URL, {"decision": "merge", **REASON})
    assert answer.status_code == 422
    assert text_of(answer).count(sentence) == 2
    assert not PlayerMerge.objects.exists()


def test_any_two_members_can_be_compared(client, staff, pair):
    def look(kept, merged):
        return client.post("/office/duplicates/", {"kept": kept, "merged": merged})

    assert look("20000111", "20000222")["Location"] == URL
    for kept, merged, sentence in (
        ("20000111", "20000111", "Enter a different member ID."),
        ("20000111", "99999999", "No member has this ID."),
    ):
        answer = look(kept, merged)
        assert answer.status_code == 422
        assert sentence in text_of(answer)
    for path in ("20000111/99999999", "20000111/20000111", "x/y"):
        assert client.get(f"/office/duplicates/{path}/").status_code == 404


def test_duplicates_take_the_same_queries_for_any_number(
    client, staff, django_assert_num_queries
):
    for count in (2, 9):
        for number in range(count):
            family_name = f"Name{count}x{number}"
            one, two = (make_player(family_name=family_name) for _ in range(2))
            if number % 2:
                mark_not_duplicates(
                    first_id=one.pk, second_id=two.pk, actor=staff, reason="Twins."
                )
        with django_assert_num_queries(10):
            client.get("/office/duplicates/")


# --- Opt-ins ---


@pytest.fixture
def member(client):
    player = make_player(account=make_user("member"), family_name="Member")
    client.force_login(player.account)
    return player


def test_member_opts_in_and_asks_out(client, member):
    page = text_of(client.get("/players/fide-opt-in/"))
    assert 'value="in"' in page
    assert "We don’t have your FIDE ID" in page
    page = text_of(client.post("/players/fide-opt-in/", {"act": "in"}, follow=True))
    assert "You opted in. Events that start after" in page
    assert FideOptIn.objects.get().player == member

    answer = client.post("/players/fide-opt-in/", {"act": "in"})
    assert answer.status_code == 422
    assert "has already opted in." in text_of(answer)

    page = text_of(
        client.post("/players/fide-opt-in/", {"act": "out", "wish": "Too many."},
                    follow=True)
    )  # fmt: skip
    assert "Until the Executive Director approves it, you stay opted in." in page
    wish = FideOptIn.objects.get()
    assert (wish.opt_out_wish, wish.opted_out_on) == ("Too many.", None)


def test_account_without_a_member_is_told_so(client):
    client.force_login(make_user())
    page = text_of(client.get("/players/fide-opt-in/"))
    assert "Your account isn’t linked to a member yet." in page
    assert client.post("/players/fide-opt-in/", {"act": "in"}).status_code == 200
    assert not FideOptIn.objects.exists()


def test_strangers_are_sent_to_the_sign_in_page(client):
    answer = client.get("/players/fide-opt-in/")
    assert answer["Location"].startswith("/accounts/login/")


def test_staff_enter_a_letter_but_cannot_end_an_opt_in(client, staff):
    player = make_player(family_name="Letter")
    said = {"member": player.member_id, "day": "2024-01-02", **REASON}
    page = text_of(client.post("/office/opt-ins/", said, follow=True))
    assert "Ada Letter opted in." in page
    assert "Jan 2, 2024" in page
    wish = FideOptIn.objects.get()
    assert (wish.by_staff, wish.note) == (True, "A letter of 4 May.")
    url = f"/office/opt-ins/{wish.pk}/out/"
    assert url not in page
    assert client.post(url, REASON).status_code == 403
    answer = client.post("/office/opt-ins/", said)
    assert answer.status_code == 422
    assert "has already opted in." in text_of(answer)
    answer = client.post("/office/opt-ins/", {**said, "day": "2099-01-01"})
    assert "This date is in the future. Enter today or an earlier date." in text_of(
        answer
    )


def test_executive_director_ends_an_opt_in(client):
    director = make_executive_director()
    client.force_login(director)
    wish = FideOptIn.objects.create(
        player=make_player(), opted_in_on=date(2024, 1, 2), entered_by=director
    )
    url = f"/office/opt-ins/{wish.pk}/out/"
    assert url in text_of(client.get("/office/opt-ins/"))
    answer = client.post(url, {"reason": ""})
    assert answer.status_code == 422
    page = text_of(client.post(url, REASON, follow=True))
    assert "Ada Adams opted out." in page
    wish.refresh_from_db()
    assert (wish.opted_out_on, wish.opt_out_approved_by) == (
        timezone.localdate(),
        director,
    )
    again = text_of(client.post(url, {"reason": "Sent twice."}, follow=True))
    assert "has already opted out" in again
    assert FideOptIn.objects.get().opt_out_reason == wish.opt_out_reason


def test_those_who_ask_to_opt_out_stand_first(client, staff, django_assert_num_queries):
    for count in (2, 9):
        for number in range(count):
            FideOptIn.objects.create(
                player=make_player(family_name=f"Name{count}x{number}"),
                opted_in_on=date(2024, 1, 1 + number),
                opt_out_asked_on=MAY if number == 0 else None,
                entered_by=staff,
            )
        with django_assert_num_queries(7):
            page = text_of(client.get("/office/opt-ins/"))
    assert page.index("Name9x0") < page.index("Name9x8") < page.index("Name9x1")
    page = text_of(client.get("/office/opt-ins/", {"q": "name9x3"}))
    assert "Name9x3" in page
    assert "Name9x4" not in page


# --- Status ---


def test_status_is_changed_with_a_reason(client, staff):
    player = make_player()
    url = f"/office/members/{player.member_id}/status/"
    assert 'value="duplicate"' not in text_of(client.get(url))
    answer = client.post(url, {"status": "suspended", "reason": ""})
    assert answer.status_code == 422
    answer = client.post(url, {"status": "suspended", **REASON})
    assert answer["Location"] == player.get_absolute_url()
    player.refresh_from_db()
    assert player.status == "suspended"
    assert "active to suspended: “A letter of 4 May.”" in text_of(client.get(url))


def test_status_of_a_duplicate_leads_to_the_merge(client, staff):
    kept = make_player(given_name="Kept")
    player = make_player(status="duplicate", merged_into=kept)
    url = f"/office/members/{player.member_id}/status/"
    assert f'This ID was merged into <a href="{kept.get_absolute_url()}">' in text_of(
        client.get(url)
    )
    answer = client.post(url, {"status": "active", **REASON})
    assert answer.status_code == 422
    assert REASON["reason"] in text_of(answer)
    player.refresh_from_db()
    assert player.status == "duplicate"


def test_a_fide_id_that_another_member_has_can_only_be_declined(client, staff):
    import_list([Person(4100018, "Rivera, Diana", fed="USA", rating=1800)])
    make_player(fide_id="4100018")
    member = make_player(given_name="Diana", family_name="Rivera")
    page = text_of(client.get(f"/office/links/{member.member_id}/4100018/"))
    assert 'value="decline"' in page
    assert 'value="accept"' not in page
    assert 'role="status"' in page
    assert "What will happen" not in page


def test_forms_are_filled_in_with_the_member_of_the_address(client, staff):
    member_id = make_player().member_id
    for url in (
        f"/office/duplicates/?kept={member_id}",
        f"/office/links/?q={member_id}&member={member_id}",
        f"/office/claims/invite/?member={member_id}",
    ):
        fields = text_of(client.get(url)).count(f'value="{member_id}"')
        assert fields == 1 + ("q=" in url), url
