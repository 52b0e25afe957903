#include "internal.h"
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A record: for each column a number, or the length of a text plus one (0 is null); then the texts. Which columns are
// texts and which are not null, as two sets of bits, comes first. An entry of an index: the text in lower case, a zero
// and the key, the highest byte first.
typedef struct {
    uint64_t texts, present;
    int64_t slots[];
} record;

enum { RECORD_BYTES_MAX = 1 << 16, ENTRY_BYTES_MAX = 500 };

typedef struct {
    bare_layout layout;
    MDB_env *environment;
    MDB_dbi users, indexes[BARE_INDEXES_MAX];
    // The transaction for reads and its cursors, renewed for each.
    MDB_txn *reading;
    MDB_cursor *rows, *entries[BARE_INDEXES_MAX];
} database;

static void require(int status, const char *what) {
    if (status) bare_fail(what, mdb_strerror(status));
}

static bool found_one(int status) {
    if (status && status != MDB_NOTFOUND) require(status, "read");
    return !status;
}

static size_t encode(const bare_layout *layout, const bare_value *row, void *out) {
    record *head = out;
    size_t end = sizeof *head + layout->columns * sizeof *head->slots;
    head->texts = head->present = 0;
    for (unsigned column = 0; column < layout->columns; column++) {
        bare_value value = row[column];
        head->slots[column] = value.kind == BARE_TEXT ? value.count : value.number;
        head->present |= (uint64_t)(value.kind != BARE_NULL) << column;
        head->texts |= (uint64_t)(value.kind == BARE_TEXT) << column;
        if (value.kind != BARE_TEXT) continue;
        if (end + value.count > RECORD_BYTES_MAX) bare_fail("record", "too long");
        memcpy((char *)out + end, value.text, value.count);
        end += value.count;
    }
    return end;
}

// The texts are not copied.
static void decode(const bare_layout *layout, const MDB_val *value, bare_value *row) {
    const record *head = value->mv_data;
    const char *text = (const char *)(head->slots + layout->columns);
    for (unsigned column = 0; column < layout->columns; column++) {
        if (!(head->present >> column & 1)) {
            row[column] = (bare_value){.kind = BARE_NULL};
        } else if (head->texts >> column & 1) {
            row[column] = (bare_value){.kind = BARE_TEXT, .count = (uint32_t)head->slots[column], .text = text};
            text += row[column].count;
        } else {
            row[column] = (bare_value){.kind = BARE_NUMBER, .number = head->slots[column]};
        }
    }
}

static size_t fold(const char *text, size_t count, unsigned char *out) {
    if (count > ENTRY_BYTES_MAX - 9) bare_fail("index", "too long");
    for (size_t place = 0; place < count; place++)
        out[place] = (unsigned char)(text[place] >= 'A' && text[place] <= 'Z' ? text[place] | 32 : text[place]);
    return count;
}

static size_t entry(bare_value value, int64_t key, unsigned char *out) {
    size_t end = fold(value.text, value.count, out);
    out[end++] = 0;
    for (int shift = 56; shift >= 0; shift -= 8) out[end++] = (unsigned char)((uint64_t)key >> shift);
    return end;
}

static MDB_val key_of(const int64_t *key) { return (MDB_val){sizeof *key, (void *)key}; }

static void *open_store(const char *folder, const bare_layout *layout, bare_durability durability) {
    database *db = bare_room(sizeof *db);
    db->layout = *layout;
    require(mdb_env_create(&db->environment), "environment");
    require(mdb_env_set_mapsize(db->environment, (size_t)128 << 30), "map size");
    require(mdb_env_set_maxdbs(db->environment, 1 + BARE_INDEXES_MAX), "databases");
    static const unsigned levels[] = {0, MDB_NOMETASYNC, MDB_NOSYNC};
    // Not tied to a thread, because tasks move between threads.
    require(mdb_env_open(db->environment, folder, MDB_NORDAHEAD | MDB_NOTLS | levels[durability], 0644), folder);
    MDB_txn *transaction;
    require(mdb_txn_begin(db->environment, NULL, 0, &transaction), "begin");
    require(mdb_dbi_open(transaction, "users", MDB_CREATE | MDB_INTEGERKEY, &db->users), "users");
    for (unsigned index = 0; index < layout->indexes; index++) {
        char name[16];
        snprintf(name, sizeof name, "by_c%u", layout->indexed[index]);
        require(mdb_dbi_open(transaction, name, MDB_CREATE, &db->indexes[index]), name);
    }
    require(mdb_txn_commit(transaction), "commit");
    require(mdb_txn_begin(db->environment, NULL, MDB_RDONLY, &db->reading), "begin");
    require(mdb_cursor_open(db->reading, db->users, &db->rows), "cursor");
    for (unsigned index = 0; index < layout->indexes; index++)
        require(mdb_cursor_open(db->reading, db->indexes[index], &db->entries[index]), "cursor");
    mdb_txn_reset(db->reading);
    return db;
}

static void close_store(void *store) {
    database *db = store;
    mdb_cursor_close(db->rows);
    for (unsigned index = 0; index < db->layout.indexes; index++) mdb_cursor_close(db->entries[index]);
    mdb_txn_abort(db->reading);
    mdb_env_close(db->environment);
    free(db);
}

