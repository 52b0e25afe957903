#define _GNU_SOURCE
#include "CPipe.h"

#include <fcntl.h>
#include <unistd.h>

int patchbay_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
