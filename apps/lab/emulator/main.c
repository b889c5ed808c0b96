// wan: one emulated link between two network namespaces.
//
//   wan --a NETNS:INTERFACE --b NETNS:INTERFACE --control SOCKET [--mtu BYTES] [--seed N] [--daemon LOG]
//
// Makes a TAP device in each namespace and carries Ethernet frames between them until it is killed or a device goes
// away. NETNS is a path such as /run/netns/NAME. Settings and counters: over SOCKET, in the language of command.h.
// Prints "ready PID" once the devices exist and SOCKET listens. With --daemon it then goes on in the background, in a
// session of its own, and the first process exits; without, it dies with whoever arranged for that (setpriv --pdeathsig).
#define _GNU_SOURCE
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "carry.h"
#include "clock.h"
#include "frame.h"
#include "tap.h"

enum { USAGE_ERROR = 2 };

typedef struct {
  tap_place a, b;
  const char *control_path, *log_path;
  int mtu;
  uint64_t seed;
} options;

static int usage(void) {
  fprintf(stderr, "usage: wan --a NETNS:INTERFACE --b NETNS:INTERFACE --control SOCKET [--mtu BYTES] [--seed N] "
                  "[--daemon LOG]\n");
  return USAGE_ERROR;
}

// Splits a copy: /proc/PID/cmdline keeps the words as they were given, by which a lab finds its emulators.
static int read_place(const char *word, tap_place *place) {
  char *text = strdup(word), *colon = strrchr(text, ':');
  if (!colon) return -1;
  *colon = 0;
  *place = (tap_place){.namespace_path = text, .interface = colon + 1};
  return *text && strlen(place->interface) > 0 && strlen(place->interface) < 16 ? 0 : -1;
}

static int read_options(int argc, char **argv, options *o) {
  static const struct option known[] = {{"a", 1, 0, 'a'},    {"b", 1, 0, 'b'},    {"control", 1, 0, 'c'},
                                        {"mtu", 1, 0, 'm'},  {"seed", 1, 0, 's'}, {"daemon", 1, 0, 'd'},
                                        {0, 0, 0, 0}};
  *o = (options){.mtu = 1500, .seed = now_ns()};
  int bad = 0;
  // Ends: getopt_long returns -1 after the last word.
  for (int letter; (letter = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    if (letter == 'a') bad |= read_place(optarg, &o->a);
    else if (letter == 'b') bad |= read_place(optarg, &o->b);
    else if (letter == 'c') o->control_path = optarg;
    else if (letter == 'm') o->mtu = atoi(optarg);
    else if (letter == 's') o->seed = strtoull(optarg, NULL, 10);
    else if (letter == 'd') o->log_path = optarg;
    else bad = 1;
  }
  if (o->mtu < 576 || o->mtu > LONGEST_FRAME - ETHERNET_HEADER) {
    fprintf(stderr, "the MTU is from 576 to %d bytes\n", LONGEST_FRAME - ETHERNET_HEADER);
    return -1;
  }
  return bad || optind != argc || !o->a.interface || !o->b.interface || !o->control_path ? -1 : 0;
}

static int open_all(wan *w, const options *o) {
  if ((w->tap_a = tap_open(&o->a, o->mtu)) < 0 || (w->tap_b = tap_open(&o->b, o->mtu)) < 0) return -1;
  return control_open(&w->control, o->control_path) ? -1 : wan_start(w, o->seed);
}

// Frames leave on time only when we get the CPU before the programs under test: the lowest real-time priority. Where
// that is not permitted the link still works, later under load (see lateMaxUs in `stat`).
static void be_punctual(void) {
  struct sched_param lowest = {.sched_priority = 1};
  prctl(PR_SET_TIMERSLACK, 1);
  sched_setscheduler(0, SCHED_RR, &lowest);
}

// Forks; the first process waits for the second to be ready and exits. Returns the descriptor to say so on.
static int go_to_background(void) {
  int ready[2];
  char byte;
  if (pipe2(ready, O_CLOEXEC)) return -1;
  pid_t child = fork();
  if (child < 0) return -1;
  if (child > 0) {
    close(ready[1]);
    _exit(read(ready[0], &byte, 1) == 1 ? 0 : 1);
  }
  close(ready[0]);
  setsid();
  return ready[1];
}

// Lets go of the starter's descriptors: what we print from now on goes to the log.
static int detach_output(const char *log_path, int ready) {
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  int log = open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log < 0 || nothing < 0) {
    perror(log_path);
    return -1;
  }
  dup2(nothing, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  return write(ready, "", 1) == 1 ? close(ready) : -1;
}

int main(int argc, char **argv) {
  static wan w;
  options o;
  int ready = -1;
  if (read_options(argc, argv, &o)) return usage();
  if (o.log_path && (ready = go_to_background()) < 0) {
    perror("cannot go to the background");
    return 1;
  }
  if (open_all(&w, &o)) return 1;
  be_punctual();
  printf("ready %d\n", (int)getpid());
  fflush(stdout);
  if (o.log_path && detach_output(o.log_path, ready)) return 1;
  wan_carry(&w);
}