// Removes the entries of a stored row whose texts change; `kept` says which indexes need no new entry.
static void remove_entries(database *db, MDB_txn *writing, const bare_value *row, int64_t key, bool *kept) {
    MDB_val name = key_of(&key), value;
    if (!found_one(mdb_get(writing, db->users, &name, &value))) return;
    bare_value old[BARE_COLUMNS_MAX];
    decode(&db->layout, &value, old);
    for (unsigned index = 0; index < db->layout.indexes; index++) {
        bare_value was = old[db->layout.indexed[index]], is = row[db->layout.indexed[index]];
        bool is_as_long = was.kind == is.kind && was.count == is.count;
        kept[index] = is_as_long && (!is.count || !memcmp(was.text, is.text, is.count));
        if (kept[index] || was.kind != BARE_TEXT) continue;
        unsigned char bytes[ENTRY_BYTES_MAX];
        MDB_val gone = {entry(was, key, bytes), bytes};
        require(mdb_del(writing, db->indexes[index], &gone, NULL), "delete entry");
    }
}

static void put_row(database *db, MDB_txn *writing, const bare_value *row) {
    _Alignas(8) unsigned char bytes[RECORD_BYTES_MAX];
    int64_t key = row[db->layout.key].number;
    bool kept[BARE_INDEXES_MAX] = {false};
    MDB_val name = key_of(&key), value = {encode(&db->layout, row, bytes), bytes};
    int status = mdb_put(writing, db->users, &name, &value, MDB_APPEND);
    if (status == MDB_KEYEXIST) {
        remove_entries(db, writing, row, key, kept);
        status = mdb_put(writing, db->users, &name, &value, 0);
    }
    require(status, "put");
    for (unsigned index = 0; index < db->layout.indexes; index++) {
        bare_value text = row[db->layout.indexed[index]];
        if (kept[index] || text.kind != BARE_TEXT) continue;
        unsigned char entry_bytes[ENTRY_BYTES_MAX];
        MDB_val added = {entry(text, key, entry_bytes), entry_bytes}, nothing = {0, ""};
        require(mdb_put(writing, db->indexes[index], &added, &nothing, 0), "put entry");
    }
}

static void put(void *store, const bare_rows *rows) {
    database *db = store;
    MDB_txn *writing;
    require(mdb_txn_begin(db->environment, NULL, 0, &writing), "begin");
    for (size_t place = 0; place < rows->count; place++) put_row(db, writing, rows->rows[place]);
    require(mdb_txn_commit(writing), "commit");
}

static void enter(database *db, MDB_cursor *cursor) {
    require(mdb_txn_renew(db->reading), "renew");
    if (cursor) require(mdb_cursor_renew(db->reading, cursor), "renew");
}

static void take(database *db, const MDB_val *value, bare_rows *found) {
    bare_value row[BARE_COLUMNS_MAX];
    decode(&db->layout, value, row);
    bare_rows_add(found, row);
}

static void get(void *store, int64_t key, bare_rows *found) {
    database *db = store;
    MDB_val name = key_of(&key), value;
    enter(db, NULL);
    if (found_one(mdb_get(db->reading, db->users, &name, &value))) take(db, &value, found);
    mdb_txn_reset(db->reading);
}

static void page(void *store, int64_t key, unsigned limit, bool back, bare_rows *found) {
    database *db = store;
    if (!back) key++;
    MDB_val name = key_of(&key), value;
    enter(db, db->rows);
    bool more = found_one(mdb_cursor_get(db->rows, &name, &value, MDB_SET_RANGE));
    if (back) more = found_one(mdb_cursor_get(db->rows, &name, &value, more ? MDB_PREV : MDB_LAST));
    for (unsigned count = 0; more && count < limit;) {
        take(db, &value, found);
        if (++count < limit) more = found_one(mdb_cursor_get(db->rows, &name, &value, back ? MDB_PREV : MDB_NEXT));
    }
    mdb_txn_reset(db->reading);
}

static void search(void *store, unsigned index, const char *text, size_t count, bool prefix, unsigned limit,
                   bare_rows *found) {
    database *db = store;
    unsigned char wanted[ENTRY_BYTES_MAX];
    size_t bytes = fold(text, count, wanted);
    if (!prefix) wanted[bytes++] = 0;
    MDB_val entry = {bytes, wanted}, nothing, value;
    enter(db, db->entries[index]);
    bool more = found_one(mdb_cursor_get(db->entries[index], &entry, &nothing, MDB_SET_RANGE));
    for (unsigned taken = 0; more && entry.mv_size >= bytes && !memcmp(entry.mv_data, wanted, bytes);) {
        const unsigned char *end = (const unsigned char *)entry.mv_data + entry.mv_size - 8;
        uint64_t key = 0;
        for (int place = 0; place < 8; place++) key = key << 8 | end[place];
        MDB_val name = {sizeof key, &key};
        require(mdb_get(db->reading, db->users, &name, &value), "row of an entry");
        take(db, &value, found);
        if (++taken == limit) break;
        more = found_one(mdb_cursor_get(db->entries[index], &entry, &nothing, MDB_NEXT));
    }
    mdb_txn_reset(db->reading);
}

static const char *version(void) { return mdb_version(NULL, NULL, NULL); }

const bare_engine bare_lmdb = {"bare-lmdb", version, open_store, close_store, put, get, page, search};
