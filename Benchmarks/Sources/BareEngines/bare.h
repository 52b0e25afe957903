// Storage operations directly on an engine's C API: prepared statements or cursors, and a record format of its own. A
// failing call ends the program.
#ifndef BARE_H
#define BARE_H

#include "benchmark_rows.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// Receives each row that a read finds.
typedef struct {
    // Whether each row is copied into a structure on the heap that owns its texts, as a caller that keeps it needs.
    bool owned;
    uint64_t digest;
    // The owned rows of the current read; at most `kept_max`.
    row_user **kept;
    size_t kept_count, kept_max;
} visitor;

void visitor_take(visitor *visitor, const row_user *user);
// Reads every field of the owned rows and frees them.
void visitor_finish(visitor *visitor);

// What a commit survives: a power cut; the end of the process; the same, but a power cut may damage the store.
typedef enum { FULL, NORMAL, OFF } durability;
extern durability level;

typedef struct {
    const char *name;
    // Opens the store in a folder. `create` makes an empty one; `index_last` leaves out the index by login.
    void *(*open)(const char *folder, bool create, bool index_last);
    void (*close)(void *store);
    // Builds the index by login if it was left out.
    void (*build_index)(void *store);
    // Writes everything to the disk, including the log.
    void (*settle)(void *store);

    void (*begin)(void *store);
    void (*insert)(void *store, const row_user *user);
    // Replaces an existing row except for its favourite flag.
    void (*save)(void *store, const row_user *user);
    void (*toggle)(void *store, int64_t id);
    // Returns when the changes are as durable as `level` requires.
    void (*commit)(void *store);

    // One reader per thread. Each read is a separate transaction and returns the number of rows found.
    void *(*reader)(void *store);
    void (*reader_close)(void *reader);
    uint64_t (*get)(void *reader, int64_t id, visitor *visitor);
    uint64_t (*by_login)(void *reader, const char *login, size_t count, visitor *visitor);
    uint64_t (*page)(void *reader, int64_t id, unsigned limit, bool back, visitor *visitor);
    uint64_t (*prefix)(void *reader, const char *prefix, size_t count, unsigned limit, visitor *visitor);
    uint64_t (*scan)(void *reader, visitor *visitor);
} engine;

extern const engine sqlite_engine, lmdb_engine;

_Noreturn void fail(const char *what, const char *why);

static inline void *room(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (!memory) fail("memory", "none left");
    return memory;
}

#endif
