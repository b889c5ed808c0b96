#define _GNU_SOURCE
#include "carry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "frame.h"

enum { READ_BATCH = 64, EVENTS = 8 };
#define IDLE_NS (3600ull * 1000000000ull)  // nothing waits: any frame or command wakes us

// The link cannot go on; its end is what the lab sees.
static void give_up(const char *why) {
  fprintf(stderr, "%s (%s): the link ends\n", why, strerror(errno));
  exit(1);
}

static void watch(int poll, int fd, void *what) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};
  epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
}

int wan_start(wan *w, uint64_t seed) {
  direction_start(&w->link.ab, w->tap_b, seed, 0);
  direction_start(&w->link.ba, w->tap_a, seed, 1);
  w->poll = epoll_create1(EPOLL_CLOEXEC);
  if (w->poll < 0) return -1;
  watch(w->poll, w->tap_a, &w->link.ab);
  watch(w->poll, w->tap_b, &w->link.ba);
  watch(w->poll, w->control.listener, &w->control);
  return 0;
}

// Reads at most a batch, so that the other direction and deliveries get their turn. Exits when the device is gone.
static void read_tap(int tap, direction *d, pace *p) {
  static uint8_t frame[LONGEST_FRAME];
  for (int i = 0; i < READ_BATCH; i++, p->frames++) {
    ssize_t length = read(tap, frame, sizeof frame);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0) give_up("a device is gone");
    direction_receive(d, frame, (uint32_t)length, now_ns());
  }
}

static void handle(wan *w, void *what) {
  if (what == &w->link.ab) read_tap(w->tap_a, &w->link.ab, &w->pace);
  else if (what == &w->link.ba) read_tap(w->tap_b, &w->link.ba, &w->pace);
  else if (what == &w->control) {
    control_client *client = control_accept(&w->control);
    if (client) watch(w->poll, client->fd, client);
  } else control_read(what, &w->link);
}

// Interrupt moderation, as network cards do it: past 6,000 frames a second (70 Mbit/s of full frames) being woken for each
// would cost more than carrying it, so the link naps and takes what has gathered. A frame is then up to about NAP_NS
// later than asked; links with less traffic are not touched.
enum { WINDOW_NS = 1000 * 1000, BUSY_FRAMES = 6, NAP_NS = 50 * 1000 };

static int is_busy(pace *p, uint64_t now) {
  uint64_t passed = now - p->window_start_ns;
  if (passed >= WINDOW_NS) {
    p->busy = p->frames * WINDOW_NS >= BUSY_FRAMES * passed;
    p->frames = 0;
    p->window_start_ns = now;
  }
  return p->busy;
}

// A timer wakes us late, by 50 to 200 us in a virtual machine; four crossings of that would bend a 44 ms round trip. So
// we ask to be woken earlier by what it was late before and poll the rest of the way, never longer than LEAD_NS.
enum { LEAD_NS = 150 * 1000, OVERSHOOT_CLAMP_NS = 300 * 1000, OVERSHOOT_MEMORY = 16 };

static uint64_t sleep_before(const pace *p, uint64_t now, uint64_t due) {
  uint64_t lead = p->overshoot_ns > LEAD_NS ? LEAD_NS : (uint64_t)p->overshoot_ns;
  return due > now + lead ? due - now - lead : 0;
}

static void learn_overshoot(pace *p, uint64_t asked, uint64_t woken) {
  uint64_t late_ns = woken > asked ? woken - asked : 0;
  double late = late_ns > OVERSHOOT_CLAMP_NS ? OVERSHOOT_CLAMP_NS : (double)late_ns;
  p->overshoot_ns += (late - p->overshoot_ns) / OVERSHOOT_MEMORY;
}

// Sleeps until a frame or command comes or the next frame is due. Ends only with the process: see read_tap.
void wan_carry(wan *w) {
  const struct timespec nap = {0, NAP_NS};
  for (;;) {
    uint64_t now = now_ns();
    uint64_t next_ab = direction_deliver(&w->link.ab, now), next_ba = direction_deliver(&w->link.ba, now);
    uint64_t due = next_ab < next_ba ? next_ab : next_ba, wait = 0;
    now = now_ns();
    if (is_busy(&w->pace, now)) clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
    else wait = due == UINT64_MAX ? IDLE_NS : sleep_before(&w->pace, now, due);
    struct timespec timeout = {(time_t)(wait / 1000000000ull), (long)(wait % 1000000000ull)};
    struct epoll_event ready[EVENTS];
    int count = epoll_pwait2(w->poll, ready, EVENTS, &timeout, NULL);
    if (count < 0 && errno != EINTR) give_up("epoll_pwait2");
    if (!count && wait) learn_overshoot(&w->pace, now + wait, now_ns());
    for (int i = 0; i < count; i++) handle(w, ready[i].data.ptr);
  }
}
