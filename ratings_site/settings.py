"""Django settings. What differs between machines comes from the environment.

docs/operations.md lists the variables. Without any of them the site runs on SQLite
with the job worker inside the web process.
"""

import secrets
import tomllib
from contextlib import suppress
from datetime import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import environs
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from kombu import Queue
from redis.backoff import NoBackoff
from redis.retry import Retry

from ratings_site import public_pages
from ratings_site.common.jobs.queues import LETTERS, QUEUES

BASE_DIR = Path(__file__).resolve().parent.parent
_PROJECT = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())
VERSION = _PROJECT["project"]["version"]

env = environs.Env()


def _make_private(path: Path) -> None:
    """Create a file if needed; make it and its SQLite journals readable by us only."""
    if not path.exists():
        path.touch(mode=0o600)
    for file in path.parent.glob(f"{path.name}*"):
        with suppress(PermissionError):  # owned by another account
            file.chmod(0o600)


def _database() -> dict[str, Any]:
    url = env.str("DATABASE_URL", "")
    if not url:
        path = DATA_DIR / "office.sqlite3"
        _make_private(path)  # SQLite gives its journals the same mode
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": path,
            # Opening it takes longer than serving a cached page.
            "CONN_MAX_AGE": 60,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                # Pages use many more statements than the default of 128.
                "cached_statements": 1000,
                # 64 MB of pages: the indexes of a long ledger need as much.
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
                "PRAGMA cache_size=-65536;",
            },
        }
    if not url.startswith(("postgres://", "postgresql://")):
        raise ImproperlyConfigured(
            "DATABASE_URL must look like postgresql://user:password@host:5432/name "
            "(leave it empty for SQLite)."
        )
    try:
        database: dict[str, Any] = env.dj_db_url("DATABASE_URL")
    except (environs.EnvError, ValueError) as error:
        raise ImproperlyConfigured(f"DATABASE_URL cannot be read: {error}") from None
    if not database.get("NAME"):
        raise ImproperlyConfigured(
            "DATABASE_URL names no database: add /name at its end."
        )
    # JIT compilation takes seconds where a page takes milliseconds. Random reads are
    # cheap in memory and on SSDs, so index scans should beat sequential ones. Parallel
    # workers take longer to start than a page has.
    database["OPTIONS"] = {
        "connect_timeout": 5,
        "options": "-c jit=off -c random_page_cost=1.1 -c parallel_setup_cost=30000",
        **database.get("OPTIONS", {}),
    }
    database["CONN_MAX_AGE"] = 60
    # Reopen a connection that was lost since the last request.
    database["CONN_HEALTH_CHECKS"] = True
    return database


def _redis_url() -> str:
    url = env.str("REDIS_URL", "")
    if url and not url.startswith(("redis://", "rediss://", "unix://")):
        raise ImproperlyConfigured(
            "REDIS_URL must look like redis://host:6379/0 (leave it empty for the "
            "worker inside the web process)."
        )
    return url


def _nightly_at() -> time | None:
    written = env.str("NIGHTLY_AT", "03:30")
    try:
        return time.fromisoformat(written) if written else None
    except ValueError:
        raise ImproperlyConfigured(
            "NIGHTLY_AT must be a time such as 03:30, in UTC (leave it empty for no "
            "nightly work)."
        ) from None


def _secret_key() -> str:
    key = env.str("SECRET_KEY", "")
    if key:
        return key
    if env.str("DATABASE_URL", ""):
        raise ImproperlyConfigured(
            "SECRET_KEY is missing: set it to a long random text, the same on every "
            "machine of the office."
        )
    # Without a server the key is stored, so that sessions survive a restart.
    path = DATA_DIR / "secret_key"
    _make_private(path)
    if not path.read_text():
        path.write_text(secrets.token_urlsafe(50))
    return path.read_text()


def _upload_storage() -> dict[str, Any]:
    if not UPLOADS_S3_BUCKET:
        return {"BACKEND": "ratings_site.common.uploads.storage.DatabaseStorage"}
    if not (find_spec("storages") and find_spec("boto3")):
        raise ImproperlyConfigured(
            "UPLOADS_S3_BUCKET needs two packages more. Install them with: make s3"
        )
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": UPLOADS_S3_BUCKET,
            "endpoint_url": env.str("UPLOADS_S3_ENDPOINT", None),
            "region_name": env.str("UPLOADS_S3_REGION", None),
            # The bucket's policy controls access; files are never overwritten.
            "default_acl": None,
            "file_overwrite": False,
        },
    }


