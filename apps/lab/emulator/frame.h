// What the emulator reads in and does to Ethernet frames.
#pragma once
#include <stdint.h>

enum { ETHERNET_HEADER = 14, LONGEST_FRAME = 9088 };

// Bytes of the IP packet in a frame: what link rates, queues and length limits count (an ARP message counts its own bytes).
static inline uint32_t ip_bytes(uint32_t frame_length) {
  return frame_length > ETHERNET_HEADER ? frame_length - ETHERNET_HEADER : 0;
}

// Turns the window-scale option (RFC 7323 section 2.2) of a TCP SYN over IPv4 or IPv6 into NOPs and mends the TCP
// checksum (RFC 1624), as some middleboxes do. Returns 1 when it changed the frame.
int strip_window_scale(uint8_t *frame, uint32_t length);

// A number for the packet's flow: addresses, protocol and ports (none in a later fragment). The same for every packet of a flow.
uint32_t flow_hash(const uint8_t *frame, uint32_t length);
