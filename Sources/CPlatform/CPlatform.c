#define _GNU_SOURCE
#include "CPlatform.h"

#include <sched.h>
#include <string.h>
#include <sys/sysmacros.h>

int patchbay_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int patchbay_socket_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); }

const void *patchbay_find(const void *all, size_t all_size, const void *part, size_t part_size) {
    return memmem(all, all_size, part, part_size);
}

static struct timespec time_of(struct statx_timestamp time) {
    return (struct timespec){.tv_sec = time.tv_sec, .tv_nsec = time.tv_nsec};
}

int patchbay_read_status(int folder, const char *path, int is_link_followed, struct patchbay_status *status) {
    struct statx found;
    int flags = (is_link_followed ? 0 : AT_SYMLINK_NOFOLLOW) | (*path ? 0 : AT_EMPTY_PATH);
    if (statx(folder, path, flags, STATX_BASIC_STATS | STATX_BTIME, &found)) return -1;
    status->device = makedev(found.stx_dev_major, found.stx_dev_minor);
    status->number = found.stx_ino;
    status->mode = found.stx_mode;
    status->owner = found.stx_uid;
    status->group = found.stx_gid;
    status->links = found.stx_nlink;
    status->bytes = found.stx_size;
    status->blocks = found.stx_blocks;
    status->modified = time_of(found.stx_mtime);
    if (found.stx_mask & STATX_BTIME) status->born = time_of(found.stx_btime);
    return 0;
}

static cpu_set_t processors;

/* The first thread that asks has not chosen one yet. */
static void find_processors(void) {
    if (sched_getaffinity(0, sizeof processors, &processors)) CPU_ZERO(&processors);
}

void patchbay_choose_processor(long number) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_processors);
    cpu_set_t chosen = processors;
    int count = CPU_COUNT(&processors);
    if (number >= 0 && count > 0) {
        long left = number % count;
        CPU_ZERO(&chosen);
        for (int each = 0; each < CPU_SETSIZE; each++)
            if (CPU_ISSET(each, &processors) && left-- == 0) CPU_SET(each, &chosen);
    }
    sched_setaffinity(0, sizeof chosen, &chosen);
}

char **patchbay_environment(void) { return environ; }
