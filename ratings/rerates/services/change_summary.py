"""Counts of the changes by a rerate, for the preview page."""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet, Sum
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from events.models import ForeignResult, Section
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
from ratings.engine.classes import rating_class_for
from ratings.engine.numbers import official
from ratings.engine.replay.chain import BROKEN, PARTS, REMAINDER
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.models import Calculation, RatingChange, Run
from ratings.rerates.services.players import batches
from ratings.rerates.services.rating_differences import (
    ProjectedRating,
    RatingDifference,
)
from ratings.rerates.services.replay import History
from ratings.rerates.services.staged_ledger import LEDGER, PassResult

MAX_SHOWN = 30

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
    affected = _affected(_differences(run, retired, ledger))
    named = [one for one in affected if one["what"] == CONFIRMED]
    others = [one for one in affected if one["what"] != CONFIRMED]
    return {"count": len(affected), "shown": [*named, *others[:MAX_SHOWN]]}


def _affected(differences: Counter[int]) -> list[dict[str, Any]]:
    """Return members whose count crosses the required number, lost titles first."""
    moved = {member: games for member, games in differences.items() if games}
    if not moved:
        return []
    needed = title_rules().olm_games
    before = _games_now(moved)
    confirmed, aside = confirmed_members(), declined_members()
    affected = []
    for member, difference in sorted(moved.items()):
        games = before[member]
        if (games >= needed) == (games + difference >= needed):
            continue
        if difference > 0 and member in confirmed | aside:
            continue  # decided: no longer a candidate
        if difference < 0 and member in aside - confirmed:
            continue
        lost = CONFIRMED if member in confirmed else LOST
        affected.append(
            {
                "player": member,
                "system": System.OTBR.value,
                "before": games,
                "after": games + difference,
                "what": EARNED if difference > 0 else lost,
            }
        )
    return affected


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
    for batch in batches(retired):
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


# The edges of the bars of the histogram, in whole points.
STEPS = (1, 2, 5, 10, 25, 50, 100)


class ChangeSummary:
    """Counts differing ratings while they are written."""

    def __init__(self) -> None:
        self.players: set[int] = set()
        self.ratings = 0
        self.whole: Counter[str] = Counter()
        self.started: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        self.steps: Counter[str] = Counter()
        self.extremes: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {}
        # How many differ, how many of them are higher than before, and the first ones.
        self.affected: dict[str, dict[str, Any]] = {
            "floors": {"count": 0, "higher": 0, "shown": []},
            "established": {"count": 0, "shown": []},
            "classes": {"count": 0, "higher": 0, "shown": []},
        }
        self._movers: list[tuple[int, int, dict[str, Any]]] = []

    def counting(self, moves: Iterable[RatingDifference]) -> Iterator[RatingDifference]:
        """Yield the changes unchanged and count each."""
        for move in moves:
            self.count(move)
            yield move

    def count(self, move: RatingDifference) -> None:
        before, after = move.before, move.after
        if _values(before) == _values(after):
            return
        self.players.add(move.player)
        self.ratings += 1
        if before is None or after is None:
            (self.started if before is None else self.ended)[move.system] += 1
            self.whole[move.system] += 1
            return
        difference = official(after.rating) - official(before.rating)
        if difference:
            self.whole[move.system] += 1
            self.steps[histogram_step(difference)] += 1
            self._remember(move, difference)
        # Most differ in nothing that is shown.
        if difference or _status(before) != _status(after):
            self._count_status(move, before, after)

    def _remember(self, move: RatingDifference, difference: int) -> None:
        size, side = abs(difference), "gain" if difference > 0 else "loss"
        rank = (size, -move.state)
        if side not in self.extremes or rank > self.extremes[side][0]:
            self.extremes[side] = (rank, _as_json(move))
        # The state breaks ties, so that the order does not depend on chance.
        entry = (size, -move.state, _as_json(move))
        if len(self._movers) < MAX_SHOWN:
            heapq.heappush(self._movers, entry)
        else:
            heapq.heappushpop(self._movers, entry)

    def _count_status(
        self, move: RatingDifference, before: ProjectedRating, after: ProjectedRating
    ) -> None:
        if before.floor != after.floor:
            self.affected["floors"]["higher"] += before.floor < after.floor
            self._count_affected("floors", move, before=before.floor, after=after.floor)
        if is_established(before) != is_established(after):
            self._count_affected(
                "established", move, before=before.games, after=after.games
            )
        old, new = (
            rating_class_for(official(one.rating)).name for one in (before, after)
        )
        if old != new:
            self.affected["classes"]["higher"] += before.rating < after.rating
            self._count_affected("classes", move, before=old, after=new)

    def _count_affected(self, kind: str, move: RatingDifference, **change: Any) -> None:
        affected = self.affected[kind]
        affected["count"] += 1
        if len(affected["shown"]) < MAX_SHOWN:
            affected["shown"].append(
                {"player": move.player, "system": move.system, **change}
            )

    @property
    def whole_changes(self) -> int:
        return self.whole.total()

    def as_json(self) -> dict[str, Any]:
        return {
            "players": len(self.players),
            "ratings": self.ratings,
            "whole": dict(self.whole),
            "whole_changes": self.whole_changes,
            "started": dict(self.started),
            "ended": dict(self.ended),
            "histogram": {step: self.steps[step] for step in all_steps()},
            "movers": [entry for *_, entry in sorted(self._movers, reverse=True)],
            "largest": {side: move for side, (_, move) in self.extremes.items()},
            **self.affected,
        }


