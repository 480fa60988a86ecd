"""Ask for an experiment, cancel it, go on with it, repeat it, show it to everybody."""

from collections.abc import Sequence
from hashlib import sha256

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from ratings.experiments.plans import (
    JOB_KIND,
    PUBLISH,
    RUN,
    AnyVariant,
    Asked,
    BadVariant,
    VariedRules,
    is_of_books,
    refuse_bad,
    stored_variant,
)
from ratings.experiments.queries.cells import FEWEST_PEOPLE
from ratings.models import Experiment, ExperimentVariant, GamesFile, GamesHistory
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import Job, User

# More than these would keep everybody else waiting for a worker.
MOST_OPEN = 10


class ExperimentRefused(Refusal):
    """This cannot be done with an experiment now; the message says why."""


def ask_experiment(
    *,
    actor: User | None,
    title: str,
    reason: str,
    kind: str,
    asked: Asked,
    variants: Sequence[AnyVariant],
    file: tuple[str, bytes] | None = None,
) -> Experiment:
    """Queue an experiment and return it; a worker runs it, variant by variant.

    *file* is the name and content of the games, if they are not to come from the books.
    Raises ExperimentRefused if it cannot be run, or is waiting or running already.
    """
    require(actor, RUN)
    _refuse_senseless(kind, asked, variants, file)
    with transaction.atomic():
        kept = _keep_file(file, actor) if file else None
        experiment = new_experiment(
            Experiment(
                title=_said(title, _("Give the experiment a name.")),
                reason=_said(reason, _say_why()),
                kind=kind,
                plan=asked.as_json(),
                file=kept,
                asked_by=actor,
            ),
            variants,
        )
        record("experiment.asked", subject=experiment, actor=actor, reason=reason)
        wake(experiment)
    return experiment


def cancel_experiment(
    *, experiment_id: int, actor: User | None, reason: str
) -> Experiment:
    """Stop an experiment. Variants that are done are kept for when it goes on."""
    require(actor, RUN)
    with transaction.atomic():
        experiment = locked(experiment_id)
        if not experiment.is_open:
            raise ExperimentRefused(
                _("{experiment} is not running; nothing was done.").format(
                    experiment=experiment
                )
            )
        experiment.status = Experiment.Status.CANCELED
        experiment.message = ""
        experiment.save(update_fields=["status", "message"])
        why = _said(reason, _say_why())
        record("experiment.canceled", subject=experiment, actor=actor, reason=why)
    return experiment


def resume_experiment(
    *, experiment_id: int, actor: User | None, reason: str
) -> Experiment:
    """Go on with an experiment that was canceled, failed or lost its worker.

    Only variants that are not done are run.
    """
    require(actor, RUN)
    with transaction.atomic():
        experiment = locked(experiment_id)
        stopped = (Experiment.Status.CANCELED, Experiment.Status.FAILED)
        if experiment.status not in stopped and not is_given_up(experiment):
            raise ExperimentRefused(
                _("{experiment} has not stopped; nothing was done.").format(
                    experiment=experiment
                )
            )
        experiment.status = Experiment.Status.QUEUED
        experiment.message = ""
        experiment.save(update_fields=["status", "message"])
        why = _said(reason, _say_why())
        record("experiment.resumed", subject=experiment, actor=actor, reason=why)
        wake(experiment)
    return experiment


def repeat_experiment(
    *, experiment_id: int, actor: User | None, reason: str
) -> Experiment:
    """Run a finished experiment once more on the very games it was run on."""
    require(actor, RUN)
    with transaction.atomic():
        first = locked(experiment_id)
        if first.status != Experiment.Status.DONE:
            raise ExperimentRefused(
                _(
                    "{experiment} is not finished, so there is nothing to repeat."
                ).format(experiment=first)
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
                history_id=None if is_of_books(first) else first.history_id,
                repeats=first.repeats or first,
                asked_by=actor,
            ),
            [
                stored_variant(one.system, one.parameters)
                for one in first.variants.all()
            ],
        )
        record("experiment.repeated", subject=again, actor=actor, reason=reason)
        wake(again)
    return again


def publish_experiment(
    *, experiment_id: int, actor: User | None, public_title: str, reason: str
) -> Experiment:
    """Let everybody see an experiment, under a title and with the reason."""
    require(actor, PUBLISH)
    with transaction.atomic():
        experiment = locked(experiment_id)
        if experiment.status != Experiment.Status.DONE:
            raise ExperimentRefused(
                _("{experiment} is not finished; there is nothing to publish.").format(
                    experiment=experiment
                )
            )
        if experiment.is_published:
            raise ExperimentRefused(
                _("{experiment} is published already.").format(experiment=experiment)
            )
        games = GamesHistory.objects.defer("content").get(pk=experiment.history_id)
        if games.players < FEWEST_PEOPLE:
            raise ExperimentRefused(
                _(
                    "These are games of {players} players. Only what is about at least "
                    "{fewest} is published, so that it tells nothing of one."
                ).format(players=games.players, fewest=FEWEST_PEOPLE)
            )
        experiment.public_title = _said(public_title, _("Give it a title."))
        experiment.public_reason = _said(reason, _say_why())
        experiment.published_at = timezone.now()
        experiment.published_by = actor
        experiment.save()
        record("experiment.published", subject=experiment, actor=actor, reason=reason)
    return experiment


