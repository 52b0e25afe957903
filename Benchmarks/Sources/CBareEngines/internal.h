#ifndef BARE_INTERNAL_H
#define BARE_INTERNAL_H

#include "bare.h"

_Noreturn void bare_fail(const char *what, const char *why);
// Memory of zeros.
void *bare_room(size_t bytes);

#endif
