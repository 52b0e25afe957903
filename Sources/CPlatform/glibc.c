// Functions with which the command runs with glibc 2.34 although it was built with a later one. `make` links it with
// --wrap=NAME for each NAME below, which replaces calls of the function by calls of __wrap_NAME.
#ifdef __linux__
#include <features.h>
#endif

#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#ifdef __x86_64__
#define FIRST "GLIBC_2.2.5"
#else
#define FIRST "GLIBC_2.17"
#endif

// glibc 2.35 has new versions that do not set errno. Modules of Swift refer to them.
__asm__(".symver first_hypot, hypot@" FIRST);
__asm__(".symver first_hypotf, hypotf@" FIRST);

double first_hypot(double, double);
float first_hypotf(float, float);
double __wrap_hypot(double, double);
float __wrap_hypotf(float, float);
uint32_t __wrap_arc4random(void);

double __wrap_hypot(double x, double y) { return first_hypot(x, y); }
float __wrap_hypotf(float x, float y) { return first_hypotf(x, y); }

// New in glibc 2.36. The C++ library refers to it.
uint32_t __wrap_arc4random(void) {
    uint32_t number;
    // So few bytes are returned whole.
    if (getrandom(&number, sizeof number, 0) != sizeof number) abort();
    return number;
}
#endif
