"""The rating laboratory from the command line: cases, experiments, the systems."""

from __future__ import annotations

import json
import sys
import zlib
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand

from ratings.engine.variation.varying import catalog_lines
from ratings.experiments.packages import PACKAGE_CASES
from ratings.experiments.plans import EVIDENCE, TRAINING, Asked
from ratings.experiments.services.files import read_stream_of_games
from ratings.experiments.services.histories import Found, said
from ratings.laboratory.comparing import Comparison, compare
from ratings.laboratory.experiment import (
    COMMON_START,
    Newcomers,
    Outcome,
    Plan,
    run,
)
from ratings.laboratory.history import History
from ratings.laboratory.measures import NoGames
from ratings.laboratory.protocol import SHAPES, STATUSES
from ratings.laboratory.registry import CASES, SYSTEMS
from ratings.laboratory.training import (
    Advantage,
    White,
    trained_advantage,
    with_advantage,
)
from ratings.laboratory.vectors import (
    SHIPPED,
    BadFile,
    Verdict,
    check_cases,
    read_cases,
)
from ratings.management.laboratory_books import (
    add_books_options,
    answer_lines,
    run_on_books,
)
from ratings.management.laboratory_output import (
    advantage_line,
    case_line,
    counted,
    finding_line,
    leaves_out,
    printable,
    record,
    table,
)
from ratings.management.laboratory_systems import (
    Refused,
    known_system,
    parameter_lines,
    variants_of,
)

FAILED, REFUSED = 1, 2
MOST = 100_000


