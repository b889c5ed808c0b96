#!/bin/sh
# The control plane on the servers that DATABASE_URL and REDIS_URL name, or on those of docker-compose.yml.
set -eu
: "${DATABASE_URL:=postgresql://app:$(cat /keys/postgres)@postgres:5432/plumbline}"
: "${REDIS_URL:=redis://:$(cat /keys/redis)@redis:6379}"
export DATABASE_URL REDIS_URL
# --behind-proxy: compose publishes the port on the host's loopback only. Elsewhere put a proxy with TLS in front.
exec plumb up --data-dir /data --host 0.0.0.0 --port 7420 --behind-proxy --no-demo "$@"