def _active_months() -> int:
    months: int = env.int("TOP_LIST_ACTIVE_MONTHS", 13)
    if not 0 <= months <= 600:
        raise ImproperlyConfigured(
            "TOP_LIST_ACTIVE_MONTHS must be between 0 and 600 (0 shows all members)."
        )
    return months


def _upload_retention() -> dict[str, int | None]:
    days = dict(UPLOAD_RETENTION_DEFAULTS)
    if (kept := env.int("INTAKE_KEEP_DAYS", None)) is not None:  # the former name
        days |= dict.fromkeys(
            ("members", "affiliates", "directors", "invitations"), kept
        )
    given: dict[str, str] = env.dict("UPLOAD_RETENTION_DAYS", {})
    for kind, written in given.items():
        if kind not in days or not (written == "never" or written.isdecimal()):
            raise ImproperlyConfigured(
                "UPLOAD_RETENTION_DAYS must look like members=90,fide=never. The kinds "
                f"of files are {', '.join(days)}."
            )
        days[kind] = None if written == "never" else int(written)
    return days


DATA_DIR = Path(env.str("DATA_DIR", str(BASE_DIR / "var")))
DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)

DEBUG = env.bool("DEBUG", False)
SECRET_KEY = _secret_key()
# Former keys still verify and decrypt; only SECRET_KEY signs and encrypts.
_earlier_keys: list[str] = env.list("SECRET_KEY_FALLBACKS", [])
SECRET_KEY_FALLBACKS = [key.strip() for key in _earlier_keys if key.strip()]
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", [])
CSRF_FAILURE_VIEW = "ratings_site.common.approvals.views.csrf_failure"
HTTPS = env.bool("HTTPS", False)

DATABASES = {"default": _database()}
REDIS_URL = _redis_url()
EMBEDDED_WORKER = not REDIS_URL
# Longest time a public page is cached (0 turns the cache off), and the most pages per
# process without Redis. A page is never served after a change to what it shows.
PAGE_CACHE_SECONDS = env.int("PAGE_CACHE_SECONDS", 600)
PAGE_CACHE_ENTRIES = env.int("PAGE_CACHE_ENTRIES", 1_000)
PUBLIC_PAGES = public_pages.PUBLIC_PAGES
PRIVATE_TABLES = public_pages.PRIVATE_TABLES
READ_ONLY_VIEWS = public_pages.READ_ONLY_VIEWS
# In the database, so that all processes share the rate limits of sign-ins, also after
# a restart and while Redis is down.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "office_cache",
        "OPTIONS": {"MAX_ENTRIES": 50_000},
    },
    "pages": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "office-pages",
        "OPTIONS": {
            "serializer": "ratings_site.common.web.page_cache.BytesSerializer",
            # Rendering a page takes less time than waiting for Redis.
            "socket_connect_timeout": 0.2,
            "socket_timeout": 0.5,
            "retry": Retry(NoBackoff(), 0),
        },
    }
    if REDIS_URL
    else {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "OPTIONS": {"MAX_ENTRIES": PAGE_CACHE_ENTRIES},
    },
}

INSTALLED_APPS = [
    "ratings_site.apps.OfficeAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.sitemaps",
    "django_htmx",
    "django_tables2",
    "django_filters",
    "ninja",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.idp.oidc",
    "csp",
    "ratings_site.apps.SiteConfig",
    "ratings_site.common",
    "players",
    "events",
    "ratings",
]

MIDDLEWARE = [
    "ratings_site.common.web.middleware.RequestIdMiddleware",
    "ratings_site.common.monitoring.middleware.MonitoringMiddleware",
    "ratings_site.common.jobs.health.HealthMiddleware",
    "ratings_site.common.web.middleware.EncodedHeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "ratings_site.common.web.site_middleware.PublicPagesMiddleware",
    "ratings_site.common.web.site_middleware.OfficeMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "ratings_site.common.web.site_middleware.ReadOnlyMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "ratings_site.common.sign_in.middleware.SecondFactorMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "ratings_site.common.sign_in.middleware.PendingFormMiddleware",
    "csp.middleware.CSPMiddleware",
    "ratings_site.common.web.middleware.InvalidFormMiddleware",
    "ratings_site.common.web.middleware.PrivatePagesMiddleware",
    "ratings_site.common.api_keys.middleware.ApiMiddleware",
    "players.models.name_viewer.NameViewerMiddleware",
    "ratings_site.common.web.middleware.NulMiddleware",
]

