#include "direction.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "frame.h"

enum { DELIVER_BATCH = 128, RETRY_NS = 50 * 1000 };

// Frames in flight and waiting in one direction: 1 Gbit/s times 100 ms is 12.5 MB, and as much again for the queue.
#define POOL_LIMIT_BYTES (64ull << 20)

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t serialization_ns(const direction *d, uint32_t length) {
  return (uint64_t)(ip_bytes(length) * 8e9 / d->set.rate_bps + 0.5);
}

void direction_seed(direction *d, uint64_t seed, int side) {
  uint64_t state = seed * 2 + (uint64_t)side;
  d->loss_random = random_next(&state);
  d->duplicate_random = random_next(&state);
  d->reorder_random = random_next(&state);
}

void direction_start(direction *d, int out, uint64_t seed, int side) {
  memset(d, 0, sizeof *d);
  d->out = out;
  d->pool.limit_bytes = POOL_LIMIT_BYTES;
  d->set.rate_bps = 1e8;
  d->set.queue_bytes = 150000;
  direction_seed(d, seed, side);
}

void direction_reset_counters(direction *d) { memset(&d->count, 0, sizeof d->count); }

// A frame that has left the queue flies for `delay`; a reordered one flies longer, on a line of its own, so that later
// frames overtake it. Within a line order is kept: after a cut in delay nothing overtakes what is already in flight.
// The line of a flow: its own, or one where nothing waits any more. With more flows at once than lines some share one.
static uint32_t flow_line_of(direction *d, uint32_t id, uint64_t now_ns) {
  uint32_t idle = id % FLOW_LINES;
  for (uint32_t i = 0; i < FLOW_LINES; i++) {
    uint32_t at = (id + i) % FLOW_LINES;
    if (d->flow_id[at] == id) return at;
    if (!d->flow_line[at].first && d->flow_free_ns[at] <= now_ns && (d->flow_line[idle].first || d->flow_free_ns[idle] > now_ns)) idle = at;
  }
  d->flow_id[idle] = id;
  return idle;
}

// With a rate for each flow it first waits for those of its flow, as many as the link's queue holds.
static void launch_in_flow(direction *d, packet *p, uint64_t departed_ns) {
  uint32_t flow = flow_line_of(d, flow_hash(p->frame, p->length), departed_ns), size = ip_bytes(p->length);
  uint64_t start_ns = larger(departed_ns, d->flow_free_ns[flow]);
  if ((double)(start_ns - departed_ns) * d->set.flow_bps / 8e9 + size > (double)d->set.queue_bytes) {
    d->count.dropped_queue++;
    pool_return(&d->pool, p);
    return;
  }
  d->flow_free_ns[flow] = start_ns + (uint64_t)(size * 8e9 / d->set.flow_bps + 0.5);
  packet_list *line = &d->flow_line[flow];
  line->last_due_ns = p->due_ns = larger(d->flow_free_ns[flow] + d->set.delay_ns, line->last_due_ns);
  list_append(line, p);
  d->on_flow_lines++;
}

static void launch(direction *d, packet *p, uint64_t departed_ns) {
  if (d->set.flow_bps > 0) {
    launch_in_flow(d, p, departed_ns);
    return;
  }
  packet_list *line = &d->line;
  p->due_ns = departed_ns + d->set.delay_ns;
  if (random_chance(&d->reorder_random, d->set.reorder)) {
    d->count.reordered++;
    p->due_ns += d->set.reorder_ns;
    line = &d->late;
  }
  line->last_due_ns = p->due_ns = larger(p->due_ns, line->last_due_ns);
  list_append(line, p);
}

// Brings the queue up to now. Departures follow from arrivals and rate alone, not from when the emulator is woken.
// Ends when the queue is empty or its first frame is still on the wire.
static void serve(direction *d, uint64_t now_ns) {
  uint64_t last_depart_ns = d->depart_ns;
  while (d->queue.first) {
    packet *p = d->queue.first;
    if (!d->serving) {
      d->depart_ns = larger(last_depart_ns, p->arrived_ns) + serialization_ns(d, p->length);
      d->serving = 1;
    }
    if (d->depart_ns > now_ns) return;
    last_depart_ns = d->depart_ns;
    d->serving = 0;
    list_pop(&d->queue);
    d->queued_bytes -= ip_bytes(p->length);
    launch(d, p, last_depart_ns);
  }
}

