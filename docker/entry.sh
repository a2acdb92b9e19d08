#!/bin/sh
# What the container runs: `web` (and options of serve), else any command of agent-memory.
set -eu
umask 077
if [ "$#" -eq 0 ] || [ "$1" = web ]; then
  [ "$#" -eq 0 ] || shift
  set -- serve --host 0.0.0.0 --port 8765 "$@"
fi
exec agent-memory "$@"
