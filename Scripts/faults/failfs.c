/*
 * A library for LD_PRELOAD that records the disk calls of a program and makes one of them fail. faults.py builds it
 * and explains the tests that use it.
 *
 *   FAILFS_ROOT    the real path of a folder; calls for other files pass through
 *   FAILFS_RECORD  a file to which the calls and the bytes on standard output are appended in their order
 *   FAILFS_RULE    KIND:NUMBER:ACTION, where KIND is a letter of `enum kind` or * for every kind that changes the disk,
 *                  and NUMBER counts the calls of that kind from 1. With + after it, all later calls fail, too.
 *                  Actions: EIO and ENOSPC (the call fails), short (a write stores half of its bytes and returns their
 *                  number), kill (SIGKILL before the call), torn (SIGKILL after half of a write; before other calls),
 *                  killafter (SIGKILL after the call)
 *
 * Writes through a mapping, stdio, and calls without the C library are not seen; faults.py detects what they changed by
 * comparing the recorded files with the real ones. The calls are carried out by syscall(2) on 64-bit Linux.
 */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind {
    OPEN = 'O', CREATE = 'C', WRITE = 'W', FLUSH = 'F', TRUNCATE = 'T', RENAME = 'R', LINK = 'L', REMOVE = 'X',
    FOLDER = 'M', MAP = 'P', OUTPUT = 'A', INJECTED = 'I'
};
enum action { NONE, FAIL, SHORT, KILL, TORN, KILL_AFTER };

static char root[PATH_MAX];
static size_t root_length; /* 0: nothing is recorded and nothing fails */
static int record_descriptor = -1;
static struct { char kind; long at; int lasts; enum action action; int error; } rule;
static long seen;
/* Held from the decision to the record of a call, so that the record has the order of the calls. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void start(void) {
    const char *folder = getenv("FAILFS_ROOT"), *record = getenv("FAILFS_RECORD"), *text = getenv("FAILFS_RULE");
    if (!folder) return;
    if (record) {
        int descriptor = syscall(SYS_openat, AT_FDCWD, record, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        record_descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 900); /* away from the program's descriptors */
        syscall(SYS_close, descriptor);
    }
    if (text) {
        static const struct { const char *name; enum action action; int error; } actions[] = {
            {"EIO", FAIL, EIO}, {"ENOSPC", FAIL, ENOSPC}, {"short", SHORT, 0},
            {"kill", KILL, 0}, {"torn", TORN, 0}, {"killafter", KILL_AFTER, 0},
        };
        char *rest;
        rule.kind = text[0];
        rule.at = strtol(text + 2, &rest, 10);
        if (*rest == '+') rule.lasts = 1, rest++;
        for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
            if (!strcmp(rest + 1, actions[i].name)) rule.action = actions[i].action, rule.error = actions[i].error;
        if (!rule.action) { dprintf(2, "failfs: cannot read the rule %s\n", text); _exit(125); }
    }
    root_length = snprintf(root, sizeof root, "%s", folder);
}

/* ---- paths ---- */

static int is_inside(const char *path) {
    return !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}

static int path_of(int descriptor, char *path) {
    char link[64];
    if (!root_length) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_inside(path);
}

/* The real path of a name, which need not exist. Its folder may contain links, such as /proc/self/fd/3. */
static int resolve(int folder, const char *name, char *path) {
    char full[PATH_MAX] = "", *last;
    if (!root_length) return 0;
    if (name[0] == '/') snprintf(full, sizeof full, "%s", name);
    else if (folder == AT_FDCWD) snprintf(full, sizeof full, "./%s", name);
    else snprintf(full, sizeof full, "/proc/self/fd/%d/%s", folder, name);
    for (last = strrchr(full, '/'); last > full && !last[1]; last = strrchr(full, '/')) *last = 0;
    *last = 0;
    if (!realpath(full[0] ? full : "/", path)) return 0;
    size_t length = strlen(path);
    snprintf(path + length, PATH_MAX - length, "/%s", last + 1);
    return is_inside(path);
}

