#!/bin/sh
# What the container runs: `web` (and options of serve), else any command of agent-memory.
set -eu
umask 077
if [ "$#" -eq 0 ] || [ "$1" = web ]; then
  [ "$#" -eq 0 ] || shift
  # What is printed is kept by the engine: a link that signs in is asked for, with sign-in.
  set -- serve --host 0.0.0.0 --port 8765 --no-sign-in-link "$@"
fi
exec agent-memory "$@"
