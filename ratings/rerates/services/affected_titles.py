"""Members who gain or lose the original Life Master title by a rerate."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import QuerySet, Sum

from events.models import Section
from players.members.queries import same_person_ids
from players.models import Player
from ratings.decisions.floors.queries.life_masters import (
    MEMBER,
    confirmed_members,
    counted_lines,
    declined_members,
    qualifying_lookups,
    title_rules,
)
from ratings.engine.systems import System
from ratings.models import Calculation, RatingChange, Run
from ratings.rerates.services.players import batches
from ratings.rerates.services.staged_ledger import LEDGER

MAX_SHOWN = 30
ID_BATCH_SIZE = 5000

# The effects on a member, as stored in the summary of a run; the gravest first.
CONFIRMED, LOST, EARNED = "confirmed", "lost", "earned"


def affected_titles(
    run: Run, retired: Sequence[int], ledger: str = LEDGER
) -> dict[str, Any]:
    """Return the members whose games above 2200 cross the required number.

    *retired* are the calculations without a replacement. Members with a confirmed title
    are always named. *ledger* is the SQL to read the run's lines from (see
    `StagedLedger.ledger`).
    """
    touched = _touched(_differences(run, retired, ledger))
    named = [one for one in touched if one["what"] == CONFIRMED]
    others = [one for one in touched if one["what"] != CONFIRMED]
    return {"count": len(touched), "shown": [*named, *others[:MAX_SHOWN]]}


def _touched(differences: Counter[int]) -> list[dict[str, Any]]:
    """Return members whose count crosses the required number, lost titles first."""
    moved = {member: games for member, games in differences.items() if games}
    if not moved:
        return []
    needed = title_rules().olm_games
    before = _games_now(moved)
    confirmed, aside = confirmed_members(), declined_members()
    touched = []
    for member, difference in sorted(moved.items()):
        games = before[member]
        if (games >= needed) == (games + difference >= needed):
            continue
        if difference > 0 and member in confirmed | aside:
            continue  # decided: no longer a candidate
        if difference < 0 and member in aside - confirmed:
            continue
        lost = CONFIRMED if member in confirmed else LOST
        touched.append(
            {
                "player": member,
                "system": System.OTBR.value,
                "before": games,
                "after": games + difference,
                "what": EARNED if difference > 0 else lost,
            }
        )
    return touched


def _games_now(members: dict[int, int]) -> Counter[int]:
    """Return how many games count today (two queries)."""
    numbers = [pk for pks in same_person_ids(members).values() for pk in pks]
    totals = (
        counted_lines()
        .filter(player__in_array=numbers)
        .annotate(member=MEMBER)
        .values("member")
        .annotate(total=Sum("games"))
        .values_list("member", "total")
    )
    return Counter(dict(totals))


def _differences(run: Run, retired: Sequence[int], ledger: str) -> Counter[int]:
    """Return the change of each member's count of games."""
    differences = Counter(_replaced(run, ledger))
    for batch in batches(retired, ID_BATCH_SIZE):
        differences.subtract(
            _counted(counted_lines().filter(calculation__in_array=batch))
        )
    return differences


def _counted(lines: QuerySet[RatingChange]) -> Counter[int]:
    counted: Counter[int] = Counter()
    for member, games in lines.values_list(MEMBER, "games"):
        counted[member] += games
    return counted


def _replaced(run: Run, ledger: str) -> dict[int, int]:
    """Compare the run's sections with those they replace, in one statement.

    It starts from the run's calculations: starting from the ledger, the database would
    scan all of it.
    """
    calculations = Calculation._meta.db_table
    sections, players = Section._meta.db_table, Player._meta.db_table
    counts, values = _counting()
    run_s = (
        "new.run_id = %s AND new.superseded_by_id IS NULL AND new.system = %s "
        "AND section.kind <> %s"
    )
    of_run = [*values, run.pk, System.OTBR.value, Section.Kind.MATCH.value]
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT coalesce(player.merged_into_id, player.id), sum(moved.games)
            FROM (
                SELECT line.player_id, line.games
                FROM {calculations} new
                JOIN {sections} section ON section.id = new.section_id
                JOIN {ledger} line ON line.calculation_id = new.id AND {counts}
                WHERE {run_s}
                UNION ALL
                SELECT line.player_id, -line.games
                FROM {calculations} new
                JOIN {sections} section ON section.id = new.section_id
                JOIN {calculations} old ON old.section_id = new.section_id
                 AND old.system = new.system AND old.is_current
                JOIN {LEDGER} line ON line.calculation_id = old.id AND {counts}
                WHERE {run_s}
            ) moved
            JOIN {players} player ON player.id = moved.player_id
            GROUP BY 1
            HAVING sum(moved.games) <> 0
            """,  # noqa: S608 (names of our own tables and columns)
            2 * of_run,
        )
        return {member: int(games) for member, games in cursor.fetchall()}


def _counting() -> tuple[str, list[Any]]:
    """Return the condition on a line whose games count, in SQL, and its values."""
    conditions, values = [], []
    for lookup, value in qualifying_lookups(title_rules()).items():
        column, kind = lookup.split("__")
        if kind == "isnull":
            conditions.append(f"line.{column} IS NULL")
        else:
            conditions.append(f"line.{column} {_OPERATORS[kind]} %s")
            values.append(value)
    return " AND ".join(conditions), values


_OPERATORS = {"gt": ">", "gte": ">="}
