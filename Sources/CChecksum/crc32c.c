#include "CChecksum.h"

#include <string.h>

/* The polynomial 0x1EDC6F41, bits reversed. */
#define POLYNOMIAL 0x82F63B78u

static uint32_t table[256];

__attribute__((constructor)) static void fill_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
        table[byte] = crc;
    }
}

uint32_t patchbay_crc32c_portable(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    crc = ~crc;
    while (count--) crc = (crc >> 8) ^ table[(crc ^ *next++) & 0xFF];
    return ~crc;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t crc32c_hardware(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    uint64_t state = (uint32_t)~crc, word;
    for (; count >= 8; count -= 8, next += 8) {
        memcpy(&word, next, 8);
        state = __builtin_ia32_crc32di(state, word);
    }
    uint32_t rest = (uint32_t)state;
    while (count--) rest = __builtin_ia32_crc32qi(rest, *next++);
    return ~rest;
}

uint32_t patchbay_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return __builtin_cpu_supports("sse4.2") ? crc32c_hardware(crc, bytes, count)
                                            : patchbay_crc32c_portable(crc, bytes, count);
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)

#include <arm_acle.h>

uint32_t patchbay_crc32c(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    uint64_t word;
    crc = ~crc;
    for (; count >= 8; count -= 8, next += 8) {
        memcpy(&word, next, 8);
        crc = __crc32cd(crc, word);
    }
    while (count--) crc = __crc32cb(crc, *next++);
    return ~crc;
}

#else

uint32_t patchbay_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return patchbay_crc32c_portable(crc, bytes, count);
}

#endif
