// The emulator's language: one command a line, one answer a line.
//
//   [ab|ba] COMMAND [VALUE ...]      without ab or ba both directions change; a is the first TAP
//
//   rate BPS            bits of IP packets a second           queue BYTES       drop-tail limit of waiting packets
//   delay US            one-way, after the queue              queuetime US      the same limit as waiting time, 0 = none
//   loss RATIO          lost at random, before the queue      dup RATIO         sent twice
//   reorder RATIO US    held back by US, so overtaken         policer BPS BYTES token bucket, 0 0 = none
//   maxlen BYTES        longer packets vanish, 0 = off        wscale 0|1        0 takes the window scale out of SYNs
//   seed N              restarts the random streams           down | up         drops everything | carries again
//   reset               counters to zero                      stat              both directions as JSON
//
// Answers: "ok", "ok {JSON}" or "error SENTENCE".
#pragma once
#include <stddef.h>

#include "direction.h"

typedef struct {
  direction ab, ba;
} wan_link;

enum { ANSWER_BYTES = 4096 };

// Carries out one line (changed while read) and writes the answer, ended by a newline and a zero byte.
void command_run(wan_link *link, char *line, char answer[ANSWER_BYTES]);
