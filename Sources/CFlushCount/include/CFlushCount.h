#ifndef PATCHBAY_FLUSH_COUNT_H
#define PATCHBAY_FLUSH_COUNT_H

#include <stdint.h>

/// How often this process asked the system to flush to the disk: fsync, fdatasync and msync with
/// MS_SYNC; -1 where the calls of other libraries cannot be seen.
///
/// The executable's own fsync, fdatasync and msync stand in front of the C library's, so that calls from every shared
/// library (SQLite, LMDB) come through here. A flush that a library asks of the kernel by itself is not seen.
int64_t patchbay_flush_count(void);

#endif
