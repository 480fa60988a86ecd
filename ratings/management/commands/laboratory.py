"""The rating laboratory from the command line: cases, experiments, the systems."""

from __future__ import annotations

import json
import sys
import zlib
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterable, Mapping
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any, NoReturn, cast

from django.core.management.base import BaseCommand

from ratings.engine.variation.variations import catalog_lines
from ratings.laboratory.comparison import Comparison, compare
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
    FittedAdvantage,
    WhiteAdvantageMode,
    trained_advantage,
    with_advantage,
)
from ratings.laboratory.vectors import (
    SHIPPED,
    CaseStatus,
    InvalidCasesFile,
    check_cases,
    read_cases,
)
from ratings.management.laboratory_ledger import (
    add_ledger_options,
    rules_result_lines,
    run_on_ledger,
)
from ratings.management.laboratory_output import (
    advantage_line,
    case_line,
    counted,
    finding_line,
    is_skipped,
    printable,
    record,
    table,
)
from ratings.management.laboratory_systems import (
    InvalidOption,
    known_system,
    parameter_lines,
    variants_of,
)
from ratings.research.experiments.optional_packages import PACKAGE_CASES
from ratings.research.experiments.plans import EVIDENCE, TRAINING, RunOptions
from ratings.research.experiments.services.game_files import read_games_stream
from ratings.research.experiments.services.histories import (
    ExperimentGames,
    render_finding,
)

FAILED, REFUSED = 1, 2
MAX_WHOLE_NUMBER = 100_000


