// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: squatter <how> <program>...
// Runs a rank while another user, who hands nothing out, has taken the names by which the ranks of its job would find
// each other. Needs root for that. `how`:
//   first  listens at the first name            all   at all of them
//   mute   has the first name, and never listens
//   full   the first, with a queue that is full and never looked at
//   visits nobody's name, but comes to the first again and again
//   lies   listens at the first as this user, and hands out a file that is no meeting place
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { names = 4, another_user = 65534, visits = 3000 };

static char job[128];

/// As job_name() has it: after the launcher, which is the parent of this rank.
static void name_job(void) {
  char path[64], text[4096];
  const int launcher = (int)getppid();
  snprintf(path, sizeof path, "/proc/%d/stat", launcher);
  FILE* const file = fopen(path, "r");
  if (file == NULL || fgets(text, sizeof text, file) == NULL) abort();
  fclose(file);
  const char* field = strrchr(text, ')') + 1;
  for (int i = 2; i < 21; ++i) field = strchr(field + 1, ' ');
  const char* const space = getenv("PMIX_NAMESPACE");
  snprintf(job, sizeof job, "typewarp-%d-%d-%lld%s%s", (int)getuid(), launcher, atoll(field), space ? "-" : "", space ? space : "");
}

static socklen_t address_of(int number, struct sockaddr_un* address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  const int length = snprintf(&address->sun_path[1], sizeof address->sun_path - 1, "%s-%d", job, number);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static int new_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

static int take(int number) {
  struct sockaddr_un address;
  const socklen_t bytes = address_of(number, &address);
  const int taken = new_socket();
  if (bind(taken, (const struct sockaddr*)&address, bytes) != 0 && errno != EADDRINUSE) perror("squatter: bind");
  return taken;
}

static int come_to(int number, int type) {
  struct sockaddr_un address;
  const socklen_t bytes = address_of(number, &address);
  const int visitor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | type, 0);
  if (connect(visitor, (const struct sockaddr*)&address, bytes) == 0) return visitor;
  close(visitor);
  return -1;
}

static void hand_out_lies(int listening) {
  const int file = memfd_create("lies", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  static char nonsense[1 << 17];
  memset(nonsense, 0x5a, sizeof nonsense);
  if (write(file, nonsense, sizeof nonsense) < 0 || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) != 0) abort();
  for (;;) {
    const int visitor = accept(listening, NULL, NULL);
    char byte = 0, control[CMSG_SPACE(sizeof file)] = "";
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr* const header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){CMSG_LEN(sizeof file), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(header), &file, sizeof file);
    sendmsg(visitor, &message, MSG_NOSIGNAL);
    close(visitor);
  }
}

static void squat(const char* how, int ready) {
  if (strcmp(how, "lies") != 0 && setuid(another_user) != 0) abort();
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // where the launcher ends all
  const int all = strcmp(how, "all") == 0, comes = strcmp(how, "visits") == 0;
  for (int i = 0; i < (comes ? 0 : all ? names : 1); ++i) {
    const int taken = take(i);
    if (strcmp(how, "mute") != 0) listen(taken, strcmp(how, "full") == 0 ? 0 : SOMAXCONN);
    while (strcmp(how, "full") == 0 && come_to(i, SOCK_NONBLOCK) >= 0) continue;
    if (strcmp(how, "lies") == 0 && write(ready, "", 1) == 1) hand_out_lies(taken);
  }
  if (write(ready, "", 1) != 1) abort();
  for (int i = 0; comes && i < visits; ++i) {
    if (come_to(0, 0) < 0) usleep(100);  // they stay open
  }
  pause();
}

int main(int argc, char** argv) {
  int ready[2];
  char byte;
  if (argc < 3 || pipe(ready) != 0) return 2;
  if (strcmp(argv[1], "lies") != 0 && getuid() != 0) return puts("skipped: needs root, to be another user"), 0;
  name_job();
  // The ranks start at one time, and one alone can take a name.
  const pid_t squatter = fork();
  if (squatter == 0) squat(argv[1], ready[1]);
  if (read(ready[0], &byte, 1) != 1) return 2;
  close(ready[0]);
  close(ready[1]);
  const pid_t program = fork();
  if (program == 0) execvp(argv[2], argv + 2);
  int status = 0;
  waitpid(program, &status, 0);
  kill(squatter, SIGKILL);
  waitpid(squatter, NULL, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