def _values(standing: ProjectedRating | None) -> tuple[Any, ...] | None:
    """Return the values that make a visible difference: all but the line's number."""
    return None if standing is None else standing[:-1]


def _status(standing: ProjectedRating) -> tuple[float, int, int]:
    return standing.floor, standing.games, standing.rated_on


def _as_json(move: RatingDifference) -> dict[str, Any]:
    return {
        "player": move.player,
        "system": move.system,
        "before": move.before.rating if move.before else None,
        "after": move.after.rating if move.after else None,
    }


def is_established(standing: ProjectedRating) -> bool:
    rules = rules_in_force(date.fromordinal(standing.rated_on))
    return standing.games > rules.established_after


def histogram_step(difference: int) -> str:
    """Name the bar of the histogram for a difference in whole points.

    >>> histogram_step(-12), histogram_step(1), histogram_step(3), histogram_step(450)
    ('-10 to -24', '+1', '+2 to +4', '+100 or more')
    """
    sign = "+" if difference > 0 else "-"
    size = abs(difference)
    place = max(number for number, step in enumerate(STEPS) if size >= step)
    if place == len(STEPS) - 1:
        return f"{sign}{STEPS[place]} or more"
    low, high = STEPS[place], STEPS[place + 1] - 1
    return f"{sign}{low}" if low == high else f"{sign}{low} to {sign}{high}"


def all_steps() -> list[str]:
    """Return the bars of the histogram from the largest loss to the largest gain."""
    return [
        *(histogram_step(-step) for step in reversed(STEPS)),
        *(histogram_step(step) for step in STEPS),
    ]


def final_calculations(run: Run) -> QuerySet[Calculation]:
    """Return the calculations that publishing the run would make current."""
    return Calculation.objects.filter(run=run, superseded_by=None)


def sections_changed(run: Run, ledger: str = LEDGER) -> dict[str, Any]:
    """Count the sections that get new calculations; return those that change most.

    *ledger* is the SQL to read lines from (see `StagedLedger.ledger`).
    """
    calculations = final_calculations(run).filter(section__isnull=False).order_by()
    return {
        "count": calculations.values("section_id").distinct().count(),
        "shown": [
            {"section": section, "players": players, "largest": largest}
            for section, players, largest in _sections_that_change_most(run, ledger)
        ],
    }


def _sections_that_change_most(run: Run, ledger: str) -> list[tuple[int, int, float]]:
    """Return section, players whose whole rating differs, and largest change.

    Old and new lines are read calculation by calculation, and joined last: looking up
    the old line of each new one takes twice as long.
    """
    calculations = Calculation._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            WITH replaced AS (
                SELECT new.section_id, new.id AS new_id, old.id AS old_id
                FROM {calculations} new
                JOIN {calculations} old ON old.section_id = new.section_id
                 AND old.system = new.system AND old.is_current
                WHERE new.run_id = %s AND new.superseded_by_id IS NULL
                  AND old.run_id <> new.run_id
            ), lines AS (
                SELECT section_id, new_id, player_id, post_rating AS after,
                       NULL AS before
                FROM replaced JOIN {ledger} line ON calculation_id = new_id
                UNION ALL
                SELECT section_id, new_id, player_id, NULL, post_rating
                FROM replaced JOIN {LEDGER} line ON calculation_id = old_id
            ), moved AS (
                SELECT section_id, player_id, max(after) AS after, max(before) AS before
                FROM lines
                GROUP BY section_id, new_id, player_id
            )
            SELECT section_id, count(DISTINCT player_id), max(abs(after - before))
            FROM moved
            WHERE floor(after + 0.5) <> floor(before + 0.5)
            GROUP BY section_id
            ORDER BY 2 DESC, 3 DESC, 1
            LIMIT %s
            """,  # noqa: S608 (names of our own tables)
            [run.pk, MAX_SHOWN],
        )
        found: list[tuple[int, int, float]] = cursor.fetchall()
        return found


def _stored_lines(run: Run, ledger: str) -> tuple[list[int], list[int]]:
    """Count the run's lines that fail a check, and add all of them up, in one pass.

    The checks: below 100; with games lost, except by an adjustment; rated before with
    no line before. The sums are those of `ratings.engine.replay.chain`, in its order.
    """
    calculations = Calculation._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT count(*) FILTER (WHERE line.post_rating < 100),
                   count(*) FILTER (WHERE line.post_games < line.pre_games
                                    AND line.formula <> %s),
                   count(*) FILTER (WHERE line.previous_id IS NULL
                                    AND line.pre_rating IS NOT NULL),
                   count(*),
                   sum(line.player_id),
                   sum(line.previous_id %% {REMAINDER}),
                   sum(line.pre_games),
                   sum(line.post_games),
                   sum(floor(line.pre_rating * {PARTS})),
                   sum(floor(line.post_rating * {PARTS}))
            FROM {calculations} new
            JOIN {ledger} line ON line.calculation_id = new.id
            WHERE new.run_id = %s AND new.superseded_by_id IS NULL
            """,  # noqa: S608 (names of our own tables)
            [RatingChange.Formula.ADJUSTMENT.value, run.pk],
        )
        numbers = [int(number or 0) for number in cursor.fetchone()]
        return numbers[:3], numbers[3:]


