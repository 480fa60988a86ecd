"""Plant faults in a copy of the office, one at a time, and see whether a test fails.

    python -m tests.tools.mutants [--tree DIR] [--whole] [--jobs 2] [WORD ...]

The faults that need two connections are tried on PostgreSQL, if DATABASE_URL names one.
A fault is a text that occurs exactly once in the product, in any file.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import SimpleQueue

from tests.live_office import scratch_database

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("events", "players", "ratings", "ratings_site", "templates")
NO_TEST = 5  # pytest's exit status
MAX_SECONDS = 3600


@dataclass(frozen=True)
class Fault:
    """A faulty replacement of a text, and the tests that should fail."""

    name: str
    text: str
    instead: str
    tests: str
    on_postgresql: bool = False


ENGINE = "tests/ratings/engine"

FAULTS = [
    Fault(
        "N′ counts a game too few",
        "return min(float(games), most_effective_games(rating, formula))",
        "return min(float(games - 1), most_effective_games(rating, formula))",
        ENGINE + " -k effective",
    ),
    Fault(
        "the bonus multiplier changes a day late",
        "DatedValue(date(2017, 6, 1), 14.0,",
        "DatedValue(date(2017, 6, 2), 14.0,",
        ENGINE + " -k parameters",
    ),
    Fault(
        "K has the wrong denominator",
        "return numerator / (effective_games + games)\n\n\ndef has_lower_k",
        "return numerator / (effective_games + games - 1)\n\n\ndef has_lower_k",
        ENGINE + " -k standard",
    ),
    Fault(
        "floats are added one after the other",
        "return math.fsum(values)\n\n\ndef sum_in_place",
        "return float(sum(values))\n\n\ndef sum_in_place",
        ENGINE + " -k numbers",
    ),
    Fault(
        "halves are rounded down",
        "return whole + 1 if rating - whole >= 0.5 else whole",
        "return whole + 1 if rating - whole > 0.5 else whole",
        ENGINE + " -k numbers",
    ),
    Fault(
        "the special formula takes the lowest zero",
        "return max(found.low, min(found.high, rating))",
        "return found.low if found.low > -math.inf else found.high",
        ENGINE + " -k test_special",
    ),
    Fault(
        "the floor acts in step 4 too",
        "max(lowest, formula_rating(entry, strengths, rules))",
        "max(entry.competitor.floor or lowest, "
        "formula_rating(entry, strengths, rules))",
        ENGINE + " -k 'test_section or test_floors'",
    ),
    Fault(
        "the absolute floor goes 25 points too high",
        "return min(earned, formula.highest)",
        "return min(earned, formula.highest + 25)",
        ENGINE + " -k test_floors",
    ),
    Fault(
        "a rerate counts events of three games whatever the rules say",
        "if games >= row[rule.FLOOR_EVENT_GAMES]:",
        "if games >= 3:",
        ENGINE + " -k test_every_constant",
    ),
    Fault(
        "a rerate rates whoever has a rating abroad",
        "if rating != rating or games <= row[rule.ESTABLISHED_AFTER]:",
        "if rating != rating:",
        ENGINE + " -k test_kernel",
    ),
    Fault(
        "an exact half of a blend is lost in the average",
        "blended = first + beyond / total",
        "blended = exact_sum([s.weight * s.converted for s in shares]) / total",
        ENGINE + " -k test_initialization",
    ),
    Fault(
        "a match moves a rating by more than 50 points",
        "result = within_match_limit(rating, computed, rules.match_limit)",
        "result = computed",
        ENGINE + " -k match",
    ),
    Fault(
        "one of two systems of a section starts the other",
        "            RatedSystem(system, rating_input, rules, "
        "rate_card(rating_input, rules))\n        )\n",
        """            RatedSystem(
                system, rating_input, rules, rate_card(rating_input, rules)
            )
        )
        from sys import modules
        standing = modules[PlayerState.__module__].RatingState
        for one, who in rated[-1].players():
            states[one.id].standings.setdefault(system, standing(
                one.post, one.post_games, type(who.record).MIXED, 0, 0, 0, 0, None,
                facts.ends,
            ))
