#define _GNU_SOURCE
#include "CPlatform.h"

int patchbay_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

char **patchbay_environment(void) { return environ; }
