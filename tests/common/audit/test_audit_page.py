"""The page of the audit log."""

import csv
import io
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from ratings_site.common.audit import log as audit_log
from ratings_site.common.audit.log import (
    AuditSearch,
    Fact,
    action_in_words,
    facts_in_words,
)
from ratings_site.common.audit.services import record
from ratings_site.common.models import AuditEntry
from tests.events.reports.test_report_pages import text_of
from tests.factories import make_affiliate, make_player, make_staff, make_td, make_user

pytestmark = pytest.mark.django_db

AUDIT = "/office/audit/"


@pytest.fixture
def staff():
    user = make_staff("clara")
    user.first_name, user.last_name = "Clara", "Clerk"
    user.save()
    return user


@pytest.fixture
def signed_in(client, staff):
    client.force_login(staff)
    return client


@pytest.fixture
def entries(staff):
    """Four entries, each named after its subject."""
    ada = make_player("12000001", "Ada", "Adams")
    club = make_affiliate(name="Castle Chess Club")
    return {
        "floor": record(
            "floor.granted",
            subject=ada,
            actor=staff,
            reason="Won $5,000.",
            facts={"level": 1800},
        ),
        "name": record(
            "player.changed",
            subject=ada,
            actor=make_user("bert", first_name="Bert", last_name="Boss"),
            reason="She has married.",
            facts={"family_name": {"from": "Adams", "to": "Byron"}},
        ),
        "club": record("affiliate.changed", subject=club, actor=staff, reason="Paid."),
        "worker": record("player.recounted", subject=ada, actor=None),
    }


class TestSearch:
    @pytest.mark.parametrize(
        ("wanted", "found"),
        [
            (AuditSearch(), {"floor", "name", "club", "worker"}),
            (AuditSearch(action="player."), {"name", "worker"}),
            (AuditSearch(action="Floor"), {"floor"}),
            (AuditSearch(action="changed"), set()),
            (AuditSearch(person="clara"), {"floor", "club"}),
            (AuditSearch(person="Boss bert"), {"name"}),
            (AuditSearch(person="Clara Boss"), set()),
            (AuditSearch(own_tasks=True), {"worker"}),
            (AuditSearch(subject_type="events.affiliate"), {"club"}),
            (AuditSearch(subject_name="adams"), {"floor", "name", "worker"}),
            (AuditSearch(reason="MARRIED"), {"name"}),
            (AuditSearch(reason="married", person="clara"), set()),
        ],
        ids=lambda value: (
            str(value.in_words()) if isinstance(value, AuditSearch) else ""
        ),
    )
    def test_each_field_narrows(self, entries, wanted, found):
        names = {entry.pk: name for name, entry in entries.items()}
        assert {names[entry.pk] for entry in wanted.entries()} == found

    def test_one_record_is_found_by_its_number(self, entries):
        about = entries["floor"]
        wanted = AuditSearch(
            subject_type=about.subject_type, subject_id=about.subject_id
        )
        assert list(wanted.entries()) == [
            entries["worker"],
            entries["name"],
            entries["floor"],
        ]

    def test_days_count_from_midnight_to_midnight(self, staff):
        moments = {
            datetime(2024, 5, 3, 23, 59, 59, tzinfo=UTC),
            datetime(2024, 5, 4, tzinfo=UTC),
            datetime(2024, 5, 5, 23, 59, 59, tzinfo=UTC),
            datetime(2024, 5, 6, tzinfo=UTC),
        }
        for moment in sorted(moments):
            entry_at(moment, staff)
        days = [
            entry.at.day
            for entry in AuditSearch(
                since=date(2024, 5, 4), until=date(2024, 5, 5), person="clara"
            ).entries()
        ]
        assert days == [5, 4]


