"""The connection to the Celery broker."""

import re

import redis
from django.conf import settings
from django.utils.translation import gettext as _


def broker_problem() -> str:
    """Return why Redis cannot be reached, or "" if it can or is not used."""
    if not settings.REDIS_URL:
        return ""
    try:
        client = redis.Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=2, retry=None
        )
        client.ping()
    except (redis.RedisError, ValueError, OSError) as error:
        return _(
            "Can’t connect to Redis at {without_password}: {error}. Start Redis or "
            "correct REDIS_URL."
        ).format(
            without_password=re.sub(r"//[^@/]*@", "//", settings.REDIS_URL),
            error=str(error).rstrip("."),
        )
    return ""
