#include "packet.h"

#include <stdlib.h>
#include <string.h>

enum { SLAB_BYTES = 256 * 1024 };

// Frame bytes a cell of each class holds: acknowledgements and echoes, an Ethernet MTU, a jumbo MTU.
static const uint32_t class_bytes[SIZE_CLASSES] = {208, 1536, 9088};

static uint32_t cell_bytes(uint32_t size_class) { return (uint32_t)sizeof(packet) + class_bytes[size_class]; }

// Cuts a fresh slab into free cells. Ends after SLAB_BYTES / cell size rounds.
static void add_slab(packet_pool *pool, uint32_t size_class) {
  if (pool->taken_bytes + SLAB_BYTES > pool->limit_bytes) return;
  uint8_t *slab = malloc(SLAB_BYTES);
  if (!slab) return;
  pool->taken_bytes += SLAB_BYTES;
  uint32_t cell = cell_bytes(size_class);
  for (uint32_t at = 0; at + cell <= SLAB_BYTES; at += cell) {
    packet *p = (packet *)(slab + at);
    p->size_class = size_class;
    pool_return(pool, p);
  }
}

packet *pool_copy(packet_pool *pool, const uint8_t *frame, uint32_t length) {
  uint32_t size_class = 0;
  while (size_class < SIZE_CLASSES && class_bytes[size_class] < length) size_class++;
  if (size_class == SIZE_CLASSES) return NULL;
  if (!pool->free[size_class]) add_slab(pool, size_class);
  packet *p = pool->free[size_class];
  if (!p) return NULL;
  pool->free[size_class] = p->next;
  p->next = NULL;
  p->length = length;
  memcpy(p->frame, frame, length);
  return p;
}

void pool_return(packet_pool *pool, packet *p) {
  p->next = pool->free[p->size_class];
  pool->free[p->size_class] = p;
}

void list_append(packet_list *list, packet *p) {
  p->next = NULL;
  if (list->last) list->last->next = p;
  else list->first = p;
  list->last = p;
  list->count++;
}

packet *list_pop(packet_list *list) {
  packet *p = list->first;
  list->first = p->next;
  if (!list->first) list->last = NULL;
  list->count--;
  return p;
}
