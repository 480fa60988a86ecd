"""Whether the broker can be reached, in a sentence."""

import re

import redis
from django.conf import settings
from django.utils.translation import gettext as _


def broker_problem() -> str:
    """Return what is wrong with Redis, or "" if nothing is or it is not used."""
    if not settings.REDIS_URL:
        return ""
    try:
        client = redis.Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=2, retry=None
        )
        client.ping()
    except (redis.RedisError, ValueError, OSError) as error:
        return _(
            "Redis at {without_password} cannot be used: "
            "{error}. "
            "Start it, or correct REDIS_URL."
        ).format(without_password=_without_password(settings.REDIS_URL), error=error)
    return ""


def _without_password(url: str) -> str:
    return re.sub(r"//[^@/]*@", "//", url)
