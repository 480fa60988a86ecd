"""The job of a bulk action on many rows."""

import hashlib
import json
import math
from collections.abc import Collection, Sequence
from dataclasses import astuple

from django.urls import reverse
from django.utils.translation import get_language, override

from ratings_site.common.accounts.permissions import NotAllowed, require_permission
from ratings_site.common.approvals.bulk_actions import (
    BULK_ACTIONS,
    BulkResult,
    ChosenRow,
    DoneRow,
    RefusedRow,
    apply_to_rows,
)
from ratings_site.common.audit.services import full_names
from ratings_site.common.jobs.queues import RATINGS
from ratings_site.common.jobs.services import ClaimedJob, JobFailed, enqueue, handles
from ratings_site.common.models import Job, User

BULK_ACTION = "common.bulk_action"


def enqueue_bulk_action(
    view: str, code: str, keys: Sequence[str], reason: str, actor: User
) -> Job:
    """Queue an action of the list *view*; sent twice, it is one job."""
    args = {
        "list": view,
        "act": code,
        "keys": keys,
        "reason": reason,
        "actor": actor.pk,
        "language": get_language(),
    }
    digest = hashlib.sha256(json.dumps(args).encode()).hexdigest()
    return enqueue(BULK_ACTION, key=digest, args=args, actor=actor)


def _page(job: Job) -> str:
    return reverse("office:bulk_action", args=[job.pk])


@handles(BULK_ACTION, queue=RATINGS, page=_page)
def bulk_action_job(job: ClaimedJob) -> None:
    """Apply the action to each row; a later attempt goes on after the last row."""
    args = job.args
    permission, acts = BULK_ACTIONS[args["list"]]
    act, actor = acts[args["act"]], User.objects.get(pk=args["actor"])
    try:
        require_permission(actor, permission)
    except NotAllowed as refusal:
        raise JobFailed(str(refusal)) from refusal
    done = args.get("done", {})

    def save(**result: object) -> None:
        Job.objects.filter(pk=job.id).update(args=args | result)

    def do(row: ChosenRow) -> DoneRow:
        with job.part(done=len(done) + 1, total=len(args["keys"])):
            line = act.do(row, actor, args["reason"])
            save(done=done | {row.key: astuple(line)})
        done[row.key] = astuple(line)
        return line

    with override(args["language"]), full_names(), job.keep_alive():
        keys = [key for key in args["keys"] if key not in done]
        rows, left_out = act.look(keys, actor)
        outcome = apply_to_rows(rows, do, longest=math.inf)
    with job.commit():
        refused = [*left_out, *outcome.left_out]
        save(done=done, left_out=[astuple(one) for one in refused])


def bulk_result(job: Job) -> BulkResult:
    """Return the results of a job that has ended."""
    done = [DoneRow(*line) for line in job.args.get("done", {}).values()]
    left_out = [RefusedRow(*line) for line in job.args.get("left_out", ())]
    return BulkResult(done, left_out)


def delete_bulk_results(texts: Collection[str]) -> None:
    """Delete the results that contain one of the texts, such as a deleted name."""
    for job in Job.objects.filter(kind=BULK_ACTION, finished_at__isnull=False):
        lines = [job.args.pop(name, None) for name in ("done", "left_out")]
        results = json.dumps(lines, ensure_ascii=False)
        if any(text in results for text in texts):
            job.save(update_fields=["args"])
