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

/// What the file system says about a file or folder. Swift finds `struct stat` in a different module with every set of
/// imports, so it is read here.
typedef struct {
    int64_t bytes;
    /// What it takes on the disk; of a file with holes, less than its length.
    int64_t bytes_on_disk;
    uint64_t device, number;
    int32_t is_folder;
    /// Whether it is a regular file.
    int32_t is_file;
    /// Whether it is a regular file that no other name leads to.
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

/// Of a link itself, wherever it leads.
static inline patchbay_file_status patchbay_status_of_name(const char *path) {
    struct stat status;
    return patchbay_status(lstat(path, &status), &status);
}

static inline patchbay_file_status patchbay_status_of_file(int descriptor) {
    struct stat status;
    return patchbay_status(fstat(descriptor, &status), &status);
}

/// Renames, unless something stands at the new path (EEXIST then).
static inline int patchbay_rename_to_new(const char *from, const char *to) {
#ifdef __linux__
    // Through syscall: not every C library has a function for it. 1 is RENAME_NOREPLACE.
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1);
#else
    return renamex_np(from, to, RENAME_EXCL);
#endif
}

/// A lock of one byte of a file. LMDB's own are among the first of lock.mdb; ours is on data.mdb, far behind its end.
static inline struct flock patchbay_lock(short type, int64_t place) {
    struct flock lock = {0};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = place;
    lock.l_len = 1;
    return lock;
}

/// Takes LMDB's lock on a lock.mdb for this process alone, without waiting: LMDB itself shares the lock of the first
/// byte for as long as a process has the environment open. Returns 0, or -1 with `errno`.
static inline int patchbay_lock_alone(int descriptor) {
    struct flock lock = patchbay_lock(F_WRLCK, 0);
    return fcntl(descriptor, F_SETLK, &lock);
}

static const int64_t patchbay_writer_place = (int64_t)1 << 62;

/// Takes the place of the writer for this process, without waiting. Returns 0, or -1 with `errno`.
static inline int patchbay_lock_writer(int descriptor) {
    struct flock lock = patchbay_lock(F_WRLCK, patchbay_writer_place);
    return fcntl(descriptor, F_SETLK, &lock);
}

static inline void patchbay_unlock_writer(int descriptor) {
    struct flock lock = patchbay_lock(F_UNLCK, patchbay_writer_place);
    fcntl(descriptor, F_SETLK, &lock);
}

/// The process that has the place of the writer; 0 or less when nobody has it, or nobody knows who.
static inline int64_t patchbay_writer(int descriptor) {
    struct flock lock = patchbay_lock(F_WRLCK, patchbay_writer_place);
    return fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

/// Whether another process has the environment of a lock.mdb open.
static inline int patchbay_is_in_use(int descriptor) {
    struct flock lock = patchbay_lock(F_WRLCK, 0);
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/// Takes the room of a file's first bytes on the disk; its length stays. Returns 0 or an `errno`; 0 too where the file
/// system cannot do it.
static inline int patchbay_reserve(int descriptor, int64_t bytes) {
#ifdef __linux__
    // 1 is FALLOC_FL_KEEP_SIZE. Through syscall: the function is only there with GNU extensions.
    if (syscall(SYS_fallocate, descriptor, 1, (int64_t)0, bytes) == 0 || errno == EOPNOTSUPP) return 0;
    return errno;
#else
    return 0;
#endif
}

/// Asks the processor for some bytes of memory, so that they come one beside the other while it does something else.
static inline void patchbay_prefetch(const void *start, int64_t count) {
    for (int64_t offset = 0; offset < count; offset += 64) __builtin_prefetch((const char *)start + offset);
}
