from ratings_site.common.models.act import PendingAct
from ratings_site.common.models.audit import AuditEntry
from ratings_site.common.models.job import Job
from ratings_site.common.models.user import User

__all__ = ["AuditEntry", "Job", "PendingAct", "User"]
