// The link at work: reads the TAPs, answers the control socket, delivers when it is time.
#pragma once
#include "control.h"

// What the last moments taught about when to sleep.
typedef struct {
  uint64_t window_start_ns, frames;  // frames read since the window began
  int busy;
  double overshoot_ns;  // how late a timer wakes us here, a running mean
} pace;

typedef struct {
  int poll, tap_a, tap_b;
  wan_link link;
  control control;
  pace pace;
} wan;

// Watches the devices and the control socket, which are open already. -1 on failure.
int wan_start(wan *w, uint64_t seed);

// Carries frames. Returns never: the process ends by a signal or when a device is gone.
__attribute__((noreturn)) void wan_carry(wan *w);
