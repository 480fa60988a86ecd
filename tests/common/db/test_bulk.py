"""Bulk writes on both databases."""

import gc
import sqlite3
from array import array
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from players.models import ExternalRating, Membership, Player
from ratings.models import (
    Experiment,
    GamesFile,
    OfficialList,
    OfficialListFile,
    Run,
    RunDifference,
)
from ratings_site.common.db import binary_copy
from ratings_site.common.db.binary_copy import write_columns
from ratings_site.common.db.bulk import (
    analyze_tables,
    check_foreign_keys,
    copy_rows,
    gc_paused,
    insert_with_bytes,
    read_bytes,
    update_rows,
    write_bytes,
)
from ratings_site.common.models import AuditEntry, Job
from tests.factories import make_player

pytestmark = pytest.mark.django_db

COLUMNS = ["player_id", "body", "list_date", "rating", "games", "source"]


def test_rows_of_a_generator_are_written_as_they_are():
    player = make_player()
    rows = (
        (player.pk, "FIDE", date(2024, month, 1), 2000 + month, None, "tab\there \\N ü")
        for month in range(1, 13)
    )
    assert copy_rows(ExternalRating, COLUMNS, rows) == 12
    written = ExternalRating.objects.order_by("list_date")
    assert list(written.values_list(*COLUMNS)) == [
        (player.pk, "FIDE", date(2024, month, 1), 2000 + month, None, "tab\there \\N ü")
        for month in range(1, 13)
    ]


def test_documents_and_times_come_back_as_they_went():
    at = datetime(2024, 5, 4, 12, 30, 15, 250, tzinfo=UTC)
    args = {"of": ["a", "ü"], "none": None}
    columns = ["kind", "key", "args", "state", "attempts", "done_steps"]
    columns += ["total_steps", "message", "created_at", "run_after"]
    copy_rows(Job, columns, [("play", "1", args, "queued", 0, 0, 0, "", at, at)])
    job = Job.objects.get()
    assert (job.args, job.created_at, job.run_after, job.sent_at) == (
        args,
        at,
        at,
        None,
    )


def test_one_bad_row_keeps_all_of_them_out():
    player = make_player()
    good = (player.pk, "FIDE", date(2024, 1, 1), 2000, None, "")
    with pytest.raises(IntegrityError):
        copy_rows(ExternalRating, COLUMNS, [good, good])
    assert not ExternalRating.objects.exists()
    # The surrounding transaction continues.
    assert Membership.objects.filter(player=player).count() == 1
    assert copy_rows(ExternalRating, COLUMNS, [good]) == 1


def test_more_rows_than_a_statement_takes_go_in_by_their_order():
    """If the last statement fails, the earlier ones are rolled back."""
    player = make_player()
    days = [date(2000, 1, 1) + timedelta(number) for number in range(5000)]
    rows = [
        (player.pk, "FIDE", day, 1000 + number % 7, None, "")
        for number, day in enumerate(days)
    ]
    with pytest.raises(IntegrityError):
        copy_rows(ExternalRating, COLUMNS, [*rows, rows[-1]])
    assert not ExternalRating.objects.exists()
    assert copy_rows(ExternalRating, COLUMNS, rows) == 5000
    written = ExternalRating.objects.order_by("pk")
    assert list(written.values_list(*COLUMNS)) == rows


