"""Settings: everything that differs between machines comes from the environment.

docs/operations.md lists the variables. Without any of them the office runs on
SQLite with the task worker inside the web process.
"""

import secrets
from datetime import time
from pathlib import Path

import environs
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from kombu import Queue
from redis.backoff import NoBackoff
from redis.retry import Retry

from ratings_site import public
from ratings_site.common.jobs.lanes import LANES, LETTERS

BASE_DIR = Path(__file__).resolve().parent.parent

env = environs.Env()


def _database() -> dict:
    url = env.str("DATABASE_URL", "")
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": DATA_DIR / "office.sqlite3",
            # To open it takes longer than a kept page does.
            "CONN_MAX_AGE": 60,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                # Pages have many more queries than the 128 that are kept ready.
                "cached_statements": 1000,
                # 64 MB of pages: the indexes of a long ledger do not fit into less.
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
        database = env.dj_db_url("DATABASE_URL")
    except (environs.EnvError, ValueError) as error:
        raise ImproperlyConfigured(f"DATABASE_URL cannot be read: {error}") from None
    if not database.get("NAME"):
        raise ImproperlyConfigured(
            "DATABASE_URL names no database: add /name at its end."
        )
    # PostgreSQL's compiler of queries takes seconds where a page takes milliseconds.
    # And to read some rows here and there is cheap today, in memory or on a disk
    # without a moving arm; by its default it reads whole tables instead. Helpers that
    # share a query take longer to begin than a page has.
    database["OPTIONS"] = {
        "connect_timeout": 5,
        "options": "-c jit=off -c random_page_cost=1.1 -c parallel_setup_cost=30000",
        **database.get("OPTIONS", {}),
    }
    database["CONN_MAX_AGE"] = 60
    # A connection that was cut since the last request is opened again, unnoticed.
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
    # The embedded office keeps a key of its own, so that sign-ins survive a restart.
    path = DATA_DIR / "secret_key"
    if not path.exists():
        path.write_text(secrets.token_urlsafe(50))
        path.chmod(0o600)
    return path.read_text()


DATA_DIR = Path(env.str("DATA_DIR", str(BASE_DIR / "var")))
DATA_DIR.mkdir(parents=True, exist_ok=True)

DEBUG = env.bool("DEBUG", False)
SECRET_KEY = _secret_key()
# Keys of before: what they signed or encrypted can be read, nothing new is.
SECRET_KEY_FALLBACKS = [
    key.strip() for key in env.list("SECRET_KEY_FALLBACKS", []) if key.strip()
]
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", [])
CSRF_FAILURE_VIEW = "ratings_site.common.acts.views.out_of_date"
HTTPS = env.bool("HTTPS", False)

DATABASES = {"default": _database()}
REDIS_URL = _redis_url()
EMBEDDED_WORKER = not REDIS_URL
# So many seconds a public page is kept at most, 0: not at all; in each process so many
# pages, without Redis. None is shown after an act that changes it, however long.
PAGE_CACHE_SECONDS = env.int("PAGE_CACHE_SECONDS", 600)
PAGE_CACHE_ENTRIES = env.int("PAGE_CACHE_ENTRIES", 1_000)
PUBLIC_PAGES = public.PUBLIC_PAGES
TABLES_NOT_SHOWN = public.TABLES_NOT_SHOWN
# In the database, so that all processes count sign-ins together, and go on counting
# after a restart and while Redis is away.
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
            "serializer": "ratings_site.common.web.kept.AsItIs",
            # A page is made sooner than somebody waits for Redis.
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
    "csp",
    "ratings_site.apps.RoofConfig",
    "ratings_site.common",
    "players",
    "events",
    "ratings",
]

