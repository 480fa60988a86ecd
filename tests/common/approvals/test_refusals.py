"""Refusals name who has the permission and keep the text that was typed."""

import re
from html import unescape

import pytest
from django import forms
from django.test import Client
from django.urls import reverse

from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.approvals.pages import (
    ActionView,
    PreviewedActionView,
    label_fields,
    submitted_text,
)
from ratings_site.common.approvals.preview import PreviewLine
from tests.events.reports.test_report_pages import text_of
from tests.factories import make_staff, make_user

pytestmark = pytest.mark.django_db

PUBLISH = "ratings.publish_rerate"
PAIR = "/office/duplicates/pair/"
TYPED = {"level": "1500", "reason": "The organizer rang."}


class LevelForm(forms.Form):
    level = forms.IntegerField()
    reason = forms.CharField()


class Messages(list):
    def add(self, level, message, tags):
        self.append(message)


@pytest.fixture
def page(rf):
    """Return the response of an action's page, and record what was done."""

    def answer(data=None, *, user=None, fails=None, permission="", **functions):
        request = rf.get("/act/") if data is None else rf.post("/act/", data)
        request.user = user or make_staff()
        request._messages = Messages()

        def do(view, said):
            if fails is not None:
                raise fails
            answer.done.append(said["level"])
            return said["level"]

        options = {
            "form_class": LevelForm,
            "template_name": "common/act_form.html",
            "permission": permission,
            "success_message": "Done.",
            "success_url": "/there/",
            "do": do,
        }
        options |= {name: staticmethod(one) for name, one in functions.items()}
        base = PreviewedActionView if "form_preview" in functions else ActionView
        return type("Act", (base,), options).as_view()(request)

    answer.done = []
    return answer


def buttons(response) -> list[str]:
    form = response.content.decode().split("<button")[1:]
    return [unescape(one.split(">")[1].split("<")[0]) for one in form]


@pytest.mark.parametrize(
    ("fails", "status", "sentence"),
    [
        (Refusal("It is decided already."), 422, "It is decided already."),
        (NotAllowed("Not you."), 403, "Not you."),
    ],
)
def test_a_refused_form_comes_back_as_it_was_typed(page, fails, status, sentence):
    answer = page(TYPED, fails=fails)
    assert answer.status_code == status
    assert sentence in text_of(answer)
    assert "The organizer rang." in answer.content.decode()
    assert page.done == []


def test_each_sentence_of_a_refusal_is_separate(page):
    refusal = Refusal("One. Two.")
    refusal.sentences = ["One.", "Two."]
    assert "<li>One.</li><li>Two.</li>" in page(TYPED, fails=refusal).content.decode()


def test_who_lost_the_permission_keeps_the_text_and_reads_who_may(page):
    boss = make_user("boss", is_staff=True, is_superuser=True)
    answer = page(TYPED, user=make_staff("clerk"), permission=PUBLISH)
    assert answer.status_code == 403
    assert "Who can do this: boss." in text_of(answer)
    assert "The organizer rang." in answer.content.decode()
    assert buttons(answer) == []
    assert page.done == []
    assert page(TYPED, user=boss, permission=PUBLISH).status_code == 302
    assert page.done == [1500]


def test_a_forbidden_action_is_not_offered(page):
    make_user("boss", is_staff=True, is_superuser=True)
    answer = page(user=make_staff("clerk"), permission=PUBLISH)
    assert answer.status_code == 200
    assert "Who can do this: boss." in text_of(answer)
    assert "<form" not in answer.content.decode()


def test_what_will_happen_stands_above_the_button(page):
    asked = []

    def effects():
        asked.append(True)
        return [PreviewLine("mark", "It leaves a mark.", "warning")]

    answer = page(effects=effects)
    text = text_of(answer)
    assert text.index("What will happen") < text.index("It leaves a mark.")
    assert text.index("It leaves a mark.") < text.index("Save")
    # Submitting the form does not ask for another preview.
    assert page(TYPED, effects=effects).status_code == 302
    assert asked == [True]


def preview_level(said):
    if said["level"] == 666:
        raise Refusal("No such level.")
    return [PreviewLine("floor", f"A floor of {said['level']}.")]


