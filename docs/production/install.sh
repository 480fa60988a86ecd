#!/usr/bin/env bash
# Install the office on Debian 12, as root, from a checkout in /opt/ratings-office:
#
#   docs/production/install.sh             all steps below
#   docs/production/install.sh program     account, virtual environment, static files
#   docs/production/install.sh servers     PostgreSQL, Redis and nginx of Debian
#   docs/production/install.sh office      settings with new passwords, database, tables
#   docs/production/install.sh units       systemd units, started where systemd runs
#   docs/production/install.sh manage ...  run manage.py as the owner of the database
#
# Every step can run again. Settings that exist are never overwritten. SITE names the
# site when the settings are first written: SITE=ratings.example.org install.sh
set -euo pipefail
umask 022

readonly ROOT=/opt/ratings-office ACCOUNT=ratings-office DATA=/var/lib/ratings-office
readonly WEB_SETTINGS=/etc/ratings-office.env OWNER_SETTINGS=/etc/ratings-office-owner.env
readonly LANES=(ratings letters webhooks long)

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

packages() { # install what is missing
    local missing=() package
    for package in "$@"; do
        dpkg -s "$package" 2>/dev/null | grep -q '^Status: .* installed$' ||
            missing+=("$package")
    done
    [ "${#missing[@]}" -eq 0 ] && return
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${missing[@]}"
}

random() { python3 -c 'import secrets; print(secrets.token_urlsafe(50))'; }

as_account() { runuser -u "$ACCOUNT" -- env DATA_DIR="$DATA" HASHED_STATIC=true "$@"; }

program() {
    packages python3-venv ca-certificates
    getent passwd "$ACCOUNT" >/dev/null ||
        useradd --system --user-group --home-dir "$DATA" --shell /usr/sbin/nologin \
            "$ACCOUNT"
    install -d -m 750 -o "$ACCOUNT" -g "$ACCOUNT" "$DATA"
    runuser -u "$ACCOUNT" -- test -r manage.py ||
        fail "The account $ACCOUNT cannot read $ROOT. Run: chmod -R go+rX $ROOT"
    [ -x .venv/bin/python ] || python3 -m venv .venv
    .venv/bin/pip install -q --disable-pip-version-check -r requirements.txt
    # The account cannot write here, so compile once now and not at every start.
    .venv/bin/python -m compileall -q events players ratings ratings_site
    # This key signs nothing; the settings only require one.
    as_account SECRET_KEY="$(random)" DATABASE_URL= \
        .venv/bin/python manage.py collectstatic --noinput --verbosity 0
}

servers() { packages postgresql redis-server nginx-light; }

settings_from_template() { # file group mode
    [ ! -e "$1" ] || return 0
    (
        umask 077
        sed -e "s|^SECRET_KEY=.*|SECRET_KEY=$(random)|" \
            -e "/^DATABASE_URL=/s|PASSWORD|$(random)|" \
            -e "s|ratings\.example\.org|${SITE:-ratings.example.org}|g" \
            "docs/production/$(basename "$1")" >"$1.new"
        chown "root:$2" "$1.new"
        chmod "$3" "$1.new"
        mv "$1.new" "$1"
    )
}

database_password() { # settings file
    .venv/bin/python - "$1" <<'PYTHON'
import sys
from urllib.parse import unquote, urlsplit

for line in open(sys.argv[1]):
    if line.startswith("DATABASE_URL="):
        url = urlsplit(line.partition("=")[2].strip())
if url.hostname not in ("127.0.0.1", "localhost", "::1"):
    sys.exit(3)  # the database is on another machine
print(unquote(url.password))
PYTHON
}

local_database() {
    local owner web
    owner=$(database_password "$OWNER_SETTINGS") || {
        [ $? -eq 3 ] || fail "$OWNER_SETTINGS has no DATABASE_URL with a password."
        say "The database is on another machine: create roles there with roles.sql."
        return 0
    }
    web=$(database_password "$WEB_SETTINGS") ||
        fail "$WEB_SETTINGS has no DATABASE_URL of the same machine with a password."
    OWNER_PASSWORD=$owner WEB_PASSWORD=$web runuser -u postgres -- \
        psql -q -X -v ON_ERROR_STOP=1 -f docs/production/roles.sql postgres
}

export_settings() { # file: as systemd reads it, no shell expands anything
    local line value
    while IFS= read -r line; do
        [[ $line =~ ^[A-Z_]+= ]] || continue
        value=${line#*=}
        [[ $value =~ ^\"(.*)\"$ ]] && value=${BASH_REMATCH[1]}
        export "${line%%=*}=$value"
    done <"$1"
}

manage() { # manage.py with the owner's DATABASE_URL
    (
        export_settings "$WEB_SETTINGS"
        export_settings "$OWNER_SETTINGS"
        as_account .venv/bin/python manage.py "$@"
    )
}

office() {
    settings_from_template "$WEB_SETTINGS" "$ACCOUNT" 640
    settings_from_template "$OWNER_SETTINGS" root 600
    local_database
    manage migrate --verbosity 0
    manage grant_web_role ratings_office_web
}

units() {
    install -m 644 docs/production/*.{service,socket} /etc/systemd/system/
    if [ ! -d /run/systemd/system ]; then
        say "systemd does not run here: the units are copied and not started."
        return
    fi
    systemctl daemon-reload
    systemctl enable --now ratings-office-web.socket ratings-office-web.service \
        "${LANES[@]/#/ratings-office-worker@}"
}

cd "$(dirname "$0")/../.."
[ "$(id -u)" -eq 0 ] || fail "Run this as root."
[ "$(pwd -P)" = "$ROOT" ] ||
    fail "The units expect the program in $ROOT. Clone it there, and run the script again."

if [ "${1:-}" = manage ]; then
    "$@"
    exit
fi
[ $# -gt 0 ] || set -- program servers office units
for step in "$@"; do
    case $step in
        program | servers | office | units) "$step" ;;
        *) fail "There is no step $step. The steps are: program servers office units" ;;
    esac
done