""",
        "tests/ratings -k dual",
    ),
    Fault(
        "sections are rated by the day they start",
        "        section.ends,\n        Calculation.Rank.SECTION,\n"
        "        section.starts,",
        "        section.starts,\n        Calculation.Rank.SECTION,\n"
        "        section.ends,",
        "tests/ratings/ledger tests/ratings/rerates",
    ),
    Fault(
        "a section is rated without the lock of the ratings",
        "        lock_ratings()\n        faults = rate_sections(",
        "        faults = rate_sections(",
        "tests/test_races.py",
        on_postgresql=True,
    ),
    Fault(
        "a report is accepted without its lock",
        "Submission.objects.select_for_update().get(pk=submission_id)\n"
        "        if submission.state == Submission.State.ACCEPTED:",
        "Submission.objects.get(pk=submission_id)\n"
        "        if submission.state == Submission.State.ACCEPTED:",
        "tests/test_races.py -k accept",
        on_postgresql=True,
    ),
    Fault(
        "an accepted report is accepted once more",
        "        if submission.state == Submission.State.ACCEPTED:\n"
        "            return submission.event\n"
        "        if not submission.is_open:",
        "        if submission.state not in ('accepted', 'submitted'):",
        "tests/events -k accept",
    ),
    Fault(
        "the office's pages are open to all that sign in",
        "office_required = restrict(lambda request: require_office(request.user))",
        "office_required = restrict(lambda request: None)",
        "tests/events -k 'office or allowed'",
    ),
    Fault(
        "a profile shows the birth date",
        " · {{ profile.membership }}</p>",
        " · {{ profile.membership }} {{ player.birth_date|date:'Y-m-d' }}</p>",
        "tests/test_page_security.py -k private",
    ),
    Fault(
        "everyone reads decimals",
        "        return float(official(rating))\n    return ApproximateRating(",
        "        return rating\n    return ApproximateRating(",
        "tests/privacy -k reviewed",
    ),
    Fault(
        "a start that came from age is published as a whole number",
        "return ApproximateRating(ABOUT_STEP * math.floor(rating / ABOUT_STEP + 0.5))",
        "return float(official(rating))",
        "tests/privacy -k who_sees",
    ),
    Fault(
        "a rating that has moved is still taken for the start",
        "if abs(post - start) <= AGE_START_TOLERANCE:",
        "if abs(post - start) <= 100 * AGE_START_TOLERANCE:",
        "tests/ratings/ledger -k age_starts",
    ),
    Fault(
        "any director reads another's report",
        "submission.uploaded_by_id != user.pk and not is_office(user)",
        "official_of(user) is None and not is_office(user)",
        "tests/events -k access",
    ),
    Fault(
        "a table of history can be changed",
        'append_only("events_sectionversion")',
        "migrations.RunPython(migrations.RunPython.noop)",
        "tests/test_constraints.py -k history",
    ),
    Fault(
        "a job writes though another attempt has taken it over",
        "pk=self.id, attempts=self.attempt, state=Job.State.RUNNING",
        "pk=self.id, state=Job.State.RUNNING",
        "tests/common -k job",
    ),
    Fault(
        "an undone rerate leaves the old calculations out of force",
        "restored.update(is_current=True, superseded_by=None)",
        "restored.update(superseded_by=None)",
        "tests/ratings/rerates -k undo",
    ),
    Fault(
        "a published list shows what was rerated since",
        "return OfficialValue(*listed, last.rating, last.rerate)",
        "return OfficialValue(last.rating, *listed[1:], last.rating, last.rerate)",
        "tests/ratings/lists",
    ),
    Fault(
        "a crosstable gives both sides one color",
        "theirs, row.number, OTHER_COLOR[color], their_points, differs",
        "theirs, row.number, color, their_points, differs",
        "tests/ratings -k crosstable",
    ),
    Fault(
        "a forfeit is rated as a game",
        "        if our.is_game and their.is_game:\n",
        "        if {our.code, their.code} == {'X', 'F'}:\n"
        "            our = replace(our, code='W' if our.code == 'X' else 'L')\n"
        "            their = replace(their, code='W' if their.code == 'X' else 'L')\n"
        "        if our.is_game and their.is_game:\n",
        "tests/events -k forfeit",
    ),
    Fault(
        "a DBF file without an end mark loses its last record",
        "while at + width <= len(self.data):",
        "while at + width < len(self.data):",
        "tests/events/formats -k dbf",
    ),
    Fault(
        "a TRF's draw is read as a loss",
        '"=": "D", "+": "X"',
        '"=": "L", "+": "X"',
        "tests/events/formats -k trf",
    ),
    Fault(
        "an English word stands on a Spanish page",
        '{% if open == "results" %} aria-current="page"{% endif %}>'
        '{% translate "Results" %}</a>',
        '{% if open == "results" %} aria-current="page"{% endif %}>Results</a>',
        "tests/common/test_translation.py tests/test_page_security.py -k "
        "'translation or speak'",
    ),
    Fault(
        "a name is shown without escaping",
        "{% block title %}{{ player.name }}{% endblock %}\n{% block description %}"
        "{% blocktranslate with player_name=player.name member_id=player.member_id %}",
        "{% block title %}{{ player.name|safe }}{% endblock %}\n{% block description %}"
        "{% blocktranslate with player_name=player.name member_id=player.member_id %}",
        "tests/ratings -k 'profile or page'",
    ),
    Fault(
        "a webhook's signature leaves out the time",
        'signed = f"{delivery.message_id}.{timestamp}.{delivery.body}"',
        'signed = f"{delivery.message_id}.{delivery.body}"',
        "tests/common -k webhook",
    ),
    Fault(
        "one person proposes and approves",
        "        if act.proposed_by_id == actor.pk:\n            raise",
        "        if not actor.is_active:\n            raise",
        "tests/common -k act",
    ),
    # Chosen by a mutation tool, at random.
    Fault(
        "Class F begins a point too high",
        'RatingClass(_("Class F"), "F", 800)',
        'RatingClass(_("Class F"), "F", 801)',
        ENGINE + " -k test_classes",
    ),
    Fault(
        "the expected score adds the ratings",
        "((opponent - rating) / scale)) for opponent",
        "((opponent + rating) / scale)) for opponent",
        ENGINE + " -k test_standard",
    ),
    Fault(
        "compiled sums do not split a number",
        "doubled = low * 2.0",
        "doubled = low * 1.0",
        ENGINE + " -k numbers",
    ),
    Fault(
        "a match takes a player on too few games",
        "if player.rating is None or player.games <= rules.established_after",
        "if player.rating is None or player.games < rules.established_after",
        ENGINE + " -k test_matches",
    ),
    Fault(
        "the curve of norms ends a point too early",
        "_CURVE: Final = ((-200.0, 1.0)",
        "_CURVE: Final = ((-199.0, 1.0)",
        ENGINE + " -k norms",
    ),
    Fault(
        "a bonus takes few games, not many",
        "if games < rules.bonus_from_games:",
        "if not games < rules.bonus_from_games:",
        ENGINE,
    ),
    Fault(
        "a match request loses its day",
        "if match_day is not None and rating is not None:",
        "if match_day is None and rating is not None:",
        ENGINE + " -k test_contract",
    ),
    Fault(
        "an estimate without games has a start",
        "if start.games > 0.0:",
        "if start.games > -1.0:",
        ENGINE + "/replay",
    ),
    Fault(
        "digests read floats as whole numbers",
        'if code == "d":',
        'if code != "d":',
        "tests/ratings/ledger/test_rating.py",
    ),
    Fault(
        "a rating abroad counts a day late",
        "{one.source: one for one in self.external[pk] if one.day <= day}",
        "{one.source: one for one in self.external[pk] if one.day < day}",
        "tests/ratings/ledger/test_rating.py",
    ),
    Fault(
        "results abroad see ratings of later days",
        "calculation__order_date__lte=max(place[0] for place in places.values())",
        "calculation__order_date__lte=max(place[-1] for place in places.values())",
        "tests/ratings/ledger/test_other_sources.py",
    ),
    Fault(
        "an event's serial numbers end early",
        "MAX_SERIAL = 999\n",
        "MAX_SERIAL = 998\n",
        "tests/events/review/test_event_ids.py",
    ),
    Fault(
        "a new event takes the number of an earlier one",
        "            if number > before:",
        "            if not number > before:",
        "tests/events/review/test_event_ids.py",
    ),
    Fault(
        "a gap of one number is taken for none",
        "if after - before < 2:",
        "if after - before < 3:",
        "tests/events/review/test_event_ids.py",
    ),
    Fault(
        "sections with temporary IDs are packed",
        "        if section_report.has_temporary_ids:",
        "        if not section_report.has_temporary_ids:",
        "tests/events/review/test_acceptance.py",
    ),
    Fault(
        "some new members are accepted unasked",
        "    if len(newcomers) != len(ids):",
        "    if not len(newcomers) != len(ids):",
        "tests/events/review tests/events/newcomers",
    ),
    Fault(
        "Grand Prix sections lose their mark",
        'grand_prix="Y" if section_report.grand_prix else ""',
        'grand_prix="Y" if not section_report.grand_prix else ""',
        "tests/events/review/test_acceptance.py tests/events/records",
    ),
    Fault(
        "the forfeit's opponent is number 1",
        "entries.get(forfeit_opponent(cell) or 0)",
        "entries.get(forfeit_opponent(cell) or 1)",
        "tests/events/review/test_acceptance.py",
    ),
    Fault(
        "a numbered newcomer is matched by name",
        "    if len(same) == 1 and not number:",
        "    if len(same) == 2 and not number:",
        "tests/events/review tests/events/newcomers",
    ),
    Fault(
        "an undone merge needs no rerate though ratings depend on it",
        "if rated_since.exists() or under_way.exists():\n        return False",
        "if rated_since.exists() or under_way.exists():\n        return True",
        "tests/ratings/ledger/test_merges.py",
    ),
    Fault(
        "a match is not remembered, all else is",
        "if one.facts.kind is Kind.MATCH:\n        known.add_match",
        "if one.facts.kind is not Kind.MATCH:\n        known.add_match",
        "tests/ratings/ledger/test_batch_rating.py",
    ),
    Fault(
        "a draft can be accepted, a submitted report cannot",
        'if not submission.is_open:\n            raise NotPossible(gettext("Only a s',
        'if submission.is_open:\n            raise NotPossible(gettext("Only a s',
        "tests/events/review/test_acceptance.py",
    ),
]


@dataclass(frozen=True)
class Tree:
    """A copy of the tracked files, in which nothing else is at work."""

    root: Path

    @classmethod
    def copied(cls, source: Path, to: Path) -> "Tree":
        listed = ["git", "-C", str(source), "ls-files", "-z"]
        names = subprocess.run(listed, capture_output=True, text=True, check=True)
        for name in names.stdout.rstrip("\0").split("\0"):
            if (source / name).exists():
                (to / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source / name, to / name)
        return cls(to)

    def sources(self) -> dict[Path, str]:
        """Return the files of the product in which a fault may be planted."""
        return {
            path: path.read_text()
            for folder in PRODUCT
            for ending in ("py", "html")
            for path in (self.root / folder).rglob(f"*.{ending}")
        }

    def places_of(self, text: str) -> list[Path]:
        """Return the files that contain *text*, once for each occurrence."""
        sources = self.sources().items()
        return [path for path, said in sources for _ in range(said.count(text))]

    def run(self, tests: list[str], *, on_postgresql: bool) -> tuple[int, str]:
        """Run *tests* on a separate database; return the result and the output."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-rfE",
            "--tb=no",
            "-m",
            "",
        ]
        server = os.environ.get("DATABASE_URL", "")
        database = scratch_database(server, f"mutants_{self.root.name}")
        with database if on_postgresql else nullcontext("") as address:
            ours = {"DATABASE_URL": address, "REDIS_URL": ""}
            done = subprocess.run(
                [*command, *tests],
                cwd=self.root,
                env=os.environ | ours | {"TMPDIR": str(self.root.parent)},
                capture_output=True,
                text=True,
                timeout=MAX_SECONDS,
            )
        return done.returncode, done.stdout

    def try_fault(self, fault: Fault, *, whole: bool) -> str:
        """Plant the fault, run the tests, take it out again; return the failed test."""
        place = self.places_of(fault.text)[0]
        kept = place.with_suffix(".kept")
        shutil.copy2(place, kept)
        place.write_text(place.read_text().replace(fault.text, fault.instead))
        try:
            tests = [] if whole else shlex.split(fault.tests)
            status, said = self.run(tests, on_postgresql=fault.on_postgresql)
        finally:
            os.replace(kept, place)  # with a new time, so that compiled files are stale
        failed = failed_in(said)
        if not failed and status not in (0, NO_TEST):
            raise SystemExit(f"{fault.name}: pytest broke off.\n{said[-2000:]}")
        return failed


