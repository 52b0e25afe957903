#ifndef BARE_INTERNAL_H
#define BARE_INTERNAL_H

#include "bare.h"

_Noreturn void bare_fail(const char *what, const char *why);
// Memory of zeros.
void *bare_room(size_t bytes);
// A text as printf writes it, valid until the next call on this thread.
const char *bare_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Writes `format` with the number of each column, counted from `first`, separated by commas.
void bare_list(const bare_layout *layout, const char *format, unsigned first, char *text, size_t bytes);

enum { BARE_PREFIX_MAX = 256 };
// Writes the smallest text of `count` bytes that is greater than all with a prefix.
void bare_end_of_prefix(const char *prefix, size_t count, char end[BARE_PREFIX_MAX]);

#endif
