// One direction of a link: impairments -> drop-tail queue drained at `rate` -> delay line -> the other TAP.
#pragma once
#include <stdint.h>

#include "packet.h"

enum { FLOW_LINES = 64 };

typedef struct {
  double rate_bps, loss, duplicate, reorder, policer_bps, policer_burst_bytes, flow_bps;
  uint64_t delay_ns, queue_bytes, queue_ns, reorder_ns, longest_bytes;
  int down, strip_window_scale;
} link_settings;

// Every frame read ends in exactly one of these (duplicates add one more): see `receive` and `deliver`.
typedef struct {
  uint64_t received, received_bytes;
  uint64_t delivered, delivered_bytes;
  uint64_t lost, dropped_down, dropped_long, dropped_policer, dropped_queue;
  uint64_t dropped_memory;  // the emulator's own limit, not the link's: a figure taken while this grows is void
  uint64_t undeliverable;   // the far interface was down
  uint64_t duplicated, reordered, stripped;
  uint64_t late_total_ns, late_max_ns;  // how late frames left, beyond what the link asks for
} link_counters;

typedef struct {
  int out;  // file descriptor of the TAP that frames leave by
  link_settings set;
  link_counters count;
  packet_pool pool;
  packet_list queue, line, late;
  // With `flow_bps` each flow (by its hash) leaves at that rate at most, behind the queue and on a line of its own.
  packet_list flow_line[FLOW_LINES];
  uint64_t flow_free_ns[FLOW_LINES];
  uint32_t flow_id[FLOW_LINES];
  uint32_t on_flow_lines;
  uint64_t queued_bytes;
  int serving;  // the first of `queue` is on the wire and will have left it at depart_ns
  uint64_t depart_ns;
  double tokens;
  uint64_t tokens_at_ns;
  uint64_t loss_random, duplicate_random, reorder_random;
} direction;

void direction_start(direction *d, int out, uint64_t seed, int side);
void direction_seed(direction *d, uint64_t seed, int side);
void direction_reset_counters(direction *d);

// Takes over new settings at `now_ns`; frames that wait are served at the new rate from then on.
void direction_change(direction *d, const link_settings *settings, uint64_t now_ns);

// Takes a frame that came from the near TAP. May change the frame.
void direction_receive(direction *d, uint8_t *frame, uint32_t length, uint64_t now_ns);

// Writes what is due and says when to come again (UINT64_MAX: nothing waits).
uint64_t direction_deliver(direction *d, uint64_t now_ns);