class Command(BaseCommand):
    help = (
        "The rating laboratory. `vectors` runs published cases, `run` compares rating "
        "systems on a file of games, or our rules on our books; `systems` and `rules` "
        "list what there is."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        _add_vectors(actions.add_parser("vectors", help="run a file of cases"))
        _add_run(actions.add_parser("run", help="compare systems on a file of games"))
        _add_systems(actions.add_parser("systems", help="list the rating systems"))
        actions.add_parser("rules", help="list what may be varied about our rules")

    def handle(self, *args: Any, **options: Any) -> None:
        actions = {
            "vectors": self._vectors,
            "run": self._run,
            "systems": self._systems,
            "rules": self._rules,
        }
        try:
            actions[options["action"]](options)
        except Refused as fault:
            self._refuse(str(fault))

    def _refuse(self, sentence: str) -> NoReturn:
        self._complain(sentence)
        sys.exit(REFUSED)

    def _complain(self, sentence: str) -> None:
        self.stderr.write(printable(sentence), lambda text: text)

    # Cases

    def _vectors(self, options: dict[str, Any]) -> None:
        name = options["file"] or str(SHIPPED)
        try:
            cases = read_cases(read_bytes(name).decode())
        except UnicodeDecodeError as error:
            raise Refused(f"{name} is not UTF-8 (byte {error.start}).") from error
        except BadFile as error:
            raise Refused(f"{name}: {error}") from error
        counts = dict.fromkeys(Verdict, 0)
        for checked in check_cases(cases, {**CASES, **PACKAGE_CASES}):
            counts[checked.verdict] += 1
            self.stdout.write(printable(case_line(checked)))
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        self.stdout.write(f"{counted(len(cases), 'case')}: {told}.")
        if counts[Verdict.FAILED]:
            sys.exit(FAILED)

    # Experiments

    def _run(self, options: dict[str, Any]) -> None:
        if options["books"]:
            self._run_on_books(options)
            return
        if not options["file"] or not options["system"]:
            raise Refused(
                "Name a file of games and a --system, or ask for our own rules on our "
                "books: --books."
            )
        variants = variants_of(options["system"], options["set"])
        found = read_file(options["file"])
        for finding in found.findings:
            self._complain(finding_line(said(finding)))
        history = found.history
        if not len(history):
            raise Refused(f"{options['file']} holds no game that can be rated.")
        plan, fitted = plan_of(options, found)
        outcomes = {
            one.name: run(
                SYSTEMS[one.system],
                one.parameters(plan.white_advantage),
                history,
                plan,
            )
            for one in variants
        }
        compared = self._compared(history, outcomes)
        if options["json"]:
            facts = record(history, plan, found, outcomes, compared)
            facts["white_advantage"] = fitted and fitted._asdict()
            text = json.dumps(facts)
            self.stdout.write(text)
        else:
            for line in table(history, compared):
                self.stdout.write(line)
            self.stdout.write(advantage_line(plan, fitted))
        if any(leaves_out(finding) for finding in found.findings):
            sys.exit(FAILED)

    def _run_on_books(self, options: dict[str, Any]) -> None:
        if options["file"] or options["system"]:
            raise Refused("With --books there is neither a file nor a --system.")
        found = run_on_books(options, self._complain)
        if options["json"]:
            self.stdout.write(json.dumps(found))
        else:
            for line in answer_lines(found):
                self.stdout.write(line)
        if not found["control"]["holds"]:
            sys.exit(FAILED)

    def _compared(
        self, history: History, outcomes: Mapping[str, Outcome]
    ) -> Comparison:
        """Compare what predicts anything; a system that does not is named."""
        predicting = {}
        for name, outcome in outcomes.items():
            if any(value == value for value in outcome.predictions):
                predicting[name] = outcome
            else:
                self._complain(
                    f"{name} predicts no game that counts, and is left out. Under "
                    "some systems nobody gets a first rating where nobody has one: "
                    "try --newcomers ours; or a shorter --training, or fewer "
                    "--least-games."
                )
        if not predicting:
            raise Refused("No system predicts any game, so there is nothing to show.")
        try:
            return compare(history, predicting, next(iter(predicting)))
        except NoGames as fault:
            raise Refused(str(fault)) from fault

    # The lists of systems and rules

    def _rules(self, options: dict[str, Any]) -> None:
        for line in catalog_lines():
            self.stdout.write(line)

    def _systems(self, options: dict[str, Any]) -> None:
        if options["key"]:
            for line in parameter_lines(known_system(options["key"], SYSTEMS)):
                self.stdout.write(line)
            return
        for key, system in SYSTEMS.items():
            about = system.about
            facts = f"{SHAPES[about.shape]}, {STATUSES[about.status]}"
            self.stdout.write(f"{key:<28} {about.label} ({facts})")


# --- What may be asked ---


def _add_vectors(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help='a JSON list of cases, or "-"; default: the cases that come with the '
        "laboratory",
    )


def _add_run(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help='CSV, PGN or TRF, or "-"; if games in it have to be left out, they are '
        "named and the exit status is 1",
    )
    parser.add_argument(
        "--system",
        action="append",
        default=[],
        metavar="KEY[:NAME=VALUE,...]",
        help="may be given several times; the others are compared with the first",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of every system named that has it",
    )
    parser.add_argument(
        "--period-months", type=whole_from(1), default=1, metavar="N", help="default: 1"
    )
    parser.add_argument(
        "--training",
        type=whole_from(0, 90),
        default=TRAINING,
        metavar="PERCENT",
        help="of the games, which come first and do not count; White's advantage is "
        f"fitted on them (default: {TRAINING})",
    )
    parser.add_argument(
        "--warm-up",
        type=whole_from(0),
        metavar="DAYS",
        help="the training in days, instead of --training",
    )
    parser.add_argument(
        "--least-games",
        type=whole_from(0),
        default=EVIDENCE,
        metavar="N",
        help="games both players need before one of theirs counts (default: "
        f"{EVIDENCE})",
    )
    parser.add_argument(
        "--newcomers",
        choices=[one.value for one in Newcomers],
        default=Newcomers.OURS.value,
        help="where players begin: by age as our rules have it (default), all with "
        f"{COMMON_START:.0f}, or as each system has it",
    )
    parser.add_argument(
        "--white",
        choices=[one.value for one in White],
        default=White.FITTED.value,
        help="White's advantage: fitted once for all systems (default), none for any, "
        "or each system's own",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_books_options(parser)


def _add_systems(parser: ArgumentParser) -> None:
    parser.add_argument(
        "key", nargs="?", metavar="KEY", help="show what may be changed about it"
    )


def whole_from(least: int, most: int = MOST) -> Any:
    """Return a reader of whole numbers from *least*, for an option."""

    def whole_number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise ArgumentTypeError(
                f"“{text}” is not a whole number from {least} to {most}."
            )
        return value

    return whole_number


def read_bytes(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Refused(f"{name} cannot be read: {reason}.") from error


def read_file(name: str) -> Found:
    """Read a file of games of any size; "-" is what comes in."""
    if name == "-":
        return read_stream_of_games(name, BufferedReader(sys.stdin.buffer))
    try:
        with Path(name).open("rb") as stream:
            return read_stream_of_games(name, stream)
    except (OSError, ValueError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Refused(f"{name} cannot be read: {reason}.") from error


def plan_of(options: Mapping[str, Any], found: Found) -> tuple[Plan, Advantage | None]:
    """Return the plan, and White's advantage where it was fitted."""
    plan = Asked(
        chosen=None,
        months=options["period_months"],
        warm_up_days=options["warm_up"],
        training=options["training"],
        newcomers=options["newcomers"],
        least_games=options["least_games"],
    ).plan(found.seeds)
    white = White(options["white"])
    fitted = trained_advantage(found.history, plan) if white is White.FITTED else None
    return with_advantage(plan, white, fitted), fitted