/* ---- the record and the rule ---- */

static void record(enum kind kind, int descriptor, long offset, const char *bytes, size_t count) {
    struct { char kind, is_durable, is_folder, unused; uint32_t count; uint64_t inode; int64_t offset; } header = {
        .kind = kind, .count = count, .offset = offset };
    struct stat status;
    if (record_descriptor < 0) return;
    if (descriptor >= 0 && !fstat(descriptor, &status)) {
        header.inode = status.st_ino;
        header.is_folder = S_ISDIR(status.st_mode);
        header.is_durable = (fcntl(descriptor, F_GETFL) & O_DSYNC) != 0;
    }
    struct iovec parts[] = {{&header, sizeof header}, {(void *)bytes, count}};
    syscall(SYS_writev, record_descriptor, parts, 2);
}

static void record_path(enum kind kind, int descriptor, const char *path) {
    record(kind, descriptor, 0, path + root_length, strlen(path + root_length));
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* Begins a call: returns what to do with it, and for FAIL sets errno. Only `end` releases the mutex. */
static enum action begin(enum kind kind) {
    pthread_mutex_lock(&mutex);
    int changes = kind != OPEN && kind != MAP && kind != OUTPUT;
    int matches = rule.kind == '*' ? changes : rule.kind == (char)kind;
    if (!matches || (++seen != rule.at && !(rule.lasts && seen > rule.at))) return NONE;
    record(INJECTED, -1, 0, "", 0);
    if (rule.action == KILL || (rule.action == TORN && kind != WRITE)) die();
    errno = rule.error;
    return rule.action;
}

static long end(enum action action, long result) {
    int error = errno;
    if (action == TORN || action == KILL_AFTER) die();
    pthread_mutex_unlock(&mutex);
    errno = error;
    return result;
}

/* ---- the calls ---- */

/* The body of a function that carries a call out as it is, or as the rule demands, and records its success. */
#define CALL(kind, is_inside, call, recording) \
    if (!(is_inside)) return call;             \
    enum action action = begin(kind);          \
    if (action == FAIL) return end(action, -1); \
    long result = call;                        \
    if (result >= 0) recording;                \
    return end(action, result);

static int open_file(int folder, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX];
    int is_here = resolve(folder, name, path);
    int creates = is_here && (flags & O_CREAT) && syscall(SYS_faccessat, folder, name, F_OK);
    CALL(creates ? CREATE : OPEN, is_here, syscall(SYS_openat, folder, name, flags, mode), {
        record_path(creates ? CREATE : OPEN, result, path);
        if (!creates && (flags & O_TRUNC)) record(TRUNCATE, result, 0, "", 0);
    })
}
static mode_t mode_of(int flags, va_list arguments) {
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return mode;
}
int open(const char *name, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    return open_file(AT_FDCWD, name, flags, mode_of(flags, arguments));
}
int openat(int folder, const char *name, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    return open_file(folder, name, flags, mode_of(flags, arguments));
}

