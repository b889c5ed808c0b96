// Time and chance: nanoseconds since boot, and small seedable random streams.
#pragma once
#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

// splitmix64 (Steele, Lea, Flood 2014): any seed, zero too, gives a full-period stream of 64-bit numbers.
static inline uint64_t random_next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// True with probability p; draws only when p is neither 0 nor 1, so that an unused impairment never moves its stream.
static inline int random_chance(uint64_t *state, double p) {
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  return (double)(random_next(state) >> 11) * (1.0 / 9007199254740992.0) < p;
}