def entry_at(moment: datetime, actor) -> AuditEntry:
    """Create an entry of another time, which cannot be set afterward."""
    field = AuditEntry._meta.get_field("at")
    field.auto_now_add = False
    try:
        return AuditEntry.objects.create(
            at=moment,
            action="test.done",
            actor=actor,
            subject_type="common.user",
            subject_id=str(actor.pk),
            subject_name=str(actor),
        )
    finally:
        field.auto_now_add = True


class TestWords:
    def test_changes_read_from_before_to_after(self):
        assert facts_in_words(
            {
                "state": {"from": "OH", "to": ""},
                "certified_until": {"from": "2024-05-01", "to": "2025-12-31"},
            }
        ) == [
            Fact("certified until", "Dec 31, 2025", before="May 1, 2024"),
            Fact("state", "blank", before="OH"),
        ]

    def test_other_facts_are_plain_words(self):
        facts = {
            "late": True,
            "day": "2024-13-01",
            "fields": ["name", "state"],
            "counts": {"by_hand": 2, "all": None},
            "none": [],
        }
        assert [str(fact) for fact in facts_in_words(facts)] == [
            "counts: all: blank; by hand: 2",
            "day: 2024-13-01",
            "fields: name, state",
            "late: yes",
            "none: blank",
        ]

    def test_actions_are_words(self):
        assert action_in_words("section.rated") == "section: rated"
        assert (
            action_in_words("floors.grant_money.proposed")
            == "floors: grant money, proposed"
        )


class TestPage:
    def test_an_entry_shows_who_did_what_why_and_how(self, signed_in, entries):
        words = text_of(signed_in.get(AUDIT))
        assert "Bert Boss player: changed" in words
        assert "She has married. family name: Adams → Byron" in words
        assert "system player: recounted" in words
        assert words.index("recounted") < words.index("floor: granted")

    def test_the_fields_of_the_form_narrow_the_page(self, signed_in, entries):
        words = text_of(signed_in.get(AUDIT, {"person": "bert", "action": "player"}))
        assert "She has married." in words
        assert "Won $5,000." not in words
        words = text_of(signed_in.get(AUDIT, {"reason": "no such reason"}))
        assert "No matching entries." in words

    @pytest.mark.parametrize(
        ("query", "sentence"),
        [
            ({"since": "yesterday"}, "Enter a date between 1900 and 2999"),
            ({"until": "9999-12-31"}, "between 1900 and 2999"),
            ({"reason": "\x00"}, "Null characters"),
            ({"subject_type": "auth.group"}, "not one of the available choices"),
            ({"before": "0"}, "greater than or equal to 1"),
            ({"before": str(10**30)}, "less than or equal to"),
        ],
    )
    def test_a_field_with_a_fault_is_named_and_passed_over(
        self, signed_in, entries, query, sentence
    ):
        response = signed_in.get(AUDIT, query)
        assert response.status_code == 422
        assert sentence in text_of(response)
        assert "She has married." in text_of(response)

    def test_markup_in_an_entry_stays_text(self, signed_in, staff):
        record(
            "player.changed",
            subject=staff,
            actor=staff,
            reason="<b>why</b>",
            facts={"<i>": "<script>alert(1)</script>"},
        )
        page = signed_in.get(AUDIT).content.decode()
        assert "&lt;b&gt;why&lt;/b&gt;" in page
        assert "<script>alert" not in page

    def test_pages_of_fifty_skip_and_repeat_nothing(self, signed_in, staff):
        made = [
            record("test.done", subject=staff, actor=staff, reason=f"number {n};")
            for n in range(120)
        ]
        seen: list[str] = []
        query = {"action": "test.done"}
        for length in (50, 50, 20):
            response = signed_in.get(AUDIT, query)
            page = [line["entry"].reason for line in response.context["lines"]]
            assert len(page) == length
            seen += page
            # new entries shift nothing
            record("test.done", subject=staff, actor=staff, reason="added later")
            query = {"action": "test.done", "before": response.context["older"] or ""}
        assert seen == [entry.reason for entry in reversed(made)]
        assert response.context["older"] is None

    @pytest.mark.parametrize("number", [2, 40])
    def test_the_page_takes_the_same_queries_for_any_number(
        self, signed_in, django_assert_num_queries, number
    ):
        for n in range(number):
            user = make_user(f"person{n}")
            record("test.done", subject=user, actor=user)
        with django_assert_num_queries(6):
            response = signed_in.get(AUDIT, {"action": "test"})
        assert len(response.context["lines"]) == number

    def test_it_is_closed_to_all_but_staff(self, client, entries):
        for user in (make_td(), make_user("m"), make_user("s", is_staff=True)):
            client.force_login(user)
            for response in (
                client.get(AUDIT),
                client.post(f"{AUDIT}export/", {}),
            ):
                assert response.status_code == 403
                assert "She has married." not in text_of(response)
        client.logout()
        assert client.get(AUDIT).url.startswith("/accounts/login/")


