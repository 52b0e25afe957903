#!/usr/bin/env bash
# A throw-away PostgreSQL server on a Unix socket, for tests: without a port, and separate from the system's server.
#   postgres.sh start [folder]     creates and starts it; prints the variables that the tests read
#   postgres.sh stop [folder]      stops it and removes its files
#   postgres.sh crash [folder]     stops it like a crash and starts it again
#   postgres.sh standby [folder]   adds a standby that follows it, and prints its address
# The folder identifies the server; the default is .build/postgres. Requires Debian's package postgresql.
# If pgbouncer is installed, one in transaction mode is started in front of the server. Used as:
#   eval "$(Scripts/postgres.sh start)"
# Both run as the user postgres when started by root, because they refuse to run as root.
set -euo pipefail

verb=${1:-}
folder=${2:-$(cd "$(dirname "$0")/.." && pwd)/.build/postgres}

# Debian installs the server's programs outside PATH, in one folder per version.
newest=$(find /usr/lib/postgresql -mindepth 1 -maxdepth 1 2>/dev/null | sort -V | tail -n 1)
[ -n "$newest" ] && PATH=$newest/bin:$PATH

as_server() {
    if [ "$(id -u)" -eq 0 ]; then
        (cd / && setpriv --reuid=postgres --regid=postgres --init-groups "$@")
    else
        "$@"
    fi
}

require() {
    command -v pg_ctl >/dev/null && return
    echo "pg_ctl is not installed; install the package postgresql (or postgresql-15)" >&2
    exit 1
}

# The socket's path may have at most 107 bytes, which the checkout's path may exceed.
socket=/tmp/patchbay-postgres-$(printf '%s' "$folder" | cksum | cut -d ' ' -f 1)

server() { as_server pg_ctl --pgdata "$data" --silent --wait "$@"; }

data=$socket/data

make() {
    mkdir -p "$socket"
    chmod 755 "$socket"
    [ "$(id -u)" -eq 0 ] && chown postgres "$socket"
    as_server initdb --pgdata "$data" --encoding UTF8 --locale C.UTF-8 --auth trust --username postgres \
        --data-checksums >/dev/null
    as_server tee -a "$data/postgresql.conf" >/dev/null <<CONF
listen_addresses = ''
unix_socket_directories = '$socket'
max_connections = 400
shared_buffers = 64MB
CONF
    # One user has the password "open sesame", for the tests of passwords.
    as_server tee "$data/pg_hba.conf" >/dev/null <<CONF
local all guarded scram-sha-256
local all all trust
local replication all trust
CONF
    server --log "$socket/log" start
    as_server psql --host "$socket" --username postgres --quiet --dbname postgres \
        --command "CREATE ROLE guarded LOGIN PASSWORD 'open sesame'" >/dev/null
}

start_pooler() {
    command -v pgbouncer >/dev/null || return 0
    as_server tee "$socket/pgbouncer.ini" >/dev/null <<CONF
[databases]
* = host=$socket user=postgres
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = $socket
auth_type = any
pool_mode = transaction
max_client_conn = 1000
default_pool_size = 40
logfile = $socket/pgbouncer.log
pidfile = $socket/pgbouncer.pid
CONF
    # After a restart of the machine, the file is there without the process.
    if ! kill -0 "$(cat "$socket/pgbouncer.pid" 2>/dev/null)" 2>/dev/null; then
        rm -f "$socket/pgbouncer.pid" "$socket/.s.PGSQL.6432"
        as_server pgbouncer --daemon --quiet "$socket/pgbouncer.ini"
    fi
    echo "export PATCHBAY_PGBOUNCER='host=$socket port=6432 user=postgres dbname=postgres'"
}

stop_pooler() {
    [ -e "$socket/pgbouncer.pid" ] && kill "$(cat "$socket/pgbouncer.pid")" 2>/dev/null || true
}

standby() {
    mkdir -p "$socket/standby"
    [ "$(id -u)" -eq 0 ] && chown postgres "$socket/standby"
    as_server pg_basebackup --host "$socket" --username postgres --pgdata "$socket/standby/data" \
        --write-recovery-conf --checkpoint fast
    as_server sed -i "s,^unix_socket_directories.*,unix_socket_directories = '$socket/standby'," \
        "$socket/standby/data/postgresql.conf"
    as_server pg_ctl --pgdata "$socket/standby/data" --silent --wait --log "$socket/standby/log" start
    echo "export PATCHBAY_STANDBY='host=$socket/standby user=postgres dbname=postgres'"
}

start() {
    if [ ! -d "$data" ]; then
        make
    elif ! server status >/dev/null 2>&1; then
        server --log "$socket/log" start
    fi
    echo "export PATCHBAY_POSTGRES='host=$socket user=postgres dbname=postgres'"
    start_pooler
}

require
case $verb in
start) start ;;
standby) standby ;;
crash)
    server --mode immediate stop
    server --log "$socket/log" start
    ;;
stop)
    if [ -d "$data" ]; then
        stop_pooler
        [ -d "$socket/standby/data" ] &&
            as_server pg_ctl --pgdata "$socket/standby/data" --silent --wait --mode fast stop || true
        server --mode fast stop || true
        rm -rf "$socket"
    fi
    ;;
*)
    sed -n '2,10p' "$0" | sed 's/^# \{0,1\}//'
    exit 2
    ;;
esac
