#!/bin/sh
# Makes the passwords of Postgres and Redis once, in a volume that only the services share. Nothing is printed.
set -eu
umask 077
for name in postgres redis; do
  [ -s "/keys/$name" ] || head -c 24 /dev/urandom | base64 | tr -d '\n/+=' >"/keys/$name"
done
# Readable in the containers that mount the volume, and nowhere else.
chmod 0755 /keys
chmod 0444 /keys/*