MIDDLEWARE = [
    "ratings_site.common.web.middleware.RequestIdMiddleware",
    "ratings_site.common.web.middleware.EncodedHeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "ratings_site.common.web.gate.PublicPagesMiddleware",
    "ratings_site.common.web.gate.OfficeMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "ratings_site.common.sign_in.gate.SecondFactorMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "ratings_site.common.sign_in.gate.KeptFormMiddleware",
    "csp.middleware.CSPMiddleware",
    "ratings_site.common.web.middleware.RefusedFormMiddleware",
    "ratings_site.common.web.middleware.PrivatePagesMiddleware",
    "ratings_site.common.api_keys.gate.ApiMiddleware",
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
                "events.office.context.office",
            ],
        },
    },
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
# An address counts once a code that was mailed to it has been typed here.
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_CHANGE = True
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
ACCOUNT_CHANGE_EMAIL = True
# A session that somebody finds open does not move the account to another address.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_LOGOUT_ON_GET = False
# Mostly by address: a mistyped name must not lock a colleague out.
FAILED_SIGN_INS_AN_HOUR = 50
ACCOUNT_RATE_LIMITS = {"login_failed": f"10/5m/ip,{FAILED_SIGN_INS_AN_HOUR}/h/key"}
MFA_ADAPTER = "ratings_site.common.sign_in.adapter.OfficeMFAAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_TOTP_ISSUER = "Ratings office"
# Clocks differ: the code before and the one after count too.
MFA_TOTP_TOLERANCE = 1
# Browsers give passkeys to HTTPS and to this machine only.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS
# Those of the office work with a second factor (ratings_site.common.sign_in.gate).
# The demo switches it off; production does not start without it.
REQUIRE_SECOND_FACTOR = env.bool("REQUIRE_SECOND_FACTOR", True)

# A job whose worker gave no sign of life for this long is taken by another.
JOB_STALE_SECONDS = env.float("JOB_STALE_SECONDS", 30.0)
JOB_SWEEP_SECONDS = env.float("JOB_SWEEP_SECONDS", 5.0)

# The table of jobs is the queue (ratings_site.common.jobs.services); a message only
# wakes a worker. So no result is stored, and a lost message loses nothing.
CELERY_BROKER_URL = REDIS_URL or "memory://"
CELERY_TASK_QUEUES = [Queue(lane) for lane in LANES]
CELERY_TASK_DEFAULT_QUEUE = LETTERS
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# An unreachable broker must not keep a person waiting: the sweep sends again.
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.2}
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"polling_interval": 0.1}
    if EMBEDDED_WORKER
    else {
        "visibility_timeout": 300,
        "socket_connect_timeout": 2,
        # A worker for several lanes looks into them in their order.
        "queue_order_strategy": "priority",
    }
)
CELERY_BEAT_SCHEDULE = {
    "sweep-jobs": {"task": "common.sweep_jobs", "schedule": JOB_SWEEP_SECONDS},
    "queue-the-night": {"task": "common.queue_the_night", "schedule": 60.0},
}

# When nightly work begins, in UTC (ratings_site.common.jobs.nightly).
NIGHTLY_AT = _nightly_at()
# So many days a bulk file of open data stays after a newer one has been made.
OPEN_DATA_KEEP_DAYS = env.int("OPEN_DATA_KEEP_DAYS", 7)

