#!/usr/bin/env bash
# Install the office on a Debian 12 of its own by docs/production/install.sh, and start
# what the units start, until pages answer through nginx and a worker has done a job.
#
# Needs root, debootstrap, iproute2 and .venv. All of it is in memory, in namespaces of
# mounts, processes and, once packages are fetched, of the network: nothing is left.
set -euo pipefail
cd "$(dirname "$0")/../.."

say() { printf '%s %s\n' "$(date +%T)" "$*"; }

# --- Outside ---

outside() {
    local root=/mnt log tree
    # At once: whoever started this may go on to write caches into the tree.
    tree=$(mktemp)
    # Readable, though a clone may be private: install.sh asks for that and stops.
    tar -c --mode=go+rX --exclude=./.venv --exclude=./var --exclude=./.git -f "$tree" .
    mount -t tmpfs -o mode=755 tmpfs "$root"

    say "a Debian 12"
    log=$(debootstrap --variant=minbase bookworm "$root" 2>&1) || {
        tail <<<"$log" >&2
        exit 1
    }
    mkdir -p "$root/opt/ratings-office" "$root/srv/wheels"
    tar -x --no-same-owner -C "$root/opt/ratings-office" -f "$tree"
    rm "$tree"
    # The wheels of every line, also of those for Debian's Python only.
    sed 's/ *; [^\\]*/ /' requirements.txt >"$root/srv/requirements.txt"
    .venv/bin/pip download -qq -d "$root/srv/wheels" --only-binary=:all: \
        --python-version 3.11 -r "$root/srv/requirements.txt"
    # A Debian in a folder starts no services.
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
    mount -t proc proc "$root/proc"
    mount --bind /dev/pts "$root/dev/pts"
    mount -t tmpfs tmpfs "$root/dev/shm"

    inside "$root" fetch
    inside "$root" start unshare --net
    say "installed, started and answered"
}

inside() { # folder part [unshare with its options]
    "${@:3}" bash -euc '
        ip link set lo up
        exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
            PIP_NO_INDEX=1 PIP_FIND_LINKS=/srv/wheels \
            /opt/ratings-office/tests/tools/install_in_chroot.sh "$2"
    ' bash "$1" "$2"
}

# --- Inside ---

fetch() {
    say "program and servers"
    docs/production/install.sh program servers >/dev/null
}

start() {
    say "PostgreSQL and Redis"
    cp docs/production/postgresql.conf /etc/postgresql/15/main/conf.d/
    # Debian takes another port where this one is taken outside.
    pg_conftool 15 main set port 5432
    pg_ctlcluster 15 main start
    cat docs/production/redis.conf >>/etc/redis/redis.conf
    runuser -u redis -- redis-server /etc/redis/redis.conf

    say "office and units"
    docs/production/install.sh office units
    modes=$(stat -c '%n %a %U:%G' /etc/ratings-office*.env)
    expect "$modes" "/etc/ratings-office-owner.env 600 root:root
/etc/ratings-office.env 640 root:ratings-office"
    settings=$(sha256sum /etc/ratings-office*.env)
    say "all of it again"
    docs/production/install.sh
    expect "$(sha256sum /etc/ratings-office*.env)" "$settings"
    expect "$(grep -h PASSWORD /etc/ratings-office*.env)" "EMAIL_HOST_PASSWORD=PASSWORD"

    say "the processes of the units"
    run_unit ratings-office-web
    run_unit ratings-office-worker@ long
    proxy
    until_it_works
}

expect() { # found wanted
    [ "$1" = "$2" ] || {
        printf 'found:\n%s\nwanted:\n%s\n' "$1" "$2" >&2
        exit 1
    }
}

# Start the command of a unit as systemd would: its account, folder and environment.
run_unit() { # name [instance]
    local unit="/etc/systemd/system/$1.service" instance="${2:-}"
    value() { sed -n "s/^$1=//p" "$unit" | sed "s/%i/$instance/g"; }
    (
        cd "$(value WorkingDirectory)"
        umask "$(value UMask)"
        set -a
        for file in $(value EnvironmentFile); do
            # The values that the script writes mean the same to a shell.
            . "$file"
        done
        eval "$(value Environment)"
        set +a
        eval "exec runuser -u $(value User) -- $(value ExecStart)"
    ) &
}

proxy() {
    local key=/etc/ssl/ratings-office.key certificate=/etc/ssl/ratings-office.crt
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$key" -out "$certificate" \
        -subj /CN=ratings.example.org -addext subjectAltName=DNS:ratings.example.org \
        2>/dev/null
    ln -sf "$PWD/docs/production/nginx.conf" /etc/nginx/sites-enabled/ratings-office
    rm /etc/nginx/sites-enabled/default
    nginx -t -q
    nginx
    echo "127.0.0.1 ratings.example.org" >>/etc/hosts
}

until_it_works() {
    .venv/bin/python - <<'PYTHON'
import json, ssl, time, urllib.error, urllib.request

trusted = ssl.create_default_context(cafile="/etc/ssl/ratings-office.crt")


def page(path):
    address = f"https://ratings.example.org{path}"
    return urllib.request.urlopen(address, context=trusted, timeout=60).read().decode()


deadline = time.monotonic() + 120
while True:
    try:
        first = page("/")
        break
    except urllib.error.HTTPError as error:
        # nginx answers so until the web processes are there.
        assert error.code == 503 and time.monotonic() < deadline, error
        time.sleep(1)
assert "Ratings office" in first, first
health = json.loads(page("/health/"))
assert (health["database"], health["worker"]) == ("postgresql", "separate"), health
print("The first page and", health)
PYTHON
    say "a job"
    local job='
from ratings.lists.tasks import COUNT
from ratings_site.common.jobs.services import enqueue
print(enqueue(COUNT, key="installed").pk)'
    id=$(docs/production/install.sh manage shell -c "$job" | tail -n 1)
    for _ in $(seq 120); do
        state=$(runuser -u postgres -- psql -qtAX -c \
            "SELECT state FROM common_job WHERE id = $id" ratings_office)
        [ "$state" != done ] || return 0
        sleep 0.5
    done
    echo "The job is $state after a minute." >&2
    exit 1
}

if [ $# -eq 0 ]; then
    exec unshare --mount --pid --fork --kill-child --mount-proc "$0" outside
fi
"$1"
