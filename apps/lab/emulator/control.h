// The control socket: a unix stream socket, a command a line in, an answer a line out.
#pragma once
#include "command.h"

enum { CONTROL_CLIENTS = 8, LINE_BYTES = 256 };

typedef struct {
  int fd;  // -1: free
  int used;
  char line[LINE_BYTES];
} control_client;

typedef struct {
  int listener;
  control_client clients[CONTROL_CLIENTS];
} control;

// Listens on `path` (mode 0600; a socket left by a dead emulator is replaced). -1 and a sentence on stderr on failure.
int control_open(control *c, const char *path);

// Accepts one waiting client; returns it, or NULL when there is none or all places are taken (the caller is hung up on).
control_client *control_accept(control *c);

// Reads what a client sent and answers every whole line. The client is closed when it hung up, sent a line that is too
// long or does not read its answers.
void control_read(control_client *client, wan_link *link);
