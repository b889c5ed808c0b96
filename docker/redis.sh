#!/bin/sh
# The password goes in by stdin: an argv can be read by every process.
set -eu
{
  echo 'appendonly yes'
  echo 'appendfsync everysec'
  echo 'save ""'
  echo 'maxmemory-policy noeviction'
  echo "requirepass $(cat /keys/redis)"
} | exec redis-server -
