#include "frame.h"

enum { TCP = 6, TCP_HEADER = 20, SYN = 2, OPTION_END = 0, OPTION_NOP = 1, OPTION_WINDOW_SCALE = 3 };

static uint32_t read16(const uint8_t *at) { return (uint32_t)at[0] << 8 | at[1]; }

// Offset of the TCP header of an IPv4 packet, or 0 when there is none (another protocol, a later fragment, cut short).
static uint32_t tcp_offset_v4(const uint8_t *frame, uint32_t length) {
  const uint8_t *ip = frame + ETHERNET_HEADER;
  if (length < ETHERNET_HEADER + 20 || ip[0] >> 4 != 4 || ip[9] != TCP || (read16(ip + 6) & 0x1fff)) return 0;
  return ETHERNET_HEADER + (uint32_t)(ip[0] & 15) * 4;
}

// The same for IPv6; hop-by-hop, routing and destination options (RFC 8200 section 4) are walked over.
static uint32_t tcp_offset_v6(const uint8_t *frame, uint32_t length) {
  if (length < ETHERNET_HEADER + 40 || frame[ETHERNET_HEADER] >> 4 != 6) return 0;
  uint8_t header = frame[ETHERNET_HEADER + 6];
  uint32_t at = ETHERNET_HEADER + 40;
  // Ends: `at` grows by at least 8 bytes a round and stays inside the frame.
  while (header == 0 || header == 43 || header == 60) {
    if (at + 8 > length) return 0;
    header = frame[at];
    at += ((uint32_t)frame[at + 1] + 1) * 8;
  }
  return header == TCP ? at : 0;
}

// Replaces three option bytes by NOPs and updates the checksum word by word. Options may start at an odd offset.
static void blank_option(uint8_t *tcp, uint32_t option) {
  uint32_t sum = ~read16(tcp + 16) & 0xffff;
  for (uint32_t i = option; i < option + 3; i++) {
    uint32_t shift = i % 2 ? 0 : 8;
    sum += ~((uint32_t)tcp[i] << shift) & 0xffff;
    sum += (uint32_t)OPTION_NOP << shift;
    tcp[i] = OPTION_NOP;
  }
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  tcp[16] = (uint8_t)(~sum >> 8);
  tcp[17] = (uint8_t)~sum;
}

int strip_window_scale(uint8_t *frame, uint32_t length) {
  if (length < ETHERNET_HEADER) return 0;
  uint32_t type = read16(frame + 12);
  uint32_t at = type == 0x0800 ? tcp_offset_v4(frame, length) : type == 0x86dd ? tcp_offset_v6(frame, length) : 0;
  if (!at || at + TCP_HEADER > length) return 0;
  uint8_t *tcp = frame + at;
  uint32_t header = (uint32_t)(tcp[12] >> 4) * 4;
  if (!(tcp[13] & SYN) || at + header > length) return 0;
  // Ends: every round moves forward by at least one byte, inside the TCP header.
  for (uint32_t i = TCP_HEADER; i < header && tcp[i] != OPTION_END;) {
    if (tcp[i] == OPTION_NOP) {
      i++;
      continue;
    }
    if (i + 1 >= header || tcp[i + 1] < 2 || i + tcp[i + 1] > header) return 0;
    if (tcp[i] == OPTION_WINDOW_SCALE && tcp[i + 1] == 3) {
      blank_option(tcp, i);
      return 1;
    }
    i += tcp[i + 1];
  }
  return 0;
}

// FNV-1a, 32 bits.
static uint32_t hash_bytes(uint32_t hash, const uint8_t *at, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) hash = (hash ^ at[i]) * 16777619u;
  return hash;
}

uint32_t flow_hash(const uint8_t *frame, uint32_t length) {
  const uint8_t *ip = frame + ETHERNET_HEADER;
  uint32_t hash = 2166136261u, ports;
  if (length >= ETHERNET_HEADER + 20 && ip[0] >> 4 == 4) {
    hash = hash_bytes(hash, ip + 12, 8);
    hash = hash_bytes(hash, ip + 9, 1);
    ports = read16(ip + 6) & 0x1fff ? length : ETHERNET_HEADER + (uint32_t)(ip[0] & 15) * 4;
  } else if (length >= ETHERNET_HEADER + 40 && ip[0] >> 4 == 6) {
    hash = hash_bytes(hash, ip + 8, 32);
    hash = hash_bytes(hash, ip + 6, 1);
    ports = ETHERNET_HEADER + 40;
  } else {
    return 0;
  }
  return ports + 4 <= length ? hash_bytes(hash, frame + ports, 4) : hash;
}
