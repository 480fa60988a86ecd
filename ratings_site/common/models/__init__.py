from ratings_site.common.models.api import ApiKey, ApiKeyUse, ApiUse
from ratings_site.common.models.audit import AuditEntry
from ratings_site.common.models.group import GivenPermission
from ratings_site.common.models.job import Job, SignOfLife
from ratings_site.common.models.notice import Notice, NoticeSetting
from ratings_site.common.models.office import Office
from ratings_site.common.models.pending_act import PendingAct
from ratings_site.common.models.program import ProgramAccess, SigningKey
from ratings_site.common.models.upload import UploadPart
from ratings_site.common.models.user import User
from ratings_site.common.models.webhook import Webhook, WebhookDelivery

__all__ = [
    "ApiKey",
    "ApiKeyUse",
    "ApiUse",
    "AuditEntry",
    "GivenPermission",
    "Job",
    "Notice",
    "NoticeSetting",
    "Office",
    "PendingAct",
    "ProgramAccess",
    "SignOfLife",
    "SigningKey",
    "UploadPart",
    "User",
    "Webhook",
    "WebhookDelivery",
]
