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

#include <immintrin.h>

/* The crc32 instruction accepts one word per cycle but has a latency of three cycles, so three stretches of equal
 * length are processed in parallel: states A (which continues from the words before), B and C. For stretches of n bits
 * the result is A x^(2n) + B x^n + C; the carry-less product of a state with x^(n - 33), passed through the
 * instruction, is that state times x^n. */
#define STRETCH_WORDS_MAX 128

/* x^(64 words - 33), bits reversed. */
static uint32_t shifts[2 * STRETCH_WORDS_MAX + 1];
static int has_crc, has_product;

__attribute__((target("sse4.2"), constructor)) static void fill_shifts(void) {
    __builtin_cpu_init();
    has_crc = __builtin_cpu_supports("sse4.2") != 0;
    has_product = has_crc && __builtin_cpu_supports("pclmul");
    if (!has_crc) return;
    shifts[1] = 1;
    for (int words = 2; words <= 2 * STRETCH_WORDS_MAX; words++) {
        shifts[words] = (uint32_t)__builtin_ia32_crc32di(shifts[words - 1], 0);
    }
}

static inline uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

__attribute__((target("sse4.2,pclmul"))) static uint64_t shifted(uint64_t state, size_t words) {
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)state), _mm_cvtsi32_si128((int)shifts[words]), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

/* Three stretches of the given number of words. */
__attribute__((target("sse4.2,pclmul"))) static uint64_t stretches(uint64_t a, const uint8_t *next, size_t words) {
    uint64_t b = 0, c = 0;
    for (const uint8_t *end = next + 8 * words; next < end; next += 8) {
        a = __builtin_ia32_crc32di(a, word_at(next));
        b = __builtin_ia32_crc32di(b, word_at(next + 8 * words));
        c = __builtin_ia32_crc32di(c, word_at(next + 16 * words));
    }
    return c ^ __builtin_ia32_crc32di(0, shifted(a, 2 * words) ^ shifted(b, words));
}

__attribute__((target("sse4.2"))) static uint32_t crc32c_hardware(uint32_t crc, const uint8_t *next, size_t count) {
    uint64_t state = (uint32_t)~crc;
    while (has_product && count >= 96) {
        size_t words = count / 24 < STRETCH_WORDS_MAX ? count / 24 : STRETCH_WORDS_MAX;
        state = stretches(state, next, words);
        next += 24 * words;
        count -= 24 * words;
    }
    for (; count >= 8; count -= 8, next += 8) state = __builtin_ia32_crc32di(state, word_at(next));
    uint32_t rest = (uint32_t)state;
    while (count--) rest = __builtin_ia32_crc32qi(rest, *next++);
    return ~rest;
}

uint32_t patchbay_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return has_crc ? crc32c_hardware(crc, bytes, count) : patchbay_crc32c_portable(crc, bytes, count);
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
