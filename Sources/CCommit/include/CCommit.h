#ifndef PATCHBAY_COMMIT_H
#define PATCHBAY_COMMIT_H

/// The commit, its date and the version of Swift, `7a12b62 2026-11-21 6.3.1`, with `-dirty` after the commit when files
/// had been changed.
/// Empty when the build does not define PATCHBAY_COMMIT, which `make` does.
const char *patchbay_commit(void);

#endif