def test_what_depends_on_what_is_typed_is_looked_at_first(page):
    assert buttons(page(form_preview=preview_level)) == ["Preview changes"]
    looked = page({**TYPED, "look": "1"}, form_preview=preview_level)
    assert looked.status_code == 200
    assert "A floor of 1500." in text_of(looked)
    assert "The organizer rang." in looked.content.decode()
    assert buttons(looked) == ["Save", "Refresh"]
    assert page.done == []
    refused = page({**TYPED, "level": "666", "look": "1"}, form_preview=preview_level)
    assert refused.status_code == 422
    assert "No such level." in text_of(refused)


def test_changes_after_the_preview_are_previewed_again(page):
    looked = page({**TYPED, "look": "1"}, form_preview=preview_level)
    seen = looked.content.decode().split('name="seen" value="')[1].split('"')[0]
    changed = page({**TYPED, "level": "1600", "seen": seen}, form_preview=preview_level)
    assert "A floor of 1600." in text_of(changed)
    assert page.done == []
    better = {**TYPED, "reason": "She has a letter.", "seen": seen}
    assert page(better, form_preview=preview_level).status_code == 302
    assert page.done == [1500]


# A page that the reader may not open


def test_a_closed_page_gives_back_what_was_sent_to_it(client):
    manager = make_user("manager", is_staff=True, is_superuser=True)
    client.force_login(make_user("former", is_staff=True))
    address = reverse("players_office:duplicates")
    said = {"reason": "Twins, says the mother.", "password": "hidden one"}
    answer = client.post(address, said)
    assert answer.status_code == 403
    text = text_of(answer)
    assert "Twins, says the mother." in text
    assert "hidden one" not in text
    assert f"Who can do this: {manager}." in text
    assert "Nothing was changed." in text


def test_members_are_led_to_the_setup_of_their_account_and_staff_are_not(client):
    link = f'href="{reverse("events:welcome")}"'
    client.force_login(make_user("member"))
    answer = client.get(reverse("events:desk"))
    assert (answer.status_code, link in answer.text) == (403, True)
    client.force_login(make_user("former", is_staff=True))
    answer = client.get(reverse("players_office:duplicates"))
    assert (answer.status_code, link in answer.text) == (403, False)


def test_only_staff_read_who_may(client):
    make_user("manager", is_staff=True, is_superuser=True)
    client.force_login(make_user("member"))
    answer = client.post(reverse("players_office:duplicates"), {"reason": "Hm, why."})
    assert answer.status_code == 403
    assert "Who can do this" not in text_of(answer)
    assert "Hm, why." in text_of(answer)


def test_what_is_given_back_is_called_as_its_form_calls_it(client):
    client.force_login(make_user("member"))
    said = {"reason": "Es gemela.", "merged": "15000001", "version": "3", "act": "x"}
    spanish = client.post(PAIR, said, headers={"accept-language": "es"})
    text = text_of(spanish)
    assert "Motivo Es gemela." in text
    assert "15000001" in text
    assert not re.search("reason|merged|version|act x|Reason|Other member", text)


def test_fields_of_the_page_that_was_sent_come_before_those_of_others():
    assert label_fields("/desk/reports/1/messages/", [("text", "Hm.")]) == [
        ("Message", "Hm.")
    ]
    fields = [("form-0-opponent_name", "Ann"), ("reason", "Hm."), ("v-1-2", "W")]
    assert label_fields("/nowhere/", [*fields, ("v-1-3", "L"), ("row", "1:2")]) == [
        ("Opponent", "Ann"),
        ("Reason", "Hm."),
        ("Other fields", "W\nL"),
    ]


@pytest.mark.parametrize("length", ["x", "²", "-1", "900000000000", "200001"])
def test_what_is_no_typed_text_is_not_read(rf, length):
    request = rf.post("/act/", {"reason": "Hm."}, CONTENT_LENGTH=length)
    assert submitted_text(request) == []


def test_a_torn_form_gives_back_nothing(rf):
    kind = "multipart/form-data"
    request = rf.generic("POST", "/act/", b"torn", content_type=kind)
    assert submitted_text(request) == []


def test_a_page_that_is_gone_gives_back_what_was_sent_to_it(client):
    client.force_login(make_staff())
    answer = client.post("/office/merges/999999/undo/", {"reason": "They are twins."})
    assert answer.status_code == 404
    assert "They are twins." in text_of(answer)
    assert "What you entered" not in text_of(client.get("/office/merges/999999/undo/"))


def test_a_form_of_an_earlier_sign_in_is_given_back():
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_staff())
    answer = client.post("/office/duplicates/", {"reason": "They are twins."})
    assert answer.status_code == 403
    assert "This form is out of date" in text_of(answer)
    assert "They are twins." in text_of(answer)
