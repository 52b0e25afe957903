#ifndef PATCHBAY_PIPE_H
#define PATCHBAY_PIPE_H

/// Makes a pipe whose ends no process inherits that is started by another thread meanwhile: pipe2 with O_CLOEXEC, which
/// the C library declares for _GNU_SOURCE only, so that Swift does not see it. 0, or -1 and errno.
int patchbay_pipe(int ends[2]);

#endif