void direction_change(direction *d, const link_settings *settings, uint64_t now_ns) {
  serve(d, now_ns);
  // The bits of the frame on the wire that have not left yet go at the new rate.
  if (d->serving && settings->rate_bps != d->set.rate_bps)
    d->depart_ns = now_ns + (uint64_t)((double)(d->depart_ns - now_ns) * d->set.rate_bps / settings->rate_bps);
  if (settings->policer_bps != d->set.policer_bps || settings->policer_burst_bytes != d->set.policer_burst_bytes) {
    d->tokens = settings->policer_burst_bytes;
    d->tokens_at_ns = now_ns;
  }
  d->set = *settings;
}

// Token bucket filled at the policed rate, at most a burst deep (RFC 2697 without colours). True when the packet may pass.
static int policer_passes(direction *d, uint32_t size, uint64_t now_ns) {
  if (d->set.policer_bps <= 0) return 1;
  d->tokens += (double)(now_ns - d->tokens_at_ns) * d->set.policer_bps / 8e9;
  d->tokens_at_ns = now_ns;
  if (d->tokens > d->set.policer_burst_bytes) d->tokens = d->set.policer_burst_bytes;
  if (d->tokens < size) return 0;
  d->tokens -= size;
  return 1;
}

// A frame that finds the link idle always goes; the frame on the wire counts as queued until it has left.
static int queue_has_room(const direction *d, uint32_t size) {
  if (!d->queue.first) return 1;
  uint64_t after = d->queued_bytes + size;
  if (after > d->set.queue_bytes) return 0;
  return !d->set.queue_ns || (double)after * 8e9 / d->set.rate_bps <= (double)d->set.queue_ns;
}

static void enqueue(direction *d, const uint8_t *frame, uint32_t length, uint64_t now_ns) {
  if (!queue_has_room(d, ip_bytes(length))) {
    d->count.dropped_queue++;
    return;
  }
  packet *p = pool_copy(&d->pool, frame, length);
  if (!p) {
    d->count.dropped_memory++;
    return;
  }
  p->arrived_ns = now_ns;
  d->queued_bytes += ip_bytes(length);
  list_append(&d->queue, p);
  serve(d, now_ns);
}

void direction_receive(direction *d, uint8_t *frame, uint32_t length, uint64_t now_ns) {
  uint32_t size = ip_bytes(length);
  link_counters *c = &d->count;
  c->received++;
  c->received_bytes += size;
  if (d->set.down) { c->dropped_down++; return; }
  if (random_chance(&d->loss_random, d->set.loss)) { c->lost++; return; }
  if (d->set.longest_bytes && size > d->set.longest_bytes) { c->dropped_long++; return; }
  if (!policer_passes(d, size, now_ns)) { c->dropped_policer++; return; }
  if (d->set.strip_window_scale) c->stripped += (uint64_t)strip_window_scale(frame, length);
  serve(d, now_ns);
  enqueue(d, frame, length, now_ns);
  if (random_chance(&d->duplicate_random, d->set.duplicate)) {
    c->duplicated++;
    enqueue(d, frame, length, now_ns);
  }
}

static packet_list *earlier(packet_list *a, packet_list *b) {
  if (!b->first) return a;
  if (!a->first) return b;
  return b->first->due_ns < a->first->due_ns ? b : a;
}

static packet_list *earliest(direction *d) {
  packet_list *found = earlier(&d->line, &d->late);
  if (!d->on_flow_lines) return found;
  for (uint32_t i = 0; i < FLOW_LINES; i++) found = earlier(found, &d->flow_line[i]);
  return found;
}

// False when the device's buffer is full and the frame must be offered again.
static int write_out(direction *d, const packet *p, uint64_t now_ns) {
  link_counters *c = &d->count;
  if (write(d->out, p->frame, p->length) < 0) {
    if (errno == EAGAIN || errno == ENOBUFS) return 0;
    c->undeliverable++;
    return 1;
  }
  c->delivered++;
  c->delivered_bytes += ip_bytes(p->length);
  c->late_total_ns += now_ns - p->due_ns;
  c->late_max_ns = larger(c->late_max_ns, now_ns - p->due_ns);
  return 1;
}

uint64_t direction_deliver(direction *d, uint64_t now_ns) {
  serve(d, now_ns);
  // Ends after one batch at the latest, so that reading the TAPs is never starved.
  for (int i = 0; i < DELIVER_BATCH; i++) {
    packet_list *line = earliest(d);
    packet *p = line->first;
    uint64_t next_ns = d->serving ? d->depart_ns + d->set.delay_ns : UINT64_MAX;
    if (!p) return next_ns;
    if (p->due_ns > now_ns) return smaller(p->due_ns, next_ns);
    if (!write_out(d, p, now_ns)) return now_ns + RETRY_NS;
    if (line != &d->line && line != &d->late) d->on_flow_lines--;
    pool_return(&d->pool, list_pop(line));
  }
  return now_ns;
}
