#include <lmdb.h>

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>

/// What the file system says about a file or folder. Swift finds `struct stat` in a different module with every set of
/// imports, so it is read here.
typedef struct {
    int64_t bytes;
    uint64_t device, number;
    /// 0, or the errno of the call that failed.
    int32_t error;
} patchbay_file_status;

static inline patchbay_file_status patchbay_status(int code, const struct stat *status) {
    patchbay_file_status answer = {0, 0, 0, 0};
    if (code != 0) {
        answer.error = errno;
    } else {
        answer.bytes = status->st_size;
        answer.device = status->st_dev;
        answer.number = status->st_ino;
    }
    return answer;
}

static inline patchbay_file_status patchbay_status_of_path(const char *path) {
    struct stat status;
    return patchbay_status(stat(path, &status), &status);
}

static inline patchbay_file_status patchbay_status_of_file(int descriptor) {
    struct stat status;
    return patchbay_status(fstat(descriptor, &status), &status);
}