def withdraw_experiment(
    *, experiment_id: int, actor: User | None, reason: str
) -> Experiment:
    """Show an experiment to the committee alone again."""
    require(actor, PUBLISH)
    with transaction.atomic():
        experiment = locked(experiment_id)
        if not experiment.is_published:
            raise ExperimentRefused(
                _("{experiment} is not published.").format(experiment=experiment)
            )
        experiment.published_at = experiment.published_by = None
        experiment.save(update_fields=["published_at", "published_by"])
        why = _said(reason, _say_why())
        record("experiment.withdrawn", subject=experiment, actor=actor, reason=why)
    return experiment


def wake(experiment: Experiment) -> None:
    enqueue(JOB_KIND, key=str(experiment.pk), args={"experiment_id": experiment.pk})


def is_given_up(experiment: Experiment) -> bool:
    """Tell whether an experiment waits for a worker that will not come."""
    jobs = Job.objects.filter(kind=JOB_KIND, key=str(experiment.pk))
    return experiment.is_open and not jobs.filter(state__in=Job.OPEN_STATES).exists()


def _refuse_senseless(
    kind: str,
    asked: Asked,
    variants: Sequence[AnyVariant],
    file: tuple[str, bytes] | None,
) -> None:
    try:
        refuse_bad(variants)
    except BadVariant as bad:
        raise ExperimentRefused(str(bad)) from bad
    if (file is None) != (asked.chosen is not None):
        raise ExperimentRefused(_("Games come from the books or from a file."))
    if kind == Experiment.Kind.OUR_RULES:
        _refuse_other_than_books(variants, file)
    if kind == Experiment.Kind.RULE_CHANGE and len(variants) != 2:
        raise ExperimentRefused(
            _("A change of the rules compares two variants: before and after.")
        )
    if kind == Experiment.Kind.SEARCH and len(variants) < 2:
        raise ExperimentRefused(
            _("A search needs at least two values of a parameter: 16, 24, 32.")
        )


def _refuse_other_than_books(
    variants: Sequence[AnyVariant], file: tuple[str, bytes] | None
) -> None:
    is_ours = all(isinstance(one, VariedRules) for one in variants)
    if file is not None or not is_ours or variants[0].changes:
        raise ExperimentRefused(
            _("Our rules are replayed on the books, first as they were.")
        )
    if len(variants) < 2:
        raise ExperimentRefused(_("Vary something: a value, a switch, an edition."))


def _keep_file(file: tuple[str, bytes], actor: User | None) -> GamesFile:
    name, content = file
    digest = sha256(content).hexdigest()
    kept = GamesFile.objects.filter(sha256=digest, name=name[:200]).first()
    return kept or GamesFile.objects.create(
        name=name[:200],
        content=content,
        sha256=digest,
        size=len(content),
        sent_by=actor,
    )


def new_experiment(
    experiment: Experiment, variants: Sequence[AnyVariant]
) -> Experiment:
    """Store an experiment with its variants, unless it is open already."""
    _refuse_too_many(experiment, variants)
    experiment.save()
    with override(None):  # what is kept speaks one language, no matter who asks
        ExperimentVariant.objects.bulk_create(
            ExperimentVariant(
                experiment=experiment,
                number=number,
                system=one.system,
                label=one.label[:200],
                parameters=[list(change) for change in one.changes],
            )
            for number, one in enumerate(variants, start=1)
        )
    return experiment


def _refuse_too_many(experiment: Experiment, variants: Sequence[AnyVariant]) -> None:
    opened = list(
        Experiment.objects.select_for_update(of=("self",))
        .filter(status__in=Experiment.OPEN_STATUSES)
        .prefetch_related("variants")
    )
    if len(opened) >= MOST_OPEN:
        raise ExperimentRefused(
            _("{number} experiments wait or run already. Try again later.").format(
                number=len(opened)
            )
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
                _("The same experiment is open already: {experiment}.").format(
                    experiment=other
                )
            )


class ExperimentClosed(Exception):
    """The experiment was canceled while it was at work."""


def refuse_closed(experiment_id: int) -> Experiment:
    """Return an experiment, locked. Raises ExperimentClosed if it was canceled."""
    experiment = locked(experiment_id)
    if not experiment.is_open:
        raise ExperimentClosed
    return experiment


def locked(experiment_id: int) -> Experiment:
    """Return an experiment that nobody else can change until the transaction ends."""
    return Experiment.objects.select_for_update(of=("self",)).get(pk=experiment_id)


def _say_why() -> str:
    return _("Say why; the reason is kept with the experiment.")


def _said(text: str, otherwise: str) -> str:
    if not text.strip():
        raise ExperimentRefused(otherwise)
    return text.strip()
