// TAP devices inside network namespaces.
#pragma once

typedef struct {
  const char *namespace_path;  // such as /run/netns/NAME
  const char *interface;
} tap_place;

// Makes the device in its namespace with the given MTU and returns its descriptor, non-blocking. On failure prints a
// sentence to stderr and returns -1; the caller's own namespace is as before either way.
int tap_open(const tap_place *place, int mtu);