def test_an_old_sqlite_gets_no_more_values_than_it_takes():
    """SQLite before 3.32 accepts 999 variables per statement."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL copies.")
    player = make_player()
    limit = sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER
    usual = connection.connection.setlimit(limit, 999)
    day = date(2024, 1, 1)
    rows = [
        (player.pk, "FIDE", day + timedelta(number), 2000, None, "")
        for number in range(200)
    ]
    columns = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
    columns["list_date"] = [day.toordinal() for day in columns["list_date"]]
    try:
        assert copy_rows(ExternalRating, COLUMNS, rows) == 200
        ExternalRating.objects.all().delete()
        write_columns(ExternalRating, columns)
    finally:
        connection.connection.setlimit(limit, usual)
    written = ExternalRating.objects.order_by("list_date")
    assert list(written.values_list(*COLUMNS)) == rows


@pytest.mark.parametrize("way", ["as it is", "row by row"])
def test_columns_are_written_as_rows_are(monkeypatch, way):
    """NaN and 0 mean NULL where it is allowed, 1 means true, and days are numbers."""
    if way == "row by row":
        monkeypatch.setattr(binary_copy, "is_possible", lambda: False)
    player = make_player()
    run = Run.objects.create(kind="rerate", status="ready")
    days = [date(2024, 5, 4), date(2024, 5, 5)]
    values = {
        "run_id": [run.pk] * 2,
        "player_id": [player.pk] * 2,
        "system": ["OTBR", "OTBQ"],
        "before": array("d", [1500.25, 1600.5]),
        "games": array("i", [30, 4]),
        "record": binary_copy.DictionaryColumn(["all_wins", "mixed"], [1, 0]),
        "wins": array("b", [1, 0]),
        "peak": [float("nan"), 1700.125],
        "rated_on": [days[0].toordinal(), 0],
        "last_change_id": range(2),
    }
    write_columns(RunDifference, values | DEFAULTS)
    written = RunDifference.objects.order_by("pk").values_list(*values)
    both = (run.pk, player.pk)
    assert list(written) == [
        (*both, "OTBR", 1500.25, 30, "mixed", 1, None, days[0], None),
        (*both, "OTBQ", 1600.5, 4, "all_wins", 0, 1700.125, None, 1),
    ]


# Neither has a default in the database.
DEFAULTS = {name: [0, 0] for name in ("draws", "losses", "three_game_events")}


def test_times_are_written_as_columns():
    at = datetime(2024, 5, 4, 12, 30, 15, 250, tzinfo=UTC)
    names = ["section", "sent"]
    columns = {"name": names, "sent_at": [at, at], "sha256": names, "size": [7, 8]}
    write_columns(GamesFile, columns | {"stored_as": ["", "x"]})
    assert list(GamesFile.objects.order_by("pk").values_list(*columns)) == [
        ("section", at, "section", 7),
        ("sent", at, "sent", 8),
    ]


def test_columns_of_unlike_length_are_refused():
    columns = {"player_id": [1, 2], "body": ["FIDE"] * 2, "list_date": [738000] * 2}
    with pytest.raises(ValueError, match=r"size|argument"):
        write_columns(ExternalRating, columns | {"rating": [2000], "source": [""] * 2})


def test_rows_may_be_read_from_the_database_while_they_are_written():
    """A generator with queries used to deadlock with its own COPY."""
    players = [make_player() for _ in range(3)]

    def rows():
        for player in players:
            found = Player.objects.get(pk=player.pk)
            yield found.pk, "FIDE", date(2024, 1, 1), 2000, None, ""

    assert copy_rows(ExternalRating, COLUMNS, rows()) == 3
    assert ExternalRating.objects.count() == 3


def test_no_rows_are_no_trouble():
    assert copy_rows(ExternalRating, COLUMNS, []) == 0


def test_an_unknown_column_is_named():
    with pytest.raises(ValueError, match=r"common.AuditEntry has no column 'color'"):
        copy_rows(AuditEntry, ["action", "color"], [])


def test_many_rows_are_changed_and_the_others_left_alone():
    players = [make_player() for _ in range(3)]
    born = date(2001, 2, 3)
    update_rows(
        Player,
        ["birth_date", "state"],
        [(born, "TX", players[0].pk), (None, "OK", players[2].pk)],
    )
    found = Player.objects.order_by("pk").values_list("birth_date", "state")
    assert list(found) == [
        (born, "TX"),
        (players[1].birth_date, players[1].state),
        (None, "OK"),
    ]


def test_bytes_are_written_as_they_are_into_one_row_only():
    experiment = Experiment.objects.create(title="Elo", kind="comparison", reason="So")
    row, other = (
        experiment.variants.create(number=number, system="elo", predictions=b"x")
        for number in (1, 2)
    )
    every = bytes(range(256)) * 1000
    write_bytes(row, predictions=every, replay=b"")
    row.refresh_from_db()
    other.refresh_from_db()
    assert (bytes(row.predictions), bytes(row.replay)) == (every, b"")
    assert (read_bytes(row, "predictions"), read_bytes(row, "replay")) == (every, b"")
    assert (bytes(other.predictions), other.replay) == (b"x", None)


def test_a_row_is_inserted_with_its_bytes_as_they_are():
    every = bytes(range(256)) * 1000
    published = OfficialList.objects.create(
        month=date(2024, 6, 1),
        cut_off=timezone.now(),
        members=1,
        prepared_at=timezone.now(),
        published_at=timezone.now(),
        reason="So",
    )
    written = {
        "list_id": published.pk,
        "kind": "csv",
        "name": "Škoda.csv",
        "content": every,
        "compressed": b"",
        "size": 256_000,
        "sha256": "0" * 64,
    }
    insert_with_bytes(OfficialListFile, **written)
    assert list(OfficialListFile.objects.values(*written)) == [written]
    with pytest.raises(IntegrityError):
        insert_with_bytes(OfficialListFile, **written)
    assert OfficialListFile.objects.count() == 1


@pytest.mark.skipif(connection.vendor != "postgresql", reason="looks at whole tables")
def test_keys_are_looked_at_before_the_end():
    player = make_player()
    row = ("FIDE", date(2024, 1, 1), 2000, None, "")
    copy_rows(ExternalRating, COLUMNS, [(player.pk, *row)])
    check_foreign_keys()
    with transaction.atomic():
        # Other foreign keys stay deferred.
        copy_rows(ExternalRating, COLUMNS, [(player.pk + 1, *row)])
        with pytest.raises(IntegrityError, match="foreign key"):
            check_foreign_keys()
        transaction.set_rollback(True)


def test_bytes_for_an_unknown_column_name_it():
    experiment = Experiment.objects.create(title="Elo", kind="comparison", reason="So")
    with pytest.raises(ValueError, match="Experiment has no column 'content'"):
        write_bytes(experiment, content=b"x")


def test_no_changes_leave_every_row_as_it_is(db):
    make_player(state="TX")
    update_rows(Player, ["state"], [])
    assert Player.objects.get().state == "TX"


def test_postgresql_chooses_as_pages_need_it(db):
    """JIT compilation took seconds for milliseconds of work."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no compiler of queries.")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('jit'), current_setting('random_page_cost'), "
            "current_setting('parallel_setup_cost')"
        )
        assert cursor.fetchone() == ("off", "1.1", "30000")


@pytest.mark.django_db(transaction=True)
def test_postgresql_counts_again_what_has_changed_by_a_third():
    """Statistics after a first rerate took hours on tables that were not analyzed."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite does not ask.")

    def looked_at() -> bool:
        asked = []
        with connection.execute_wrapper(
            # Statistics of other tables would mislead later tests.
            lambda execute, sql, *args: (
                asked.append(sql) if sql.startswith("ANALYZE") else execute(sql, *args)
            )
        ):
            analyze_tables(changed_only=True)
        return any('"Looked at"' in sql for sql in asked)

    with connection.cursor() as cursor:
        cursor.execute('CREATE TABLE "Looked at" (number integer)')
        try:
            for rows, changed in [(900, False), (9_000, True), (2_000, False)]:
                cursor.execute(
                    'INSERT INTO "Looked at" SELECT generate_series(1, %s)', [rows]
                )
                cursor.execute("SELECT pg_stat_force_next_flush()")
                assert looked_at() is changed
                cursor.execute('ANALYZE "Looked at"')
        finally:
            cursor.execute('DROP TABLE "Looked at"')


def test_garbage_collection_resumes_also_after_an_error():
    @gc_paused()
    def fail() -> None:
        with gc_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert gc.isenabled()
