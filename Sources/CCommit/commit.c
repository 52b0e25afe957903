#include "CCommit.h"

#define TEXT(words) #words
#define EXPANDED(words) TEXT(words)

const char *patchbay_commit(void) {
#ifdef PATCHBAY_COMMIT
    return EXPANDED(PATCHBAY_COMMIT);
#else
    return "";
#endif
}
