#include "command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

enum { MAX_VALUES = 2, MAX_WORDS = 5 };

typedef struct {
  double least, most;
  const char *rule;  // what is said of a value outside
} bound;

typedef struct {
  const char *name;
  int values;
  bound bounds[MAX_VALUES];
  void (*apply)(link_settings *settings, const double *values);
} command;

static void set_rate(link_settings *s, const double *v) { s->rate_bps = v[0]; }
static void set_delay(link_settings *s, const double *v) { s->delay_ns = (uint64_t)(v[0] * 1000); }
static void set_queue(link_settings *s, const double *v) { s->queue_bytes = (uint64_t)v[0]; }
static void set_queue_time(link_settings *s, const double *v) { s->queue_ns = (uint64_t)(v[0] * 1000); }
static void set_loss(link_settings *s, const double *v) { s->loss = v[0]; }
static void set_duplicate(link_settings *s, const double *v) { s->duplicate = v[0]; }
static void set_reorder(link_settings *s, const double *v) {
  s->reorder = v[0];
  s->reorder_ns = (uint64_t)(v[1] * 1000);
}
static void set_policer(link_settings *s, const double *v) {
  s->policer_bps = v[0];
  s->policer_burst_bytes = v[1];
}
static void set_flow_rate(link_settings *s, const double *v) { s->flow_bps = v[0]; }
static void set_longest(link_settings *s, const double *v) { s->longest_bytes = (uint64_t)v[0]; }
static void set_window_scale(link_settings *s, const double *v) { s->strip_window_scale = v[0] == 0; }
static void set_down(link_settings *s, const double *v) { (void)v, s->down = 1; }
static void set_up(link_settings *s, const double *v) { (void)v, s->down = 0; }

#define RATE_BOUND {1e3, 1e11, "a rate is from 1 kbit/s to 100 Gbit/s"}
#define TIME_BOUND {0, 1e7, "a time is from 0 to 10 s"}
#define RATIO_BOUND {0, 1, "a ratio is from 0 to 1"}

static const command commands[] = {
    {"rate", 1, {RATE_BOUND}, set_rate},
    {"delay", 1, {TIME_BOUND}, set_delay},
    {"queue", 1, {{0, 1 << 25, "a queue is from 0 to 32 MiB"}}, set_queue},
    {"queuetime", 1, {TIME_BOUND}, set_queue_time},
    {"loss", 1, {RATIO_BOUND}, set_loss},
    {"dup", 1, {RATIO_BOUND}, set_duplicate},
    {"reorder", 2, {RATIO_BOUND, TIME_BOUND}, set_reorder},
    {"policer",
     2,
     {{0, 1e11, "a policed rate is from 0 (none) to 100 Gbit/s"}, {0, 1 << 30, "a burst is from 0 to 1 GiB"}},
     set_policer},
    {"flowrate", 1, {{0, 1e11, "a rate for each flow is from 0 (none) to 100 Gbit/s"}}, set_flow_rate},
    {"maxlen", 1, {{0, 65535, "a packet has from 0 (no limit) to 65535 bytes"}}, set_longest},
    {"wscale", 1, {{0, 1, "the window scale is kept (1) or stripped (0)"}}, set_window_scale},
    {"down", 0, {{0, 0, ""}}, set_down},
    {"up", 0, {{0, 0, ""}}, set_up},
};

static int answer_error(char *answer, const char *sentence, const char *what) {
  snprintf(answer, ANSWER_BYTES, "error %s: %.60s\n", sentence, what);
  return 0;
}

// A whole number or decimal, nothing after it, within its bounds.
static int read_number(const char *command_name, const char *word, const bound *b, double *value, char *answer) {
  char *end;
  *value = strtod(word, &end);
  if (end == word || *end || !isfinite(*value)) return answer_error(answer, "not a number", word);
  if (*value >= b->least && *value <= b->most) return 1;
  snprintf(answer, ANSWER_BYTES, "error %s: %s\n", command_name, b->rule);
  return 0;
}

static int words_fit(const command *c, int words, char *answer) {
  if (words == c->values) return 1;
  snprintf(answer, ANSWER_BYTES, "error %s takes %d value%s, not %d\n", c->name, c->values, c->values == 1 ? "" : "s",
           words);
  return 0;
}