static ssize_t write_parts(int descriptor, const struct iovec *parts, int count, off_t offset, int has_offset) {
    char path[PATH_MAX];
    int is_output = descriptor == STDOUT_FILENO && record_descriptor >= 0;
    if (!is_output && !path_of(descriptor, path))
        return has_offset ? syscall(SYS_pwritev, descriptor, parts, count, offset, 0)
                          : syscall(SYS_writev, descriptor, parts, count);
    enum kind kind = is_output ? OUTPUT : WRITE;
    enum action action = begin(kind);
    if (action == FAIL) return end(action, -1);
    size_t length = 0, filled = 0;
    for (int i = 0; i < count; i++) length += parts[i].iov_len;
    char *bytes = malloc(length + 1);
    for (int i = 0; i < count; filled += parts[i++].iov_len)
        memcpy(bytes + filled, parts[i].iov_base, parts[i].iov_len);
    if (action == SHORT || action == TORN) length = (length + 1) / 2;
    if (!has_offset && !is_output)
        offset = lseek(descriptor, 0, fcntl(descriptor, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
    ssize_t written = has_offset ? syscall(SYS_pwrite64, descriptor, bytes, length, offset)
                                 : syscall(SYS_write, descriptor, bytes, length);
    if (written > 0) record(kind, descriptor, offset, bytes, written);
    free(bytes);
    return end(action, written);
}
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    return write_parts(descriptor, parts, count, 0, 0);
}
ssize_t write(int descriptor, const void *bytes, size_t count) {
    return write_parts(descriptor, &(struct iovec){(void *)bytes, count}, 1, 0, 0);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return write_parts(descriptor, &(struct iovec){(void *)bytes, count}, 1, offset, 1);
}

static int flush(long number, int descriptor) {
    char path[PATH_MAX];
    CALL(FLUSH, path_of(descriptor, path), syscall(number, descriptor), record_path(FLUSH, descriptor, path))
}
int fsync(int descriptor) { return flush(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return flush(SYS_fdatasync, descriptor); }

int ftruncate(int descriptor, off_t size) {
    char path[PATH_MAX];
    CALL(TRUNCATE, path_of(descriptor, path), syscall(SYS_ftruncate, descriptor, size),
         record(TRUNCATE, descriptor, size, "", 0))
}

static int two_names(enum kind kind, int from, const char *old, int to, const char *new) {
    char path[PATH_MAX], paths[2 * PATH_MAX];
    int is_here = resolve(from, old, paths) & resolve(to, new, path);
    CALL(kind, is_here, syscall(kind == LINK ? SYS_linkat : SYS_renameat2, from, old, to, new, 0), {
        size_t length = strlen(paths) + 1;
        length += snprintf(paths + length, PATH_MAX, "%s", path + root_length);
        record(kind, -1, 0, paths + root_length, length - root_length);
    })
}
int renameat(int from, const char *old, int to, const char *new) { return two_names(RENAME, from, old, to, new); }
int rename(const char *old, const char *new) { return two_names(RENAME, AT_FDCWD, old, AT_FDCWD, new); }
int link(const char *old, const char *new) { return two_names(LINK, AT_FDCWD, old, AT_FDCWD, new); }

int unlinkat(int folder, const char *name, int flags) {
    char path[PATH_MAX];
    CALL(REMOVE, resolve(folder, name, path), syscall(SYS_unlinkat, folder, name, flags),
         record_path(REMOVE, -1, path))
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }

int mkdirat(int folder, const char *name, mode_t mode) {
    char path[PATH_MAX];
    CALL(FOLDER, resolve(folder, name, path), syscall(SYS_mkdirat, folder, name, mode), record_path(FOLDER, -1, path))
}
int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

static long map(void *start, size_t length, int protection, int flags, int descriptor, off_t offset) {
    char path[PATH_MAX];
    CALL(MAP, descriptor >= 0 && path_of(descriptor, path),
         syscall(SYS_mmap, start, length, protection, flags, descriptor, offset), record_path(MAP, descriptor, path))
}
void *mmap(void *start, size_t length, int protection, int flags, int descriptor, off_t offset) {
    return (void *)map(start, length, protection, flags, descriptor, offset);
}

/* Other names of the same calls, for large files and for checked arguments. */
#define SAME(name, other) extern __typeof(name) other __attribute__((alias(#name)))
SAME(open, open64);
SAME(open, __open_2);
SAME(open, __open64_2);
SAME(openat, openat64);
SAME(openat, __openat_2);
SAME(openat, __openat64_2);
SAME(pwrite, pwrite64);
SAME(ftruncate, ftruncate64);
SAME(mmap, mmap64);
