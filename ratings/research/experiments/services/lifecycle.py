"""Request, cancel, resume, repeat and publish experiments."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from typing import cast

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from ratings.models import Experiment, ExperimentVariant, GamesFile, GamesHistory
from ratings.research.experiments.plans import (
    JOB_KIND,
    PUBLISH,
    RUN,
    ExperimentVariantSpec,
    InvalidVariant,
    RulesVariant,
    RunOptions,
    is_ledger_experiment,
    stored_variant,
    validate_variants,
)
from ratings.research.experiments.queries.cells import MIN_PEOPLE
from ratings.research.experiments.variant_names import variant_names
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import Job, User
from ratings_site.common.uploads.services import store_upload

# More than these would keep all others waiting for a worker.
MAX_OPEN_EXPERIMENTS = 10


class ExperimentRefused(Refusal):
    """Raised if an action is not possible now; the message says why."""


def request_experiment(
    *,
    actor: User | None,
    title: str,
    reason: str,
    kind: str,
    asked: RunOptions,
    variants: Sequence[ExperimentVariantSpec],
    file: tuple[str, bytes] | None = None,
) -> Experiment:
    """Queue an experiment and return it; a worker runs it, variant by variant.

    *file* is the name and content of the games, if they do not come from the ledger.
    Raises ExperimentRefused if it cannot be run, or is waiting or running already.
    """
    require_permission(actor, RUN)
    _validate_request(kind, asked, variants, file)
    with transaction.atomic():
        kept = _store_file(file, actor) if file else None
        experiment = new_experiment(
            Experiment(
                title=_said(title, _("Enter a name for the experiment.")),
                reason=_said(reason, _say_why()),
                kind=kind,
                plan=asked.as_json(),
                file=kept,
                asked_by=actor,
            ),
            variants,
        )
        record("experiment.asked", subject=experiment, actor=actor, reason=reason)
        wake_worker(experiment)
    return experiment


def cancel_experiment(
    *, experiment_id: int, actor: User | None, reason: str
) -> Experiment:
    """Stop an experiment. Finished variants are kept in case it is resumed."""
    with _locked(experiment_id, RUN, actor) as experiment:
        _refuse_unless(
            experiment.is_open,
            _("{experiment} isn’t running, so there is nothing to cancel."),
            experiment,
        )
        _save_status(experiment, Experiment.Status.CANCELED)
        why = _said(reason, _say_why())
        record("experiment.canceled", subject=experiment, actor=actor, reason=why)
    return experiment


def resume_experiment(
    *, experiment_id: int, actor: User | None, reason: str
) -> Experiment:
    """Resume an experiment that was canceled, failed or lost its worker.

    Only variants that are not done are run.
    """
    with _locked(experiment_id, RUN, actor) as experiment:
        stopped = (Experiment.Status.CANCELED, Experiment.Status.FAILED)
        _refuse_unless(
            experiment.status in stopped or is_stalled(experiment),
            _("{experiment} hasn’t stopped, so there is nothing to resume."),
            experiment,
        )
        _save_status(experiment, Experiment.Status.QUEUED)
        why = _said(reason, _say_why())
        record("experiment.resumed", subject=experiment, actor=actor, reason=why)
        wake_worker(experiment)
    return experiment


def repeat_experiment(
    *, experiment_id: int, actor: User | None, reason: str
) -> Experiment:
    """Run a finished experiment again on the same games."""
    with _locked(experiment_id, RUN, actor) as first:
        _refuse_unless(
            first.status == Experiment.Status.DONE,
            _("{experiment} isn’t finished, so you can’t repeat it yet."),
            first,
        )
        again = new_experiment(
            Experiment(
                title=first.title,
                reason=_said(reason, _say_why()),
                kind=first.kind,
                plan=first.plan,
                facts={
                    name: first.facts[name]
                    for name in ("books", "white_advantage")
                    if name in first.facts
                },
                findings=first.findings,
                file=first.file,
                history_id=None if is_ledger_experiment(first) else first.history_id,
                repeats=first.repeats or first,
                asked_by=actor,
            ),
            [
                stored_variant(one.system, one.parameters)
                for one in first.variants.all()
            ],
        )
        record("experiment.repeated", subject=again, actor=actor, reason=reason)
        wake_worker(again)
    return again


def publish_experiment(
    *, experiment_id: int, actor: User | None, public_title: str, reason: str
) -> Experiment:
    """Publish an experiment under a title and with the reason."""
    with _locked(experiment_id, PUBLISH, actor) as experiment:
        _refuse_unless(
            experiment.status == Experiment.Status.DONE,
            _("{experiment} isn’t finished, so you can’t publish it yet."),
            experiment,
        )
        _refuse_unless(
            not experiment.is_published,
            _("{experiment} is already published."),
            experiment,
        )
        history = cast(int, experiment.history_id)  # a finished one has it
        games = GamesHistory.objects.defer("content").get(pk=history)
        if games.players < MIN_PEOPLE:
            raise ExperimentRefused(
                _(
                    "This experiment covers {players} players. To protect "
                    "privacy, only experiments with at least {fewest} players "
                    "can be published."
                ).format(players=games.players, fewest=MIN_PEOPLE)
            )
        experiment.public_title = _said(public_title, _("Enter a title."))
        experiment.public_reason = _said(reason, _say_why())
        experiment.published_at = timezone.now()
        experiment.published_by = actor
        experiment.save()
        record("experiment.published", subject=experiment, actor=actor, reason=reason)
    return experiment


def withdraw_experiment(
    *, experiment_id: int, actor: User | None, reason: str
) -> Experiment:
    """Withdraw an experiment, so that only the committee sees it."""
    with _locked(experiment_id, PUBLISH, actor) as experiment:
        _refuse_unless(
            experiment.is_published, _("{experiment} isn’t published."), experiment
        )
        experiment.published_at = experiment.published_by = None
        experiment.save(update_fields=["published_at", "published_by"])
        why = _said(reason, _say_why())
        record("experiment.withdrawn", subject=experiment, actor=actor, reason=why)
    return experiment


@contextmanager
def _locked(
    experiment_id: int, permission: str, actor: User | None
) -> Iterator[Experiment]:
    """Lock an experiment for an act of a user who has the permission."""
    require_permission(actor, permission)
    with transaction.atomic():
        yield lock_experiment(experiment_id)


def _refuse_unless(is_possible: bool, sentence: str, experiment: Experiment) -> None:
    if not is_possible:
        raise ExperimentRefused(sentence.format(experiment=experiment))


def _save_status(experiment: Experiment, status: str) -> None:
    experiment.status, experiment.message = status, ""
    experiment.save(update_fields=["status", "message"])


def wake_worker(experiment: Experiment) -> None:
    args = {"experiment_id": experiment.pk}
    enqueue(JOB_KIND, key=str(experiment.pk), args=args, actor=experiment.asked_by)


def is_stalled(experiment: Experiment) -> bool:
    """Return whether an experiment waits for a worker that will not come."""
    jobs = Job.objects.filter(kind=JOB_KIND, key=str(experiment.pk))
    return experiment.is_open and not jobs.filter(state__in=Job.OPEN_STATES).exists()


def _validate_request(
    kind: str,
    asked: RunOptions,
    variants: Sequence[ExperimentVariantSpec],
    file: tuple[str, bytes] | None,
) -> None:
    try:
        validate_variants(variants)
    except InvalidVariant as bad:
        raise ExperimentRefused(str(bad)) from bad
    if (file is None) != (asked.chosen is not None):
        raise ExperimentRefused(_("Choose the federation’s games or a file, not both."))
    if kind == Experiment.Kind.OUR_RULES:
        _require_ledger_variants(variants, file)
    if kind == Experiment.Kind.RULE_CHANGE and len(variants) != 2:
        raise ExperimentRefused(
            _("A rule change needs two variants: before and after.")
        )
    if kind == Experiment.Kind.SEARCH and len(variants) < 2:
        raise ExperimentRefused(
            _("Enter at least two values of a parameter, such as 16, 24, 32.")
        )


def _require_ledger_variants(
    variants: Sequence[ExperimentVariantSpec], file: tuple[str, bytes] | None
) -> None:
    is_ours = all(isinstance(one, RulesVariant) for one in variants)
    if file is not None or not is_ours or variants[0].changes:
        raise ExperimentRefused(
            _(
                "The first variant must be the actual rules, replayed on the "
                "federation’s games."
            )
        )
    if len(variants) < 2:
        raise ExperimentRefused(_("Change at least one rule or the edition."))


def _store_file(file: tuple[str, bytes], actor: User | None) -> GamesFile:
    name, content = file
    digest = sha256(content).hexdigest()
    kept = (
        GamesFile.objects.filter(sha256=digest, name=name[:200])
        .exclude(stored_as="")
        .first()
    )
    return kept or GamesFile.objects.create(
        name=name[:200],
        sent_by=actor,
        **asdict(store_upload("games", name, [content])),
    )


def new_experiment(
    experiment: Experiment, variants: Sequence[ExperimentVariantSpec]
) -> Experiment:
    """Store an experiment with its variants, unless it is open already."""
    _refuse_too_many(experiment, variants)
    experiment.save()
    with override(None):  # stored texts have one language, no matter who asks
        ExperimentVariant.objects.bulk_create(
            ExperimentVariant(
                experiment=experiment,
                number=number,
                system=one.system,
                label=name[:200],
                parameters=[list(change) for change in one.changes],
            )
            for number, (one, name) in enumerate(
                zip(variants, variant_names(variants), strict=True), start=1
            )
        )
    return experiment


def _refuse_too_many(
    experiment: Experiment, variants: Sequence[ExperimentVariantSpec]
) -> None:
    opened = list(
        Experiment.objects.select_for_update(of=("self",))
        .filter(status__in=Experiment.OPEN_STATUSES)
        .prefetch_related("variants")
    )
    if len(opened) >= MAX_OPEN_EXPERIMENTS:
        raise ExperimentRefused(
            _(
                "{number} experiments are already waiting or running. Try again later."
            ).format(number=len(opened))
        )
    wanted = [
        (one.system, [list(change) for change in one.changes]) for one in variants
    ]
    for other in opened:
        same = (other.kind, other.plan, other.file_id, other.repeats_id) == (
            experiment.kind,
            experiment.plan,
            experiment.file_id,
            experiment.repeats_id,
        )
        if same and [(v.system, v.parameters) for v in other.variants.all()] == wanted:
            raise ExperimentRefused(
                _("The same experiment is already open: {experiment}.").format(
                    experiment=other
                )
            )


class ExperimentClosed(Exception):
    """Raised if the experiment was canceled while it ran."""


def lock_open_experiment(experiment_id: int) -> Experiment:
    """Return an experiment, locked. Raises ExperimentClosed if it was canceled."""
    experiment = lock_experiment(experiment_id)
    if not experiment.is_open:
        raise ExperimentClosed
    return experiment


def lock_experiment(experiment_id: int) -> Experiment:
    """Return an experiment, locked until the transaction ends."""
    return Experiment.objects.select_for_update(of=("self",)).get(pk=experiment_id)


def _say_why() -> str:
    return _("Enter a reason. It stays with the experiment.")


def _said(text: str, otherwise: str) -> str:
    if not text.strip():
        raise ExperimentRefused(otherwise)
    return text.strip()
