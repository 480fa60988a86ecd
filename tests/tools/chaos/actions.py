"""Actions of staff and TDs, each kind in its own process until it is stopped.

Every action is a service that a page calls. Its result is logged once the service has
returned; from then on it must not be lost.
"""

import json
import os
import random
import signal
import time
import traceback
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from django.db import InterfaceError, OperationalError, connection, transaction
from django.utils import timezone

from events.corrections.services.requests import approve_correction
from events.models import Section
from events.records.exceptions import NotPossible, VersionConflict
from events.review.services.acceptance import accept_report
from players.fide.services.members import report_member_changes
from players.identity.services import merge_players, undo_merge
from players.models import Player, PlayerMerge
from ratings.lists.queries.official import next_month_due
from ratings.models import Run
from ratings.rerates.services.execution import approve_rerate
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import (
    is_abandoned,
    retry_rerate,
    start_rerate,
)
from ratings.rerates.services.undo import undo_rerate
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.approvals.services import approve as approve_act
from ratings_site.common.db.locks import RatingsBusy, lock_ratings
from ratings_site.common.models import PendingAct, User
from ratings_site.demo.actions import ask_for_draw, publish_current_list
from tests.factories import event_report, handed_in, section_report, swiss_rows

# A refusal is an answer, and so is "busy". A cut connection is one of the blows.
REFUSALS = (Refusal, VersionConflict, RatingsBusy)
DISCONNECTS = (OperationalError, InterfaceError)
DAYS = 90
REASON = "It is part of the drill."


def user(name: str) -> User:
    return User.objects.get(username=name)


def report_and_accept(chance: random.Random) -> list[int]:
    """A director sends a report, a clerk accepts it; return its sections."""
    td = user("chaos-td")
    members = list(Player.objects.filter(merged_into=None, account=None))
    ends = date(2024, 6, 30) - timedelta(chance.randrange(DAYS))
    players = chance.randrange(2, 9) * 2
    rounds = min(4, players - 1)
    sections = [
        section_report(
            chance.sample(members, players),
            swiss_rows(players, rounds),
            number=number,
            time_control=chance.choice(["G/90;d5", "G/45;d5"]),
        )
        for number in range(1, chance.choice([2, 2, 3]))
    ]
    name = f"Open {chance.randrange(10**9)}"
    report = event_report(td, sections, starts=ends, ends=ends, name=name)
    submission = handed_in(td, report)
    event = accept_report(submission_id=submission.pk, actor=user("chaos-clerk"))
    return list(event.sections.order_by("pk").values_list("pk", flat=True))


def correct(chance: random.Random) -> int:
    """A decisive game of a rated section was drawn after all."""
    sections = Section.objects.filter(status=Section.Status.RATED)
    section = sections.order_by("?").first()
    game = section and (
        section.games.filter(first_outcome__in="WL").order_by("?").first()
    )
    if game is None:
        raise NotPossible("Nothing can be corrected yet.")
    request = ask_for_draw(
        section,
        number=game.first.pairing_number,
        round_number=game.round_number,
        opponent=game.second.pairing_number,
        color=game.first_color,
        text=REASON,
        actor=user("chaos-clerk"),
    )
    approve_correction(
        request_id=request.pk,
        version=section.version,
        public_note=REASON,
        reason=REASON,
        actor=user("chaos-manager"),
    )
    return request.pk


def merge_or_unmerge(chance: random.Random) -> int:
    """Two numbers become one, or one that was merged becomes two again."""
    merge = PlayerMerge.objects.filter(undone_at=None).order_by("?").first()
    if merge is not None and chance.random() < 0.5:
        undo_merge(merge_id=merge.pk, actor=user("chaos-manager"), reason=REASON)
        return merge.pk
    members = Player.objects.filter(merged_into=None, account=None).order_by("?")
    kept, merged = members[:2]
    done = merge_players(
        kept_id=kept.pk,
        merged_id=merged.pk,
        actor=user("chaos-clerk"),
        reason=REASON,
    )
    return approve_if_pending(done).pk


def approve_if_pending(done: Any) -> Any:
    """Give the second approval, if an action needs one."""
    if isinstance(done, PendingAct):
        return approve_act(act_id=done.pk, actor=user("chaos-second"))
    return done


def edit_member(chance: random.Random) -> int:
    """A birth date or a residence was wrong; so the admin's form does it."""
    with transaction.atomic():
        lock_ratings()
        members = Player.objects.select_for_update().filter(merged_into=None)
        player = members.order_by("?").first()
        before = {
            "birth_date": player.birth_date,
            "birth_year": player.birth_year,
            "residence": player.residence,
            "fide_id": player.fide_id,
        }
        player.birth_date = date(1950, 1, 1) + timedelta(chance.randrange(22_000))
        player.residence = chance.choice(["", "CAN"])
        player.save(update_fields=["birth_date", "residence"])
        report_member_changes(player, before, user("chaos-clerk"))
    return player.pk


def rerate(chance: random.Random) -> int:
    """Start a rerate, publish the one that is ready, now and then take one back."""
    clerk, manager = user("chaos-clerk"), user("chaos-manager")
    run = Run.objects.filter(kind=Run.Kind.RERATE).order_by("-pk").first()
    if run is not None and (run.status == Run.Status.FAILED or is_abandoned(run)):
        return retry_rerate(run_id=run.pk, actor=clerk, reason=REASON).pk
    if run is not None and run.status == Run.Status.READY:
        # On the command line it is not reviewed; on the page it must not have changed.
        if chance.random() < 0.5:
            return publish_rerate(run_id=run.pk, actor=manager, reason=REASON).pk
        shown = run.pass_number
        return approve_rerate(
            run_id=run.pk, actor=manager, reason=REASON, shown_pass=shown
        ).pk
    done = Run.objects.filter(kind=Run.Kind.RERATE, status=Run.Status.PUBLISHED)
    published = done.order_by("published_at").last()
    if published is not None and chance.random() < 0.3:
        done = undo_rerate(run_id=published.pk, actor=manager, reason=REASON)
        return approve_if_pending(done).pk
    return start_rerate(actor=clerk, reason=REASON).pk


def publish_list(chance: random.Random) -> int:
    month = next_month_due(timezone.now())
    return publish_current_list(month, manager=user("chaos-manager"), reason=REASON).pk


# Actions, and the seconds between two of them.
ACTIONS: dict[str, tuple[Callable[[random.Random], Any], float]] = {
    "accept": (report_and_accept, 0.2),
    "correct": (correct, 1.0),
    "merge": (merge_or_unmerge, 1.5),
    "edit": (edit_member, 0.7),
    "rerate": (rerate, 1.5),
    "list": (publish_list, 10.0),
}


def run_until_stopped(name: str, seed: int, journal: Path) -> None:
    """Do the actions of a kind until the process is stopped."""
    act, pause = ACTIONS[name]
    chance = random.Random(seed)
    told = []
    signal.signal(signal.SIGTERM, lambda *_: told.append(True))
    with journal.open("ab", buffering=0) as book:
        while not told:
            line = {"act": name, **try_action(act, chance), "at": time.time()}
            os.write(book.fileno(), json.dumps(line).encode() + b"\n")
            time.sleep(chance.random() * 2 * pause)


def try_action(act: Callable[[random.Random], Any], chance: random.Random) -> dict:
    try:
        return {"came": "done", "what": act(chance)}
    except REFUSALS as answer:
        return {"came": "refused", "why": str(answer)}
    except DISCONNECTS as cut:
        connection.close()
        return {"came": "cut", "why": str(cut)}
    except Exception:
        connection.close()
        return {"came": "fault", "why": traceback.format_exc()}
