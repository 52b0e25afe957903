#ifndef PATCHBAY_SYSTEM_H
#define PATCHBAY_SYSTEM_H

/// The C library, the same for Glibc and Musl: the system calls that Patchbay uses, under their usual names.
///
/// Swift imports neither functions with a variable number of arguments nor macros that are more than a number. Those
/// follow the includes, with the names and types that Swift's own modules of the C libraries give them.

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/// Creates a pipe that is not inherited by processes that other threads start at the same time: pipe2 with O_CLOEXEC.
/// The C library declares pipe2 only for _GNU_SOURCE, so Swift cannot call it. Returns 0, or -1 and sets errno.
int patchbay_pipe(int ends[2]);

/// Creates two connected local sockets that are not inherited either. Returns 0, or -1 and sets errno.
int patchbay_socket_pair(int ends[2]);

/// What Patchbay reads of the status of a file.
struct patchbay_status {
    unsigned long device, number;
    unsigned int mode, owner, group;
    unsigned long links;
    long bytes, blocks;
    struct timespec modified;
    /// When the file was created; zero where the file system does not record it.
    struct timespec born;
};

/// Reads the status at a path that starts in an open folder, or of the folder or file itself for an empty path: statx,
/// which alone returns the time of creation. Returns 0, or -1 and sets errno.
int patchbay_read_status(int folder, const char *path, int is_link_followed, struct patchbay_status *status);

/// Lets the calling thread run on one of the process's processors only, counted from 0 and beginning again after the
/// last; on all of them for a negative number. Where that is not permitted, it runs on the present ones.
void patchbay_choose_processor(long number);

/// Returns whether this process ignores a signal.
static inline int patchbay_ignores(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Returns where bytes first occur in others, or a null pointer, in time proportional to the sum of the lengths: memmem.
const void *patchbay_find(const void *all, size_t all_size, const void *part, size_t part_size);

#define SWIFT_NAME(name) __attribute__((swift_name(name)))

/// The variables of this process; the C library declares environ only for _GNU_SOURCE, too.
SWIFT_NAME("getter:environ()") char **patchbay_environment(void);

static inline SWIFT_NAME("getter:errno()") int patchbay_errno(void) { return errno; }
static inline SWIFT_NAME("setter:errno(newValue:)") void patchbay_set_errno(int number) { errno = number; }

/// Identifies the calling thread; pthread_t has another type in each C library.
static inline SWIFT_NAME("threadIdentity()") unsigned long patchbay_thread(void) {
    return (unsigned long)pthread_self();
}

static inline SWIFT_NAME("open(_:_:)") int patchbay_open(const char *path, int flags) {
    return open(path, flags);
}
static inline SWIFT_NAME("open(_:_:_:)") int patchbay_create(const char *path, int flags, mode_t mode) {
    return open(path, flags, mode);
}
static inline SWIFT_NAME("openat(_:_:_:)") int patchbay_open_at(int folder, const char *name, int flags) {
    return openat(folder, name, flags);
}
static inline SWIFT_NAME("openat(_:_:_:_:)") int patchbay_create_at(
    int folder, const char *name, int flags, mode_t mode) {
    return openat(folder, name, flags, mode);
}
static inline SWIFT_NAME("fcntl(_:_:)") int patchbay_fcntl(int descriptor, int command) {
    return fcntl(descriptor, command);
}
static inline SWIFT_NAME("fcntl(_:_:_:)") int patchbay_fcntl_with(int descriptor, int command, int value) {
    return fcntl(descriptor, command, value);
}
static inline SWIFT_NAME("ioctl(_:_:_:)") int patchbay_ioctl(int descriptor, unsigned long request, void *value) {
    return ioctl(descriptor, request, value);
}

/// The types and permissions of a file, as a mode.
#undef S_IFMT
#undef S_IFREG
#undef S_IFDIR
#undef S_IFLNK
#undef S_IFIFO
#undef S_IFSOCK
#undef S_IRGRP
#undef S_IWGRP
#undef S_IROTH
#undef S_IWOTH
static const mode_t S_IFMT = 0170000;
static const mode_t S_IFSOCK = 0140000;
static const mode_t S_IFLNK = 0120000;
static const mode_t S_IFREG = 0100000;
static const mode_t S_IFDIR = 0040000;
static const mode_t S_IFIFO = 0010000;
static const mode_t S_IRGRP = 0040;
static const mode_t S_IWGRP = 0020;
static const mode_t S_IROTH = 0004;
static const mode_t S_IWOTH = 0002;

/// The handlers of a signal that are no functions.
typedef void (*patchbay_signal_handler)(int);
static inline SWIFT_NAME("getter:SIG_DFL()") patchbay_signal_handler patchbay_default_signal(void) { return SIG_DFL; }
static inline SWIFT_NAME("getter:SIG_IGN()") patchbay_signal_handler patchbay_ignored_signal(void) { return SIG_IGN; }

static inline SWIFT_NAME("getter:MAP_FAILED()") void *patchbay_map_failed(void) { return MAP_FAILED; }

/// The limits of a process as numbers: Glibc declares them as an enumeration, Musl as macros.
static const int patchbay_limit_memory = RLIMIT_AS;
static const int patchbay_limit_files = RLIMIT_NOFILE;
static const int patchbay_limit_file_size = RLIMIT_FSIZE;
static const int patchbay_limit_stack = RLIMIT_STACK;

#endif
