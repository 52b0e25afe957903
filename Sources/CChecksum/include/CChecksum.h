#ifndef PATCHBAY_CHECKSUM_H
#define PATCHBAY_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// Returns the CRC-32C (Castagnoli; RFC 3720, appendix B.4) of `count` bytes, continuing from `crc`, or starting with
/// 0. Uses the processor's own instruction if there is one.
uint32_t patchbay_crc32c(uint32_t crc, const void *bytes, size_t count);

/// The same without the processor's instruction, so that tests can compare the two.
uint32_t patchbay_crc32c_portable(uint32_t crc, const void *bytes, size_t count);

/// Asks the processor to fetch bytes that are checked or read soon. They need not be there.
static inline void patchbay_fetch_soon(const void *start, int64_t count) {
    for (int64_t place = 0; place < count; place += 64) __builtin_prefetch((const char *)start + place);
}

#endif
