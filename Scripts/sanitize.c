// Makes the thread sanitizer aware of locks of Swift's `Mutex`.
//
// Without contention, `Mutex` locks with an atomic operation that is compiled into our code, where the sanitizer sees
// it. With contention, libswiftSynchronization locks it, which is not built for the sanitizer, so each contended lock
// would be reported as a race. Loaded with LD_PRELOAD, this library wraps those two functions and informs the
// sanitizer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Absent in processes without the sanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

typedef SWIFT void (*Lock)(uint32_t thread, SELF void *mutex);
typedef SWIFT void (*Unlock)(SELF void *mutex);

SWIFT void lock(uint32_t thread, SELF void *mutex) __asm__(LOCK_SLOW);
SWIFT void unlock(SELF void *mutex) __asm__(UNLOCK_SLOW);

SWIFT void lock(uint32_t thread, SELF void *mutex) {
    ((Lock)dlsym(RTLD_NEXT, LOCK_SLOW))(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void unlock(SELF void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    ((Unlock)dlsym(RTLD_NEXT, UNLOCK_SLOW))(mutex);
}
