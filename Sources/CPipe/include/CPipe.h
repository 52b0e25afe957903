#ifndef PATCHBAY_PIPE_H
#define PATCHBAY_PIPE_H

/// Creates a pipe that is not inherited by processes that other threads start at the same time: pipe2 with O_CLOEXEC.
/// The C library declares pipe2 only for _GNU_SOURCE, so Swift cannot call it. Returns 0, or -1 and sets errno.
int patchbay_pipe(int ends[2]);

#endif