static int append_direction(char *at, size_t room, const direction *d) {
  const link_settings *s = &d->set;
  const link_counters *c = &d->count;
  return snprintf(
      at, room,
      "{\"rateBps\":%.10g,\"delayUs\":%.10g,\"queueBytes\":%lu,\"queueUs\":%.10g,\"lossRatio\":%.10g,"
      "\"duplicateRatio\":%.10g,\"reorderRatio\":%.10g,\"reorderExtraUs\":%.10g,\"policerBps\":%.10g,"
      "\"policerBurstBytes\":%.10g,\"flowRateBps\":%.10g,\"maxPacketBytes\":%lu,\"windowScale\":%s,\"up\":%s,"
      "\"received\":%lu,\"receivedBytes\":%lu,\"delivered\":%lu,\"deliveredBytes\":%lu,\"lost\":%lu,"
      "\"droppedDown\":%lu,\"droppedLong\":%lu,\"droppedPolicer\":%lu,\"droppedQueue\":%lu,\"droppedMemory\":%lu,"
      "\"undeliverable\":%lu,\"duplicated\":%lu,\"reordered\":%lu,\"windowScaleStripped\":%lu,"
      "\"queuedBytes\":%lu,\"inFlightPackets\":%u,\"lateMeanUs\":%.3f,\"lateMaxUs\":%.3f}",
      s->rate_bps, s->delay_ns / 1e3, s->queue_bytes, s->queue_ns / 1e3, s->loss, s->duplicate, s->reorder,
      s->reorder_ns / 1e3, s->policer_bps, s->policer_burst_bytes, s->flow_bps, s->longest_bytes,
      s->strip_window_scale ? "false" : "true", s->down ? "false" : "true", c->received, c->received_bytes,
      c->delivered, c->delivered_bytes, c->lost, c->dropped_down, c->dropped_long, c->dropped_policer,
      c->dropped_queue, c->dropped_memory, c->undeliverable, c->duplicated, c->reordered, c->stripped,
      d->queued_bytes, d->line.count + d->late.count + d->on_flow_lines, c->delivered ? c->late_total_ns / 1e3 / c->delivered : 0.0,
      c->late_max_ns / 1e3);
}

static void answer_stat(const wan_link *link, char *answer) {
  int n = snprintf(answer, ANSWER_BYTES, "ok {\"pid\":%d,\"ab\":", (int)getpid());
  n += append_direction(answer + n, (size_t)(ANSWER_BYTES - n), &link->ab);
  n += snprintf(answer + n, (size_t)(ANSWER_BYTES - n), ",\"ba\":");
  n += append_direction(answer + n, (size_t)(ANSWER_BYTES - n), &link->ba);
  snprintf(answer + n, (size_t)(ANSWER_BYTES - n), "}\n");
}

// Commands that are not settings. False when `name` is none of them.
static int run_special(direction *chosen[2], const wan_link *link, char **words, int values, char *answer) {
  static const command seed = {"seed", 1, {{0, 4294967295.0, "a seed is from 0 to 4294967295"}}, NULL},
                       reset = {"reset", 0, {{0, 0, ""}}, NULL}, stat = {"stat", 0, {{0, 0, ""}}, NULL};
  double value;
  if (!strcmp(words[0], "stat")) {
    if (words_fit(&stat, values, answer)) answer_stat(link, answer);
    return 1;
  }
  if (!strcmp(words[0], "reset")) {
    if (!words_fit(&reset, values, answer)) return 1;
    for (int i = 0; i < 2; i++)
      if (chosen[i]) direction_reset_counters(chosen[i]);
    return 1;
  }
  if (strcmp(words[0], "seed")) return 0;
  if (!words_fit(&seed, values, answer) || !read_number(seed.name, words[1], &seed.bounds[0], &value, answer)) return 1;
  for (int i = 0; i < 2; i++)
    if (chosen[i]) direction_seed(chosen[i], (uint64_t)value, i);
  return 1;
}

static void run_setting(direction *chosen[2], char **words, int count, char *answer) {
  double values[MAX_VALUES] = {0};
  for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++) {
    const command *c = &commands[i];
    if (strcmp(words[0], c->name)) continue;
    if (!words_fit(c, count, answer)) return;
    for (int k = 0; k < count; k++)
      if (!read_number(c->name, words[k + 1], &c->bounds[k], &values[k], answer)) return;
    for (int k = 0; k < 2; k++) {
      if (!chosen[k]) continue;
      link_settings settings = chosen[k]->set;
      c->apply(&settings, values);
      direction_change(chosen[k], &settings, now_ns());
    }
    return;
  }
  answer_error(answer, "unknown command", words[0]);
}

void command_run(wan_link *link, char *line, char answer[ANSWER_BYTES]) {
  char *words[MAX_WORDS], *rest = NULL;
  int count = 0;
  direction *chosen[2] = {&link->ab, &link->ba};
  strcpy(answer, "ok\n");
  // Ends: strtok_r runs out of words, or there are too many.
  for (char *word = strtok_r(line, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest)) {
    if (count == MAX_WORDS) {
      answer_error(answer, "too many words", word);
      return;
    }
    words[count++] = word;
  }
  char **from = words;
  if (count && !strcmp(words[0], "ab")) chosen[1] = NULL, from++, count--;
  else if (count && !strcmp(words[0], "ba")) chosen[0] = NULL, from++, count--;
  if (!count) {
    answer_error(answer, "a command is missing after", from == words ? "nothing" : words[0]);
    return;
  }
  if (!run_special(chosen, link, from, count - 1, answer)) run_setting(chosen, from, count - 1, answer);
}
