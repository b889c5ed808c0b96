#define _GNU_SOURCE
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// The TAP must never be the queue that limits a path: the link's own queue is. The tun driver (6.x) never stops its
// transmit queue, so no packet waits in a qdisc; it keeps frames in a ring of `txqueuelen` until we read them and drops
// beyond. 5000 frames of 1500 bytes are 60 ms at 1 Gbit/s, longer than the scheduler keeps us away from the CPU; what
// is dropped there all the same shows as the interface's tx_dropped, which `plumb lab status` prints as overruns.
enum { RING_FRAMES = 5000 };

static int complain(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  return -1;
}

// Without TSO, GSO and GRO every frame is one packet of at most the MTU. Devices that lack one of them are fine as they are.
static void switch_off_offloads(int control, const char *interface) {
  const unsigned commands[] = {ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO};
  for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++) {
    struct ethtool_value value = {.cmd = commands[i], .data = 0};
    struct ifreq request = {.ifr_data = (void *)&value};
    strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
    ioctl(control, SIOCETHTOOL, &request);
  }
}

static int set_up_interface(const char *interface, int mtu) {
  int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) return complain("socket");
  struct ifreq request = {.ifr_mtu = mtu};
  strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
  int failed = ioctl(control, SIOCSIFMTU, &request) && complain("cannot set the MTU");
  request.ifr_qlen = RING_FRAMES;
  failed = failed || (ioctl(control, SIOCSIFTXQLEN, &request) && complain("cannot set the transmit queue length"));
  switch_off_offloads(control, interface);
  close(control);
  return failed ? -1 : 0;
}

// Runs in the namespace of the device.
static int make_tap(const char *interface, int mtu) {
  int tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tap < 0) return complain("/dev/net/tun");
  struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
  strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
  if (ioctl(tap, TUNSETIFF, &request) ? complain(interface) : set_up_interface(interface, mtu)) {
    close(tap);
    return -1;
  }
  return tap;
}

int tap_open(const tap_place *place, int mtu) {
  int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  int there = open(place->namespace_path, O_RDONLY | O_CLOEXEC);
  int tap = -1;
  if (home < 0 || there < 0 || setns(there, CLONE_NEWNET)) complain(place->namespace_path);
  else {
    tap = make_tap(place->interface, mtu);
    if (setns(home, CLONE_NEWNET)) {
      complain("cannot return to the first namespace");
      close(tap);
      tap = -1;
    }
  }
  close(home);
  close(there);
  return tap;
}
