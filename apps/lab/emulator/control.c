#define _GNU_SOURCE
#include "control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int control_open(control *c, const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  for (int i = 0; i < CONTROL_CLIENTS; i++) c->clients[i].fd = -1;
  if (strlen(path) >= sizeof address.sun_path) {
    fprintf(stderr, "%s: a socket path has at most %zu bytes\n", path, sizeof address.sun_path - 1);
    return -1;
  }
  strcpy(address.sun_path, path);
  unlink(path);
  c->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  mode_t mask = umask(0177);
  int failed = c->listener < 0 || bind(c->listener, (struct sockaddr *)&address, sizeof address) ||
               listen(c->listener, CONTROL_CLIENTS);
  umask(mask);
  if (failed) fprintf(stderr, "%s: %s\n", path, strerror(errno));
  return failed ? -1 : 0;
}

control_client *control_accept(control *c) {
  int fd = accept4(c->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return NULL;
  for (int i = 0; i < CONTROL_CLIENTS; i++) {
    if (c->clients[i].fd >= 0) continue;
    c->clients[i].fd = fd;
    c->clients[i].used = 0;
    return &c->clients[i];
  }
  close(fd);
  return NULL;
}

static void hang_up(control_client *client) {
  close(client->fd);
  client->fd = -1;
}

// Answers the whole lines in the buffer and keeps the rest. Ends when no newline is left. False: hang up.
static int answer_lines(control_client *client, wan_link *link) {
  char answer[ANSWER_BYTES];
  for (char *end; (end = memchr(client->line, '\n', (size_t)client->used));) {
    *end = 0;
    command_run(link, client->line, answer);
    client->used -= (int)(end + 1 - client->line);
    memmove(client->line, end + 1, (size_t)client->used);
    size_t length = strlen(answer);
    if (send(client->fd, answer, length, MSG_NOSIGNAL) != (ssize_t)length) return 0;
  }
  return client->used < LINE_BYTES;
}

void control_read(control_client *client, wan_link *link) {
  ssize_t got = recv(client->fd, client->line + client->used, (size_t)(LINE_BYTES - client->used), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) client->used += (int)got;
  if (got <= 0 || !answer_lines(client, link)) hang_up(client);
}