def invariants(
    run: Run, written: PassResult, ledger: str = LEDGER
) -> list[dict[str, Any]]:
    """Check the invariants of every run; each with a sentence and a result."""
    (low, lost, rated), stored = _stored_lines(run, ledger)
    computed = written.sums[:BROKEN]
    checks = [
        (gettext_noop("No rating is below 100."), low),
        (gettext_noop("No player loses games, except by an adjustment."), lost),
        (
            gettext_noop("Each rating continues from the previous one."),
            written.sums[BROKEN],
        ),
        (gettext_noop("A player with no rating before starts unrated."), rated),
        (
            gettext_noop("Nothing withdrawn or excluded is rated."),
            final_calculations(run).filter(_does_not_count()).count(),
        ),
        (
            gettext_noop("Stored ratings match the calculated ones."),
            sum(one != another for one, another in zip(stored, computed, strict=True)),
        ),
        (LACKS_NO_RULE, written.left_out),
    ]
    return [{"sentence": text, "faults": faults} for text, faults in checks]


LACKS_NO_RULE = gettext_noop("No rule is missing for anything rated today.")


def skipped_summary(history: History) -> dict[str, Any]:
    """Count the sources that cannot be calculated; name the first with their rules."""
    return {
        "count": len(history.left_out),
        "shown": [
            {
                "rank": one.source.rank,
                "source": one.source.pk,
                "starts": date.fromordinal(one.source.starts).isoformat(),
                "rules": one.rules,
            }
            for one in history.left_out[:MAX_SHOWN]
        ],
    }


def not_established_summary(history: History) -> dict[str, Any]:
    """Count the foreign results that stay unrated, and name the first ones."""
    sources = history.not_established
    return {"count": len(sources), "shown": [one.pk for one in sources[:MAX_SHOWN]]}


def failed_checks(run: Run) -> list[dict[str, Any]]:
    """Return the failed invariants of a finished run."""
    checks = run.summary.get("invariants", ())
    return [check for check in checks if check["faults"]]


def publish_denial_reason(run: Run) -> str:
    """Return why a finished run must not be published; empty if it may."""
    failed = failed_checks(run)
    if not failed:
        return ""
    if [check["sentence"] for check in failed] == [LACKS_NO_RULE]:
        sentence = _(
            "{run} can’t be published yet. See below for what is not rated and how "
            "to fix it."
        )
    else:
        sentence = _(
            "{run} can’t be published because a check failed. Discard it, run "
            "“manage.py audit”, and send the output to your technical team."
        )
    return " ".join([sentence.format(run=run), *map(_check_sentence, failed)])


def _check_sentence(check: Mapping[str, Any]) -> str:
    sentence, number = check["sentence"], check["faults"]
    return ngettext(
        "“{check}” failed {number:,} time.",
        "“{check}” failed {number:,} times.",
        number,
    ).format(check=_(sentence), number=number)


def _does_not_count() -> Q:
    """The condition on calculations whose source is not rated any more."""
    return (
        Q(section__isnull=False) & ~Q(section__status=Section.Status.RATED)
        | Q(adjustment__withdrawn_at__isnull=False)
        | Q(foreign__isnull=False) & ~Q(foreign__status=ForeignResult.Status.RATED)
    )
