#!/bin/bash
# Runs a scene in sessions until it is done, for queues and machines without Slurm:
#
#   run_until_done.sh SCENE.json -o DIR --max-wall-time 13800 ...      arguments of merganser run
#
# Ends with the code of the last session: 75 after two sessions in a row without a step, or where a signal (Ctrl-C, the
# queue's TERM) asks it to stop; the same line goes on. MERGANSER names the executable (default: merganser from the PATH).
set -u

case ${1:-} in -h | --help) awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;; esac
output=
for ((k = 1; k <= $#; ++k)); do
  case ${!k} in
    -o | --output) next=$((k + 1)) output=${!next:-} ;;
    --output=*) output=${!k#--output=} ;;
  esac
done
: "${output:?name the folder of the run: -o DIR}"

stopped=0 caught=0 session=
# merganser writes its checkpoint and ends by itself. Where the queue has signalled it as well, USR1 is no second
# request; it comes after that, for a second one of any other kind ends merganser at once.
stop() {
  if [ "$stopped" -eq 0 ] && [ -n "$session" ]; then sleep 0.3 && kill -USR1 "$session" 2>/dev/null; fi
  stopped=1 caught=1
}
trap stop INT TERM USR1

# Its name holds the step.
newest_checkpoint() { find "$output/checkpoint" -name 'checkpoint_*.h5' 2>/dev/null | sort -V | tail -n 1; }

stalled=0 code=75
while [ "$code" -eq 75 ] && [ "$stopped" -eq 0 ] && [ "$stalled" -lt 2 ]; do
  before=$(newest_checkpoint)
  "${MERGANSER:-merganser}" run "$@" --resume &
  session=$!
  code=
  while [ -z "$code" ] || [ "$caught" -eq 1 ]; do  # a trap cuts the wait short
    caught=0
    wait "$session"
    code=$?
  done
  session=
  if [ "$(newest_checkpoint)" = "$before" ]; then stalled=$((stalled + 1)); else stalled=0; fi
done
if [ "$code" -eq 75 ] && [ "$stopped" -eq 0 ]; then
  echo "error: two sessions in a row made no step (last checkpoint: ${before:-none}); raise --max-wall-time: relaxing" \
    "particles (\"sampling\": \"relaxed\") and set-up have to end well before" >&2
fi
exit "$code"
