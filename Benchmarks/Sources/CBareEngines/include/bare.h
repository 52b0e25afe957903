// Storage operations directly on an engine's C API: prepared statements or cursors, and a record format of its own. A
// failing call ends the program.
#ifndef BARE_H
#define BARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A value of bytes counts as a text.
typedef enum { BARE_NULL, BARE_NUMBER, BARE_TEXT, BARE_BYTES } bare_kind;

// A value of a row. A text is not terminated and not copied.
typedef struct {
    bare_kind kind;
    uint32_t count;
    int64_t number;
    const char *text;
} bare_value;

// The rows of a store. `key` is the position of the number that identifies a row, `indexed` are those of texts that are
// found without regard to the case of A to Z. `kinds` are those of the columns' values.
enum { BARE_COLUMNS_MAX = 64, BARE_INDEXES_MAX = 4 };
typedef struct {
    unsigned columns, key, indexes;
    unsigned indexed[BARE_INDEXES_MAX];
    bare_kind kinds[BARE_COLUMNS_MAX];
} bare_layout;

void bare_layout_add(bare_layout *layout, bare_kind kind);
void bare_layout_index(bare_layout *layout, unsigned column);

// Rows on the heap that own their texts, as a caller that keeps them needs.
typedef struct {
    unsigned columns;
    size_t count, capacity;
    bare_value **rows;
} bare_rows;

bare_rows *bare_rows_create(unsigned columns);
void bare_rows_add(bare_rows *rows, const bare_value *row);
void bare_rows_free(bare_rows *rows);

// What a commit survives: a power cut; the end of the process; the same, but a power cut may damage the store.
typedef enum { BARE_FULL, BARE_NORMAL, BARE_OFF } bare_durability;

typedef struct {
    const char *name;
    const char *(*version)(void);
    // Opens the store in a folder, or creates it.
    void *(*open)(const char *folder, const bare_layout *layout, bare_durability durability);
    void (*close)(void *store);
    // Inserts or replaces rows in one transaction.
    void (*put)(void *store, const bare_rows *rows);
    // Each read is a separate transaction and adds the rows that it finds.
    void (*get)(void *store, int64_t key, bare_rows *found);
    // The rows after a key, or before it in descending order.
    void (*page)(void *store, int64_t key, unsigned limit, bool back, bare_rows *found);
    // The rows whose text in an index equals a text, or begins with it; in the order of the index.
    void (*search)(void *store, unsigned index, const char *text, size_t count, bool prefix, unsigned limit,
                   bare_rows *found);
    // Removes a store that is not in files; null for the others.
    void (*erase)(const char *folder);
} bare_engine;

extern const bare_engine bare_sqlite, bare_lmdb, bare_postgres;

#endif
