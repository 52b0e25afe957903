#define _GNU_SOURCE
#include "CFlushCount.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic int64_t flushes;

// Counts a call and returns the function that it would have reached otherwise: the C library's, or that of a library
// loaded before it, such as a tool that simulates disk failures.
static void *counted(const char *name) {
    atomic_fetch_add_explicit(&flushes, 1, memory_order_relaxed);
    return dlsym(RTLD_NEXT, name);
}

__attribute__((visibility("default"))) int fsync(int descriptor) {
    return ((int (*)(int))counted("fsync"))(descriptor);
}

__attribute__((visibility("default"))) int fdatasync(int descriptor) {
    return ((int (*)(int))counted("fdatasync"))(descriptor);
}

__attribute__((visibility("default"))) int msync(void *start, size_t bytes, int flags) {
    void *next = flags & MS_SYNC ? counted("msync") : dlsym(RTLD_NEXT, "msync");
    return ((int (*)(void *, size_t, int))next)(start, bytes, flags);
}

// Whether a shared library's call reaches our function, because the executable's symbols come first.
static int is_first(const char *name, void *own) { return dlsym(RTLD_DEFAULT, name) == own; }

int64_t patchbay_flush_count(void) {
    int sees_all = is_first("fsync", (void *)fsync) && is_first("fdatasync", (void *)fdatasync)
        && is_first("msync", (void *)msync);
    return sees_all ? atomic_load_explicit(&flushes, memory_order_relaxed) : -1;
}

#else

int64_t patchbay_flush_count(void) { return -1; }

#endif
