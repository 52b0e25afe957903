#include <lmdb.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

/// The status of a file or folder. It is read in C because the Swift module of `struct stat` depends on the imports.
typedef struct {
    int64_t bytes;
    /// The space on the disk; less than the length for a file with holes.
    int64_t bytes_on_disk;
    uint64_t device, number;
    int32_t is_folder;
    /// Whether it is a regular file.
    int32_t is_file;
    /// Whether it is a regular file without a second name (hard link).
    int32_t is_own_file;
    /// The permissions.
    int32_t mode;
    /// 0, or the errno of the call that failed.
    int32_t error;
} patchbay_file_status;

static inline patchbay_file_status patchbay_status(int code, const struct stat *status) {
    patchbay_file_status answer = {0};
    if (code != 0) {
        answer.error = errno;
    } else {
        answer.bytes = status->st_size;
        answer.bytes_on_disk = (int64_t)status->st_blocks * 512;
        answer.is_folder = S_ISDIR(status->st_mode);
        answer.is_file = S_ISREG(status->st_mode);
        answer.is_own_file = S_ISREG(status->st_mode) && status->st_nlink == 1;
        answer.mode = status->st_mode & 0777;
        answer.device = status->st_dev;
        answer.number = status->st_ino;
    }
    return answer;
}

static inline patchbay_file_status patchbay_status_of_path(const char *path) {
    struct stat status;
    return patchbay_status(stat(path, &status), &status);
}

/// The status of a link itself, not of its target.
static inline patchbay_file_status patchbay_status_of_name(const char *path) {
    struct stat status;
    return patchbay_status(lstat(path, &status), &status);
}

static inline patchbay_file_status patchbay_status_of_file(int descriptor) {
    struct stat status;
    return patchbay_status(fstat(descriptor, &status), &status);
}

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
