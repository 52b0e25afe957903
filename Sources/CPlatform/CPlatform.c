#define _GNU_SOURCE
#include "CPlatform.h"

int patchbay_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int patchbay_socket_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); }

char **patchbay_environment(void) { return environ; }