class TestExport:
    def rows(self, response) -> list[dict[str, str]]:
        text = b"".join(response.streaming_content).decode()
        return list(csv.DictReader(io.StringIO(text)))

    def test_the_file_has_what_the_page_found(self, signed_in, entries):
        response = signed_in.post(f"{AUDIT}export/", {"person": "bert"})
        assert response["Content-Type"] == "text/csv; charset=utf-8"
        entry = entries["name"]
        assert self.rows(response) == [
            {
                "Number": str(entry.pk),
                "Time": entry.at.isoformat(timespec="seconds"),
                "Account": "bert",
                "Action": "player.changed",
                "Record type": "players.player",
                "Record": entry.subject_id,
                "Record name": entry.subject_name,
                "Reason": "She has married.",
                "Details": "family name: Adams → Byron",
                "Request ID": "-",
            }
        ]

    def test_the_export_is_audited_and_not_in_itself(self, signed_in, staff, entries):
        rows = self.rows(signed_in.post(f"{AUDIT}export/", {"action": "player"}))
        assert [row["Action"] for row in rows] == ["player.recounted", "player.changed"]
        entry = AuditEntry.objects.first()
        assert (entry.action, entry.actor, entry.facts) == (
            "audit.exported",
            staff,
            {"entries": 2, "action": "player"},
        )

    def test_no_cell_is_a_formula(self, signed_in, staff):
        record("test.done", subject=staff, actor=staff, reason="=1+1")
        (row,) = self.rows(signed_in.post(f"{AUDIT}export/", {"action": "test"}))
        assert row["Reason"] == "'=1+1"

    def test_it_ends_at_the_newest(self, signed_in, staff, monkeypatch):
        monkeypatch.setattr(audit_log, "MAX_EXPORTED", 3)
        for n in range(5):
            record("test.done", subject=staff, actor=staff, reason=str(n))
        rows = self.rows(signed_in.post(f"{AUDIT}export/", {"action": "test"}))
        assert [row["Reason"] for row in rows] == ["4", "3", "2"]

    def test_looking_at_its_address_exports_nothing(self, signed_in):
        assert signed_in.get(f"{AUDIT}export/").url == AUDIT
        assert not AuditEntry.objects.filter(action="audit.exported").exists()


def test_searching_by_action_and_day_uses_an_index():
    """Return the query plan of a page with many entries."""
    if connection.vendor != "postgresql":
        pytest.skip("The plan is PostgreSQL's.")
    AuditEntry.objects.bulk_create(
        AuditEntry(
            action=f"section.rated{n % 50}",
            subject_type="events.section",
            subject_id=str(n),
            subject_name="",
        )
        for n in range(20_000)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE common_auditentry")
    rare = AuditSearch(action="floor").entries()[:51].explain()
    assert "audit_action" in rare
    tomorrow = timezone.localdate() + timedelta(days=1)
    assert "audit_at" in AuditSearch(since=tomorrow).entries()[:51].explain()
