#!/bin/sh
# Asks the control plane for a one-time token for each probe named, into the volume that this probe reads: enrol.sh NAME ...
set -eu
umask 077
for name in "$@"; do
  rm -f "/enrolment/$name"
  plumb probe enrolment "$name" --out "/enrolment/$name"
done
