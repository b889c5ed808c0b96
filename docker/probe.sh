#!/bin/sh
# Enrols once, then is a probe. PLUMBLINE_NAME, PLUMBLINE_SITE and PLUMBLINE_ADDRESS (an IP of this container) say which.
set -eu
: "${PLUMBLINE_NAME:?the name of this probe}" "${PLUMBLINE_SITE:?its site}" "${PLUMBLINE_ADDRESS:?its address, an IP literal}"
if [ ! -e /data/identity/identity.json ]; then
  : "${PLUMBLINE_SERVER:?address of the control plane, to enrol}"
  plumb probe enrol --server "$PLUMBLINE_SERVER" --token-file "/enrolment/$PLUMBLINE_NAME" --data-dir /data
fi
exec plumb probe --name "$PLUMBLINE_NAME" --site "$PLUMBLINE_SITE" --listen "$PLUMBLINE_ADDRESS:7430" \
  --endpoint "main=$PLUMBLINE_ADDRESS" --data-dir /data "$@"