class Command(BaseCommand):
    help = (
        "The rating laboratory. `vectors` checks published cases. `run` compares "
        "rating systems on a file of games, or replays our own rules. `systems` and "
        "`rules` list what you can choose."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        _add_vectors(actions.add_parser("vectors", help="check published cases"))
        _add_run(actions.add_parser("run", help="compare systems on a file of games"))
        _add_systems(actions.add_parser("systems", help="list the rating systems"))
        actions.add_parser("rules", help="list the rules you can change")

    def handle(self, *args: Any, **options: Any) -> None:
        actions = {
            "vectors": self._vectors,
            "run": self._run,
            "systems": self._systems,
            "rules": self._rules,
        }
        try:
            actions[options["action"]](options)
        except InvalidOption as fault:
            self._refuse(str(fault))

    def _refuse(self, sentence: str) -> NoReturn:
        self._warn(sentence)
        sys.exit(REFUSED)

    def _warn(self, sentence: str) -> None:
        self.stderr.write(printable(sentence), lambda text: text)

    def _write_lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.stdout.write(line)

    # Cases

    def _vectors(self, options: dict[str, Any]) -> None:
        name = options["file"] or str(SHIPPED)
        try:
            cases = read_cases(read_bytes(name).decode())
        except UnicodeDecodeError as error:
            raise InvalidOption(f"{name} is not UTF-8 (byte {error.start}).") from error
        except InvalidCasesFile as error:
            raise InvalidOption(f"{name}: {error}") from error
        counts = dict.fromkeys(CaseStatus, 0)
        for checked in check_cases(cases, {**CASES, **PACKAGE_CASES}):
            counts[checked.verdict] += 1
            self.stdout.write(printable(case_line(checked)))
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        self.stdout.write(f"{counted(len(cases), 'case')}: {told}.")
        if counts[CaseStatus.FAILED]:
            sys.exit(FAILED)

    # Experiments

    def _run(self, options: dict[str, Any]) -> None:
        if options["books"]:
            self._run_on_ledger(options)
            return
        if not options["file"] or not options["system"]:
            raise InvalidOption(
                "Name a file of games and a --system, or ask for our own rules on our "
                "books: --books."
            )
        variants = variants_of(options["system"], options["set"])
        found = read_file(options["file"])
        for finding in found.findings:
            self._warn(finding_line(render_finding(finding)))
        history = found.history
        if not len(history):
            raise InvalidOption(f"{options['file']} has no games to rate.")
        plan, fitted = plan_of(options, found)
        outcomes = {
            name: run(
                SYSTEMS[one.system],
                one.parameters(plan.white_advantage),
                history,
                plan,
            )
            for name, one in variants.items()
        }
        compared = self._compared(history, outcomes)
        if options["json"]:
            facts = record(history, plan, found, outcomes, compared)
            facts["white_advantage"] = fitted and fitted._asdict()
            self.stdout.write(json.dumps(facts))
        else:
            self._write_lines([*table(history, compared), advantage_line(plan, fitted)])
        if any(is_skipped(finding) for finding in found.findings):
            sys.exit(FAILED)

    def _run_on_ledger(self, options: dict[str, Any]) -> None:
        if options["file"] or options["system"]:
            raise InvalidOption("--books takes no file and no --system.")
        found = run_on_ledger(options, self._warn)
        if options["json"]:
            self.stdout.write(json.dumps(found))
        else:
            self._write_lines(rules_result_lines(found))
        if not found["control"]["holds"]:
            sys.exit(FAILED)

    def _compared(
        self, history: History, outcomes: Mapping[str, Outcome]
    ) -> Comparison:
        """Compare the systems that predict anything; the others are named."""
        predicting = {}
        for name, outcome in outcomes.items():
            if any(value == value for value in outcome.predictions):
                predicting[name] = outcome
            else:
                self._warn(
                    f"{name} predicts no game that counts, and is left out. Under "
                    "some systems nobody gets a first rating where nobody has one: "
                    "try --newcomers ours; or a shorter --training, or fewer "
                    "--least-games."
                )
        if not predicting:
            raise InvalidOption(
                "No system predicts any game. Use more games or less training."
            )
        try:
            return compare(history, predicting, next(iter(predicting)))
        except NoGames as fault:
            raise InvalidOption(str(fault)) from fault

    # The lists of systems and rules

    def _rules(self, options: dict[str, Any]) -> None:
        self._write_lines(catalog_lines())

    def _systems(self, options: dict[str, Any]) -> None:
        if options["key"]:
            key = known_system(options["key"], SYSTEMS)
            self._write_lines(parameter_lines(key))
            return
        for key, system in SYSTEMS.items():
            about = system.about
            facts = f"{SHAPES[about.shape]}, {STATUSES[about.status]}"
            self.stdout.write(f"{key:<28} {about.label} ({facts})")


# --- Options ---


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
        help='CSV, PGN or TRF, or "-"; games that are left out are listed, and the '
        "exit status is 1",
    )
    parser.add_argument(
        "--system",
        action="append",
        default=[],
        metavar="KEY[:NAME=VALUE,...]",
        help="can be repeated; the others are compared with the first",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter, for each of the systems that has it",
    )
    parser.add_argument(
        "--period-months",
        type=bounded_int(1),
        default=1,
        metavar="N",
        help="default: 1",
    )
    parser.add_argument(
        "--training",
        type=bounded_int(0, 90),
        default=TRAINING,
        metavar="PERCENT",
        help="of the games, for training: the first games are not part of the results, "
        f"and White's advantage is estimated from them (default: {TRAINING})",
    )
    parser.add_argument(
        "--warm-up",
        type=bounded_int(0),
        metavar="DAYS",
        help="training in days, instead of --training",
    )
    parser.add_argument(
        "--least-games",
        type=bounded_int(0),
        default=EVIDENCE,
        metavar="N",
        help="games both players need before a game is part of the results (default: "
        f"{EVIDENCE})",
    )
    parser.add_argument(
        "--newcomers",
        choices=[one.value for one in Newcomers],
        default=Newcomers.OURS.value,
        help="starting rating of new players: by age as in our rules (default), "
        f"{COMMON_START:.0f} for all, or each system's own rule",
    )
    parser.add_argument(
        "--white",
        choices=[one.value for one in WhiteAdvantageMode],
        default=WhiteAdvantageMode.FITTED.value,
        help="White's advantage: estimated once for all systems (default), none, "
        "or each system's own",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_ledger_options(parser)


def _add_systems(parser: ArgumentParser) -> None:
    parser.add_argument(
        "key", nargs="?", metavar="KEY", help="show the parameters of this system"
    )


def bounded_int(least: int, most: int = MAX_WHOLE_NUMBER) -> Any:
    """Return a parser of whole numbers from *least*, for an option."""

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
        raise InvalidOption(f"{name} can't be read: {reason}.") from error


def read_file(name: str) -> ExperimentGames:
    """Read a file of games of any size; "-" is standard input."""
    if name == "-":
        stdin = cast(RawIOBase, sys.stdin.buffer)
        return read_games_stream(name, BufferedReader(stdin))
    try:
        with Path(name).open("rb") as stream:
            return read_games_stream(name, stream)
    except (OSError, ValueError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidOption(f"{name} can't be read: {reason}.") from error


def plan_of(
    options: Mapping[str, Any], found: ExperimentGames
) -> tuple[Plan, FittedAdvantage | None]:
    """Return the plan, and White's advantage where it was fitted."""
    plan = RunOptions(
        chosen=None,
        months=options["period_months"],
        warm_up_days=options["warm_up"],
        training=options["training"],
        newcomers=options["newcomers"],
        least_games=options["least_games"],
    ).plan(found.seeds)
    white = WhiteAdvantageMode(options["white"])
    fitted = (
        trained_advantage(found.history, plan)
        if white is WhiteAdvantageMode.FITTED
        else None
    )
    return with_advantage(plan, white, fitted), fitted
