#!/bin/sh
# Plays a tool: prints what the real one printed once (the file beside it), and fails on demand.
# Linked under the names of the tools. PLAY_<TOOL> says how: fail (half of the output, exit status 1),
# hang, deaf (hangs, and SIGTERM does not end it), full (the words of a full medium).
PATH=/usr/bin:/bin
tool=${0##*/}
case "$*" in --version | -V | -v) echo "$tool of the players, version 1.0" && exit ;; esac
for word; do
  case $word in of=* | --filename=*) file=${word#*=} ;; esac
  [ "$before" = -f ] && file=$word
  before=$word
done
[ -n "$file" ] && printf x > "$file"
case $tool in dd) how=$PLAY_DD ;; fio) how=$PLAY_FIO ;; iozone) how=$PLAY_IOZONE ;; *) how=$PLAY_HDPARM ;; esac
[ "$how" = deaf ] && trap '' TERM
case $how in hang | deaf) while :; do sleep 0.05; done ;; esac
[ "$how" = full ] && echo "$tool: writing 'test': No space left on device" && exit 1
[ "$how" = fail ] && head -c 60 "$0.txt" && exit 1
cat "$0.txt"
