#ifndef PATCHBAY_COMMIT_H
#define PATCHBAY_COMMIT_H

/// The commit that the program was built from and its day, `7a12b62 2026-11-21`, with `-dirty` behind the commit when
/// files had been changed; an empty text when the build was not told (`make` tells it as PATCHBAY_COMMIT).
const char *patchbay_commit(void);

#endif