# To receivers of webhooks on the same machine or network, also without HTTPS. Only for
# trying things out: it lets every account holder reach what only this machine may.
WEBHOOKS_TO_PRIVATE_ADDRESSES = env.bool("WEBHOOKS_TO_PRIVATE_ADDRESSES", False)
# A webhook whose receiver has failed for so many days is switched off.
WEBHOOK_PATIENCE_DAYS = env.int("WEBHOOK_PATIENCE_DAYS", 5)

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en-us"
LANGUAGES = [("en", "English"), ("es", "Español")]
LOCALE_PATHS = [BASE_DIR / "ratings_site" / "locale"]
# Numbers keep their point in every language: see there.
FORMAT_MODULE_PATH = "ratings_site.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
# Hashed names need collectstatic, which tests and a developer's DEBUG do without.
# Whether forgetting a member takes the name away as well.
FORGET_NAMES = env.bool("FORGET_NAMES", False)
HASHED_STATIC = env.bool("HASHED_STATIC", False)
STORAGES = {
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
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
# Other services of the federation may live on subdomains without HTTPS.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None

# A report of 4,500 players and the three files around it fit well within these.
DATA_UPLOAD_MAX_MEMORY_SIZE = 5_000_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 2_500_000

EMAIL_BACKEND = env.str(
    "EMAIL_BACKEND", "django.core.mail.backends.console.EmailBackend"
)
DEFAULT_FROM_EMAIL = env.str("MAIL_FROM", "Ratings office <office@localhost>")
# The server that takes the office's e-mails, if the backend speaks SMTP.
EMAIL_HOST = env.str("EMAIL_HOST", "localhost")
EMAIL_PORT = env.int("EMAIL_PORT", 25)
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", False)
EMAIL_TIMEOUT = 20
# What tells very many at once (a rerate, a list) is mailed at this pace.
NOTICE_MAILS_A_MINUTE = env.int("NOTICE_MAILS_A_MINUTE", 1000)
# Where links in e-mails lead.
SITE_URL = env.str("SITE_URL", "http://127.0.0.1:8000").rstrip("/")

DJANGO_TABLES2_TEMPLATE = "partials/table.html"
DJANGO_TABLES2_TABLE_ATTRS = {"class": "table"}

RATING_EDITION = env.str("RATING_EDITION", "2025-07-26")
# A finished rerate that changes at most so many ratings in whole numbers publishes
# itself; 0 means that a person always does.
RERATE_AUTO_PUBLISH_UP_TO = env.int("RERATE_AUTO_PUBLISH_UP_TO", 0)

# A FIDE list that names fewer players is refused: it cannot be whole.
FIDE_LIST_LEAST_ROWS = env.int("FIDE_LIST_LEAST_ROWS", 1)

# A file or feed of members that would change a larger share of them is entered only if
# somebody says that this is meant.
INTAKE_MOST_CHANGED = env.float("INTAKE_MOST_CHANGED", 0.5)
# So many days after the decision what its rows say of people is thrown away; the file
# itself stays unless a number of days is given.
INTAKE_ROWS_DAYS = env.int("INTAKE_ROWS_DAYS", 90)
INTAKE_KEEP_DAYS = env.int("INTAKE_KEEP_DAYS", None)

# The official list of a month says what had been rated by this weekday of the month
# before. On it are members whose membership ended at most so many months before.
LIST_CUT_OFF = env.str("LIST_CUT_OFF", "3 wednesday 23:45 America/Chicago")
LIST_MEMBERSHIP_MONTHS = env.int("LIST_MEMBERSHIP_MONTHS", 3)
# A top list has so many places, and by default no provisional ratings.
TOP_LIST_LENGTH = env.int("TOP_LIST_LENGTH", 100)
TOP_LIST_ESTABLISHED = env.bool("TOP_LIST_ESTABLISHED", True)

# Whose address a request comes from: so many proxies append to X-Forwarded-For.
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXIES", 1 if HTTPS else 0)

# Requests to the API in a day: of an address without a key, and of a new key.
API_QUOTA_WITHOUT_KEY = env.int("API_QUOTA_WITHOUT_KEY", 2_000)
API_QUOTA_WITH_KEY = env.int("API_QUOTA_WITH_KEY", 50_000)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "request_id": {"()": "ratings_site.common.web.middleware.RequestIdFilter"}
    },
    "formatters": {
        "line": {
            "format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"
        }
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["request_id"],
        }
    },
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", "WARNING")},
    "loggers": {
        "django": {"handlers": ["console"], "level": "WARNING", "propagate": False},
        # Below an error it writes a line for every page that is closed or not there.
        "django.request": {"level": "ERROR"},
        # It warns that the broker in memory has no host name.
        "kombu.connection": {"level": "ERROR"},
    },
}