ROOT_URLCONF = "ratings_site.urls"
WSGI_APPLICATION = "ratings_site.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "events.review.context_processors.office",
                "ratings.home.context_processors.navigation",
            ],
            # Their tags and filters need no {% load %}.
            "builtins": [
                "django.contrib.humanize.templatetags.humanize",
                "django.templatetags.i18n",
                "django.templatetags.static",
                "ratings_site.common.templatetags.office",
            ],
        },
    }
]

AUTH_USER_MODEL = "common.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_SIGNUP_REDIRECT_URL = "events:welcome"
ACCOUNT_ADAPTER = "ratings_site.common.sign_in.adapter.OfficeAccountAdapter"
ACCOUNT_FORMS = {
    name: f"ratings_site.common.accounts.forms.Office{form}Form"
    for name, form in {
        "login": "Login",
        "signup": "Signup",
        "add_email": "AddEmail",
        "change_password": "ChangePassword",
        "set_password": "SetPassword",
        "reset_password": "ResetPassword",
        "reset_password_from_key": "ResetPasswordKey",
        "confirm_email_verification_code": "ConfirmCode",
        "change_email": "ChangeEmail",
        "reauthenticate": "Reauthenticate",
    }.items()
}
MFA_FORMS = {
    "activate_totp": "ratings_site.common.accounts.forms.OfficeActivateForm",
    "authenticate": "ratings_site.common.accounts.forms.OfficeAuthenticateForm",
    "reauthenticate": (
        "ratings_site.common.accounts.forms.OfficeReauthenticateByCodeForm"
    ),
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "username*", "password1*", "password2*"]
# An email address has to be verified with a code.
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_CHANGE = True
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
ACCOUNT_CHANGE_EMAIL = True
# An unattended session must not change the account's address.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_LOGOUT_ON_GET = False
# Mainly per IP address, so that wrong passwords cannot lock out an account's owner.
FAILED_SIGN_INS_PER_HOUR = 50
# Fewer for second factors, because only someone with the password can enter codes.
WRONG_CODES_PER_HOUR = 10
WRONG_CODES_BEFORE_LETTER = 5
ACCOUNT_RATE_LIMITS = {
    "login_failed": f"10/5m/ip,{FAILED_SIGN_INS_PER_HOUR}/h/key",
    "wrong_code": f"{WRONG_CODES_PER_HOUR}/h/key",
}
MFA_ADAPTER = "ratings_site.common.sign_in.adapter.OfficeMFAAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_TOTP_ISSUER = "Ratings office"
# Clocks differ, so the previous and the next code are accepted.
MFA_TOTP_TOLERANCE = 1
# Browsers support passkeys only over HTTPS and on localhost.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS
# Office accounts need a second factor (ratings_site.common.sign_in.middleware). The
# demo turns this off; production does not start without it.
REQUIRE_SECOND_FACTOR = env.bool("REQUIRE_SECOND_FACTOR", True)

# Programs and other sites sign in with an account (docs/sign-in.md).
IDP_OIDC_ADAPTER = "ratings_site.common.programs.adapter.OfficeOIDCAdapter"
# A program that is not used this long has to ask again.
IDP_OIDC_REFRESH_TOKEN_EXPIRES_IN = env.int("PROGRAM_ACCESS_DAYS", 180) * 86_400
IDP_OIDC_DEVICE_CODE_EXPIRES_IN = 600
IDP_OIDC_RATE_LIMITS = {
    "device_user_code": "10/m/ip,60/h/ip",
    "device_code": "10/m/ip",
    "token": "60/m/ip",
    "revoke": "60/m/ip",
    "userinfo": "120/m/ip",
}

# Another worker claims a job without a heartbeat for this long.
JOB_STALE_SECONDS = env.float("JOB_STALE_SECONDS", 30.0)
JOB_SWEEP_SECONDS = env.float("JOB_SWEEP_SECONDS", 5.0)

# The table of jobs is the queue (ratings_site.common.jobs.services); messages only wake
# workers. So no results are stored, and a message may be lost.
CELERY_BROKER_URL = REDIS_URL or "memory://"
CELERY_TASK_QUEUES = [Queue(queue) for queue in QUEUES]
CELERY_TASK_DEFAULT_QUEUE = LETTERS
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Requests must not wait for a broker that is down; the sweep resends the message.
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.2}
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"polling_interval": 0.1}
    if EMBEDDED_WORKER
    else {
        "visibility_timeout": 300,
        "socket_connect_timeout": 2,
        # A worker for several queues serves them in their order.
        "queue_order_strategy": "priority",
    }
)
CELERY_BEAT_SCHEDULE = {
    "sweep-jobs": {"task": "common.sweep_jobs", "schedule": JOB_SWEEP_SECONDS},
    "queue-the-night": {"task": "common.queue_the_night", "schedule": 60.0},
}

