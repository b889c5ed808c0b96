// Frames held by the emulator: cells from a bounded pool, chained into first-in first-out lists.
#pragma once
#include <stdint.h>

enum { SIZE_CLASSES = 3 };

typedef struct packet {
  struct packet *next;
  uint64_t arrived_ns;  // when it was read from the TAP
  uint64_t due_ns;      // when it is to be written to the other TAP
  uint32_t length;      // of the Ethernet frame
  uint32_t size_class;
  uint8_t frame[];
} packet;

typedef struct {
  packet *first, *last;
  uint32_t count;
  uint64_t last_due_ns;
} packet_list;

// Free cells are reused last in first out, so the memory touched follows what is really in flight, never more than `limit_bytes`.
typedef struct {
  packet *free[SIZE_CLASSES];
  uint64_t taken_bytes, limit_bytes;
} packet_pool;

// A cell holding a copy of the frame, or NULL when the pool is at its limit or the frame is longer than any cell.
packet *pool_copy(packet_pool *pool, const uint8_t *frame, uint32_t length);
void pool_return(packet_pool *pool, packet *p);

void list_append(packet_list *list, packet *p);
packet *list_pop(packet_list *list);