def failed_in(said: str) -> str:
    """Return the first test that failed, by what pytest said; blank if none did."""
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", said, re.MULTILINE)
    return failed[1] if failed else ""


def planting_problem(fault: Fault, tree: Tree) -> str:
    """Say why a fault cannot be planted; blank if it can."""
    places = tree.places_of(fault.text)
    if not places:
        return "its text is no longer in the product"
    if len(places) > 1:
        named = ", ".join(str(place.relative_to(tree.root)) for place in places)
        return f"its text stands {len(places)} times: {named}"
    if fault.on_postgresql and not os.environ.get("DATABASE_URL"):
        return "it takes PostgreSQL: set DATABASE_URL"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description="Plant faults and see tests fail.")
    parser.add_argument("words", nargs="*", help="only faults with these in their name")
    parser.add_argument("--tree", type=Path, default=ROOT, help="another checkout")
    parser.add_argument("--whole", action="store_true", help="run the whole suite")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = [
        fault
        for fault in FAULTS
        if all(word.lower() in fault.name.lower() for word in options.words)
    ]

    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        trees: SimpleQueue[Tree] = SimpleQueue()
        for number in range(max(1, options.jobs)):
            copy = Path(folder, f"copy_{number}")
            trees.put(Tree.copied(options.tree.resolve(), copy))
        done = count(1)

        def try_one(fault: Fault) -> str:
            tree = trees.get()
            try:
                problem = planting_problem(fault, tree)
                found = "" if problem else tree.try_fault(fault, whole=options.whole)
            finally:
                trees.put(tree)
            ending = f"found by {found}" if found else "NOT FOUND"
            if problem:
                ending = f"NOT PLANTED: {problem}"
            print(f"{next(done)}. {fault.name}: {ending}", flush=True)
            return found

        with ThreadPoolExecutor(options.jobs) as pool:
            found = list(pool.map(try_one, chosen))
        caught = sum(map(bool, found))
        red = failing_without_faults(trees.get(), dict(zip(chosen, found, strict=True)))
    if red:
        print(f"Without any fault this fails too, so it proves nothing: {red}")
    print(f"{caught} of {len(chosen)} faults found")
    return int(caught < len(chosen) or bool(red))


def failing_without_faults(tree: Tree, found: dict[Fault, str]) -> str:
    """Return a test that fails without the fault, among those that found it."""
    for server in (False, True):
        here = {
            name
            for fault, name in found.items()
            if name and fault.on_postgresql is server
        }
        if here and (red := failed_in(tree.run(sorted(here), on_postgresql=server)[1])):
            return red
    return ""


if __name__ == "__main__":
    sys.exit(main())
