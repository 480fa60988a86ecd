from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy


class Job(models.Model):
    """A piece of work for a worker. This table is the queue; messages only wake.

    ``attempts`` counts the claims. A worker may finish a job only while the number
    it claimed with is still the job's: a worker declared dead cannot write.
    """

    class State(models.TextChoices):
        QUEUED = "queued", gettext_lazy("Waiting")
        RUNNING = "running", gettext_lazy("Running")
        DONE = "done", gettext_lazy("Done")
        FAILED = "failed", gettext_lazy("Failed")

    OPEN_STATES = (State.QUEUED, State.RUNNING)

    kind = models.CharField(max_length=60)
    key = models.CharField(max_length=100)
    args = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    attempts = models.PositiveIntegerField(default=0)
    done_steps = models.PositiveIntegerField(default=0)
    total_steps = models.PositiveIntegerField(default=0)
    message = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    run_after = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    # Since when it has only waited for what another holds, attempt after attempt.
    busy_since = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        permissions = [("retry_job", gettext_lazy("Can queue failed work again"))]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "key"],
                condition=Q(state__in=["queued", "running"]),
                name="one_open_job_per_kind_and_key",
                violation_error_message=gettext_lazy(
                    "This work is already waiting or running."
                ),
            ),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed"]),
                name="job_state_is_known",
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
    """When the worker of a running job was last heard of.

    A row of its own: the job's own row may be held for as long as a part of the work
    takes, and a sign of life must never wait for that.
    """

    job = models.OneToOneField(
        Job, on_delete=models.CASCADE, primary_key=True, related_name="sign_of_life"
    )
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.job_id}: {self.at:%H:%M:%S}"
