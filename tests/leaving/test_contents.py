"""Every table is either exported, or left out with a reason."""

import re

from django.apps import apps
from django.db import connection, models
from django.utils.translation import override

from ratings_site.leaving.contents import (
    EXCLUDED,
    EXCLUDED_COLUMNS,
    EXPORTED,
    FILLED_BY_MIGRATE,
    INLINE,
    OTHER_TABLES,
)
from ratings_site.leaving.schema import schema, schema_as_text, tables
from ratings_site.leaving.services.importing import LEFT_OUT

SECRET = re.compile(r"password|secret|salt|token|digest|key|code$|session")
# Exported columns whose names sound like secrets, and what they are.
NO_SECRETS = {
    "common.Notice.key": "names the subject of a notice",
    "events.CorrectionRequest.change_digest": "a checksum",
    "events.FindingOverride.finding_key": "names an issue",
    "events.PackedSection.digest": "a checksum",
    "events.SectionVersion.digest": "a checksum",
    "events.Submission.content_digest": "a checksum",
    "events.Submission.first_digest": "a checksum",
    "events.Submission.idempotency_key": "keeps a program from sending a report twice",
    "events.Event.zip_code": "an address",
    "events.ForeignEvent.fide_code": "FIDE's number of an event",
    "players.IntakeRow.key": "the member ID of a row",
    "ratings.Calculation.inputs_digest": "a checksum",
    "ratings.Experiment.results_digest": "a checksum",
    "ratings.ExperimentVariant.digest": "a checksum",
    "ratings.GamesHistory.digest": "a checksum",
    "ratings.ListDraft.digest": "a checksum",
    "ratings.OfficialList.digest": "a checksum",
    "common.User.sessions_ended": "a number",
    "auth.Permission.codename": "",
}


def all_models() -> set[str]:
    return {
        model._meta.label
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    }


def test_every_model_is_exported_or_left_out_with_a_reason():
    assert EXPORTED | EXCLUDED.keys() == all_models()
    assert EXPORTED.isdisjoint(EXCLUDED)
    with override("en"):
        reasons = [*EXCLUDED.values(), *EXCLUDED_COLUMNS.values()]
        assert [why for why in reasons if len(str(why).split()) < 2] == []


def test_every_table_of_the_database_is_a_model_or_named(db):
    with connection.cursor() as cursor:
        found = connection.introspection.get_table_list(cursor)
    # A worker that died leaves a staging table, which is not a partition yet.
    names = {re.sub(r"_\d+$", "", table.name) for table in found if table.type == "t"}
    of_models = {
        model._meta.db_table for model in apps.get_models(include_auto_created=True)
    }
    assert names - of_models == OTHER_TABLES.keys()


def test_columns_that_sound_secret_are_left_out_or_explained():
    exported = {
        f"{table.label}.{column.name}" for table in tables() for column in table.columns
    }
    suspects = {name for name in exported if SECRET.search(name.rpartition(".")[2])}
    assert suspects - NO_SECRETS.keys() == set()


def test_each_column_left_out_exists_and_is_filled_at_the_import():
    assert EXCLUDED_COLUMNS.keys() == LEFT_OUT.keys()
    for name in EXCLUDED_COLUMNS | dict.fromkeys(INLINE):
        label, column = name.rsplit(".", 1)
        assert label in EXPORTED
        assert apps.get_model(label)._meta.get_field(column)


def test_rows_refer_only_to_earlier_tables_and_left_out_tables_to_none():
    """So that no row of the export points to something that is not in it."""
    seen: set[type[models.Model]] = set()
    for table in tables():
        seen.add(table.model)
        for column in table.columns:
            if column.field.remote_field and not column.named:
                assert column.field.related_model in seen, column
    assert [table.label for table in tables() if table.label in FILLED_BY_MIGRATE]


def test_the_schema_describes_each_column_of_each_table():
    described = schema()
    with override("es"):
        assert schema() == described  # English in every language
    text = schema_as_text()
    for table in tables():
        columns = described["tables"][table.label]["columns"]
        assert [one["name"] for one in columns] == [one.name for one in table.columns]
        assert all(one["type"] and one["meaning"] for one in columns)
        assert f"## {table.label}\n" in text
    assert described["left_out"]["mfa.Authenticator"].startswith("Secret.")
    [rating] = [
        one
        for one in described["tables"]["ratings.RatingChange"]["columns"]
        if one["name"] == "post_rating"
    ]
    assert (rating["type"], rating["null"]) == ("number, with all its digits", False)
