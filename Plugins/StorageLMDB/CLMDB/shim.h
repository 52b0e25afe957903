#include <lmdb.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

/// Renames; fails with EEXIST when the new path exists.
static inline int patchbay_rename_to_new(const char *from, const char *to) {
#ifdef __linux__
    // Through syscall, because not every C library has a function for it. 1 is RENAME_NOREPLACE.
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1);
#else
    return renamex_np(from, to, RENAME_EXCL);
#endif
}

/// A lock of one byte of a file. LMDB locks some of the first bytes of lock.mdb; Patchbay locks one of data.mdb, far
/// beyond its end.
static inline struct flock patchbay_lock(short type, int64_t place) {
    struct flock lock = {0};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = place;
    lock.l_len = 1;
    return lock;
}

/// Takes an exclusive lock on the first byte of lock.mdb, without waiting. LMDB itself holds a shared lock on it while
/// a process has the environment open. Returns 0, or -1 with `errno`.
static inline int patchbay_lock_alone(int descriptor) {
    struct flock lock = patchbay_lock(F_WRLCK, 0);
    return fcntl(descriptor, F_SETLK, &lock);
}

static const int64_t patchbay_writer_place = (int64_t)1 << 62;

/// Takes the writer lock for this process, without waiting. Returns 0, or -1 with `errno`.
static inline int patchbay_lock_writer(int descriptor) {
    struct flock lock = patchbay_lock(F_WRLCK, patchbay_writer_place);
    return fcntl(descriptor, F_SETLK, &lock);
}

static inline void patchbay_unlock_writer(int descriptor) {
    struct flock lock = patchbay_lock(F_UNLCK, patchbay_writer_place);
    fcntl(descriptor, F_SETLK, &lock);
}

/// The process that has the writer lock; 0 or less when no process has it or its number is unknown.
static inline int64_t patchbay_writer(int descriptor) {
    struct flock lock = patchbay_lock(F_WRLCK, patchbay_writer_place);
    return fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

/// Whether another process has the environment of a lock.mdb open.
static inline int patchbay_is_in_use(int descriptor) {
    struct flock lock = patchbay_lock(F_WRLCK, 0);
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/// Reserves disk space for a file's first bytes without changing its length. Returns 0 or an `errno`; 0 also where the
/// file system does not support it.
static inline int patchbay_reserve(int descriptor, int64_t bytes) {
#ifdef __linux__
    // 1 is FALLOC_FL_KEEP_SIZE. Through syscall, because the function exists only with GNU extensions.
    if (syscall(SYS_fallocate, descriptor, 1, (int64_t)0, bytes) == 0 || errno == EOPNOTSUPP) return 0;
    return errno;
#else
    return 0;
#endif
}
