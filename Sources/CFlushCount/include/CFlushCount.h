#ifndef PATCHBAY_FLUSH_COUNT_H
#define PATCHBAY_FLUSH_COUNT_H

#include <stdint.h>

/// Returns how often this process has flushed to the disk with fsync, fdatasync, and msync with MS_SYNC; -1 if the
/// calls of other libraries cannot be counted.
///
/// The executable's own fsync, fdatasync and msync precede the C library's, so that calls from every shared library
/// (SQLite, LMDB) pass through here. A flush by a direct system call is not counted.
int64_t patchbay_flush_count(void);

#endif
