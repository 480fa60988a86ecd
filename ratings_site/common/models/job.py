from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.constraints import one_of
from ratings_site.common.models.keys import optional_account_key


class Job(models.Model):
    """A background job. This table is the queue; messages only wake a worker.

    ``attempts`` counts the claims. A worker may finish a job only while this number is
    the one it claimed with, so a worker that was declared dead cannot write.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("Waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    OPEN_STATES = (State.QUEUED, State.RUNNING)

    kind = models.CharField(_("type"), max_length=60)
    key = models.CharField(max_length=100)
    args = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    attempts = models.PositiveIntegerField(default=0)
    done_steps = models.PositiveIntegerField(_("steps done"), default=0)
    total_steps = models.PositiveIntegerField(_("total steps"), default=0)
    message = models.TextField(blank=True)
    # Whose to-do list shows it while it is open; None for work that starts by itself.
    requested_by = optional_account_key(on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    run_after = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    # When it first found a lock taken, if all attempts since then did too.
    busy_since = models.DateTimeField(_("running since"), null=True)

    class Meta:
        verbose_name = _("background job")
        verbose_name_plural = _("background jobs")
        ordering = ["-pk"]
        permissions = [("retry_job", _("Can retry failed background jobs"))]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "key"],
                condition=Q(state__in=["queued", "running"]),
                name="one_open_job_per_kind_and_key",
                violation_error_message=_("This job is already waiting or running."),
            ),
            one_of(
                "state", ["queued", "running", "done", "failed"], "job_state_is_known"
            ),
        ]
        indexes = [
            models.Index(
                fields=["state", "run_after"],
                condition=Q(state__in=["queued", "running"]),
                name="open_jobs",
            ),
            models.Index(fields=["kind", "key"], name="jobs_of_a_key"),
            models.Index(fields=["state", "finished_at"], name="jobs_by_state"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"

    @property
    def percent(self) -> int:
        if self.state == self.State.DONE:
            return 100
        return 100 * self.done_steps // self.total_steps if self.total_steps else 0


class SignOfLife(models.Model):
    """The last heartbeat of a running job's worker.

    It has its own table because the job's row may be locked while a part of the work
    commits, and a heartbeat must never wait for that.
    """

    job = models.OneToOneField(
        Job, on_delete=models.CASCADE, primary_key=True, related_name="sign_of_life"
    )
    at = models.DateTimeField()
    # Progress inside a transaction, which a job's row cannot show before its end.
    done_steps = models.PositiveIntegerField(default=0)
    total_steps = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.job_id}: {self.at:%H:%M:%S}"