# With less free disk space at DATA_DIR, /health/ready fails.
LEAST_FREE_MB = env.int("LEAST_FREE_MB", 500)

# When nightly jobs start, in UTC (ratings_site.common.jobs.nightly).
NIGHTLY_AT = _nightly_at()
# How many days an open data file is kept after a newer one was created.
OPEN_DATA_KEEP_DAYS = env.int("OPEN_DATA_KEEP_DAYS", 7)

# Allow webhooks on this machine and network, also without HTTPS. For development only:
# it lets every account holder reach internal services.
WEBHOOKS_TO_PRIVATE_ADDRESSES = env.bool("WEBHOOKS_TO_PRIVATE_ADDRESSES", False)
# Active webhooks of all accounts together.
MOST_WEBHOOKS_IN_ALL = env.int("MOST_WEBHOOKS_IN_ALL", 2_000)
# A webhook is turned off after its receiver has failed for this many days.
WEBHOOK_PATIENCE_DAYS = env.int("WEBHOOK_PATIENCE_DAYS", 5)

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en-us"
LANGUAGES = [("en", "English"), ("es", "Español")]
LOCALE_PATHS = [BASE_DIR / "ratings_site" / "locale"]
# Numbers have a decimal point in every language.
FORMAT_MODULE_PATH = "ratings_site.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
# Whether the deletion of a member's data also removes the name.
FORGET_NAMES = env.bool("FORGET_NAMES", False)
# Hashed names need collectstatic, which tests and development do not run.
HASHED_STATIC = env.bool("HASHED_STATIC", False)
UPLOADS_S3_BUCKET = env.str("UPLOADS_S3_BUCKET", "")
STORAGES = {
    # Uploaded files (ratings_site.common.uploads).
    "uploads": _upload_storage(),
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if HASHED_STATIC
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not HASHED_STATIC

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_HTTPONLY = True
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
# The federation's subdomains may not use HTTPS.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None

# Enough for a report of 4,500 players with three files.
DATA_UPLOAD_MAX_MEMORY_SIZE = 5_000_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 2_500_000

EMAIL_BACKEND = env.str(
    "EMAIL_BACKEND", "django.core.mail.backends.console.EmailBackend"
)
DEFAULT_FROM_EMAIL = env.str("MAIL_FROM", "Ratings office <office@localhost>")
# The mail server, for the SMTP backend.
EMAIL_HOST = env.str("EMAIL_HOST", "localhost")
EMAIL_PORT = env.int("EMAIL_PORT", 25)
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", "")
# STARTTLS, or implicit TLS (port 465); never both.
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = env.bool("EMAIL_USE_SSL", False)
if EMAIL_USE_TLS and EMAIL_USE_SSL:
    raise ImproperlyConfigured(
        "EMAIL_USE_TLS and EMAIL_USE_SSL exclude each other. Keep EMAIL_USE_TLS for "
        "STARTTLS (usually port 587), or EMAIL_USE_SSL for port 465."
    )
EMAIL_TIMEOUT = 20
# The rate of emails for rerates and lists, which notify very many members.
NOTICE_MAILS_A_MINUTE = env.int("NOTICE_MAILS_A_MINUTE", 1000)
# The contact details on the help page, in one or more lines.
OFFICE_CONTACT = env.str("OFFICE_CONTACT", "").replace("\\n", "\n")
# The base URL of links in emails.
SITE_URL = env.str("SITE_URL", "http://127.0.0.1:8000").rstrip("/")

DJANGO_TABLES2_TEMPLATE = "partials/table.html"
DJANGO_TABLES2_TABLE_ATTRS = {"class": "table"}

# The currency of rating fees (ISO 4217); the fees themselves are set in the admin.
RATING_FEE_CURRENCY = env.str("RATING_FEE_CURRENCY", "USD")

RATING_EDITION = env.str("RATING_EDITION", "2025-07-26")
# What a member ID looks like, from ^ to $. Set it before the first members are added.
MEMBER_ID_PATTERN = env.str("MEMBER_ID_PATTERN", "^[1-9][0-9]{7}$")
# Whether a member with only a birth year starts as if born on July 1 of that year.
BIRTH_YEAR_AS_MID_YEAR = env.bool("BIRTH_YEAR_AS_MID_YEAR", False)
# A rerate that changes at most this many rounded ratings is published automatically; 0
# turns this off.
RERATE_AUTO_PUBLISH_UP_TO = env.int("RERATE_AUTO_PUBLISH_UP_TO", 0)

# Whether a norm title stays when a correction takes its norms away.
NORM_TITLES_FOR_LIFE = env.bool("NORM_TITLES_FOR_LIFE", True)

# A FIDE list with fewer players is refused as incomplete.
FIDE_LIST_LEAST_ROWS = env.int("FIDE_LIST_LEAST_ROWS", 1)

# A file that changes a larger share of the current members, or of the members it names,
# needs a second approval; a feed is stopped.
INTAKE_MOST_CHANGED = env.float("INTAKE_MOST_CHANGED", 0.5)
# The same for current members who become inactive or whose membership ends earlier, and
# for members who get both another name and another birth date.
INTAKE_MOST_HARMED = env.float("INTAKE_MOST_HARMED", 0.05)
# After this many hours the person who asked for the approval may import the file alone;
# 0 means that a second approval is always needed.
INTAKE_WAIT_HOURS = env.int("INTAKE_WAIT_HOURS", 0)
# The rows of an import are deleted this many days after the decision.
INTAKE_ROWS_DAYS = env.int("INTAKE_ROWS_DAYS", 90)

# Uploaded files are deleted after this many days, by kind; None: never.
UPLOAD_RETENTION_DEFAULTS = {
    "members": 365,
    "affiliates": 365,
    "directors": 365,
    "invitations": 365,
    "ratings": None,
    "history": None,
    "fide": 365,
    "reports": None,
    "foreign": None,
    "games": None,
}
UPLOAD_RETENTION_DAYS = _upload_retention()

# The cutoff of a month's official list, in the month before. The list includes members
# whose membership expired at most this many months earlier.
LIST_CUT_OFF = env.str("LIST_CUT_OFF", "3 wednesday 23:45 America/Chicago")
LIST_MEMBERSHIP_MONTHS = env.int("LIST_MEMBERSHIP_MONTHS", 3)
# Whether publishing a list needs a second approval.
LIST_SECOND_PERSON = env.bool("LIST_SECOND_PERSON", False)
# The length of top lists, which exclude provisional ratings by default.
TOP_LIST_LENGTH = env.int("TOP_LIST_LENGTH", 100)
TOP_LIST_ACTIVE_MONTHS = _active_months()
TOP_LIST_ESTABLISHED = env.bool("TOP_LIST_ESTABLISHED", True)

# How many trusted proxies append to X-Forwarded-For.
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXIES", 1 if HTTPS else 0)

# API requests per day: of an address without a key, and of an account with one.
API_QUOTA_WITHOUT_KEY = env.int("API_QUOTA_WITHOUT_KEY", 2_000)
API_QUOTA_WITH_KEY = env.int("API_QUOTA_WITH_KEY", 50_000)

# "line", or "json" for systems that collect logs.
LOG_FORMAT = env.str("LOG_FORMAT", "line")
if LOG_FORMAT not in ("line", "json"):
    raise ImproperlyConfigured("LOG_FORMAT must be line or json.")
# One log line for each request: method, path without query, status and time.
LOG_REQUESTS = env.bool("LOG_REQUESTS", False)
# The bearer token for /metrics. Without it, /metrics is off.
METRICS_TOKEN = env.str("METRICS_TOKEN", "")
if METRICS_TOKEN and not find_spec("prometheus_client"):
    raise ImproperlyConfigured(
        "METRICS_TOKEN needs another package. Install it with: make monitoring"
    )
# Where unhandled exceptions are reported.
SENTRY_DSN = env.str("SENTRY_DSN", "")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "request_id": {"()": "ratings_site.common.web.middleware.RequestIdFilter"},
        "brief": {"()": "ratings_site.common.web.middleware.BriefRefusalFilter"},
    },
    "formatters": {
        "line": {
            "format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"
        },
        "json": {"()": "ratings_site.common.monitoring.logs.JsonFormatter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["request_id", "brief"],
        }
    },
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", "WARNING")},
    "loggers": {
        "django": {"handlers": ["console"], "level": "WARNING", "propagate": False},
        "ratings_site.requests": {"level": "INFO"},
        # At WARNING it would log every 403 and 404.
        "django.request": {"level": "ERROR"},
        # It warns that the in-memory broker has no host name.
        "kombu.connection": {"level": "ERROR"},
    },
}
