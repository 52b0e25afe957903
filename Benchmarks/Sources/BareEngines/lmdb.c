#include "bare.h"
#include <lmdb.h>
#include <string.h>

// A record: the numbers except the id, the lengths of the texts plus one (0 is null), the texts.
typedef struct {
    int64_t numbers[ROW_NUMBERS - 1];
    uint16_t lengths[ROW_TEXTS];
} record_head;

typedef struct {
    MDB_env *environment;
    MDB_dbi users, logins;
    MDB_txn *writing;
    bool index_last;
} database;

typedef struct {
    database *db;
    MDB_txn *transaction;
    MDB_cursor *users, *logins;
} snapshot;

static void require(int status, const char *what) {
    if (status) fail(what, mdb_strerror(status));
}

static size_t encode(const row_user *user, unsigned char *out) {
    record_head head;
    size_t end = sizeof head;
    memcpy(head.numbers, user->numbers + 1, sizeof head.numbers);
    for (int field = 0; field < ROW_TEXTS; field++) {
        row_text text = user->texts[field];
        head.lengths[field] = text.start ? (uint16_t)(text.count + 1) : 0;
        if (text.count) memcpy(out + end, text.start, text.count);
        end += text.count;
    }
    memcpy(out, &head, sizeof head);
    return end;
}

// The texts are not copied.
static row_user decode(const MDB_val *key, const MDB_val *value) {
    row_user user;
    record_head head;
    memcpy(&head, value->mv_data, sizeof head);
    memcpy(user.numbers, key->mv_data, sizeof *user.numbers);
    memcpy(user.numbers + 1, head.numbers, sizeof head.numbers);
    const char *text = (const char *)value->mv_data + sizeof head;
    for (int field = 0; field < ROW_TEXTS; field++) {
        uint32_t count = head.lengths[field] ? head.lengths[field] - 1u : 0;
        user.texts[field] = (row_text){head.lengths[field] ? text : NULL, count};
        text += count;
    }
    return user;
}

static void *open_store(const char *folder, bool create, bool index_last) {
    database *db = room(sizeof *db);
    db->index_last = index_last;
    require(mdb_env_create(&db->environment), "environment");
    require(mdb_env_set_mapsize(db->environment, (size_t)128 << 30), "map size");
    require(mdb_env_set_maxdbs(db->environment, 2), "databases");
    static const unsigned levels[] = {0, MDB_NOMETASYNC, MDB_NOSYNC};
    require(mdb_env_open(db->environment, folder, MDB_NORDAHEAD | levels[level], 0644), folder);
    MDB_txn *transaction;
    require(mdb_txn_begin(db->environment, NULL, create ? 0 : MDB_RDONLY, &transaction), "begin");
    unsigned flags = create ? MDB_CREATE : 0;
    require(mdb_dbi_open(transaction, "users", flags | MDB_INTEGERKEY, &db->users), "users");
    require(mdb_dbi_open(transaction, "logins", flags, &db->logins), "logins");
    require(mdb_txn_commit(transaction), "commit");
    return db;
}

static void close_store(void *store) {
    database *db = store;
    mdb_env_close(db->environment);
    free(db);
}

static void begin(void *store) {
    database *db = store;
    require(mdb_txn_begin(db->environment, NULL, 0, &db->writing), "begin");
}

static void commit(void *store) { require(mdb_txn_commit(((database *)store)->writing), "commit"); }
static void settle(void *store) { require(mdb_env_sync(((database *)store)->environment, 1), "sync"); }

static MDB_val key_of(const int64_t *id) { return (MDB_val){sizeof *id, (void *)id}; }

static void insert(void *store, const row_user *user) {
    database *db = store;
    unsigned char record[sizeof(record_head) + ROW_TEXT_BYTES];
    MDB_val key = key_of(user->numbers), value = {encode(user, record), record};
    require(mdb_put(db->writing, db->users, &key, &value, MDB_APPEND), "insert");
    if (db->index_last) return;
    MDB_val login = {user->texts[ROW_LOGIN].count, (void *)user->texts[ROW_LOGIN].start};
    require(mdb_put(db->writing, db->logins, &login, &key, MDB_NOOVERWRITE), "insert login");
}

typedef struct {
    int64_t id;
    uint8_t count;
    char login[ROW_LOGIN_BYTES];
} entry;

static int order(const void *left, const void *right) {
    const entry *a = left, *b = right;
    int bytes = memcmp(a->login, b->login, a->count < b->count ? a->count : b->count);
    return bytes ? bytes : a->count - b->count;
}

// Collects all logins, sorts them and appends them.
static void build_index(void *store) {
    database *db = store;
    if (!db->index_last) return;
    begin(db);
    MDB_cursor *cursor;
    MDB_val key, value;
    MDB_stat status;
    require(mdb_stat(db->writing, db->users, &status), "count");
    entry *entries = room(status.ms_entries * sizeof *entries);
    size_t count = 0;
    require(mdb_cursor_open(db->writing, db->users, &cursor), "cursor");
    while (!mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
        row_user user = decode(&key, &value);
        entries[count].id = user.numbers[ROW_ID];
        entries[count].count = (uint8_t)user.texts[ROW_LOGIN].count;
        memcpy(entries[count++].login, user.texts[ROW_LOGIN].start, user.texts[ROW_LOGIN].count);
    }
    mdb_cursor_close(cursor);
    qsort(entries, count, sizeof *entries, order);
    for (size_t place = 0; place < count; place++) {
        MDB_val login = {entries[place].count, entries[place].login}, id = key_of(&entries[place].id);
        require(mdb_put(db->writing, db->logins, &login, &id, MDB_APPEND), "append login");
    }
    free(entries);
    commit(db);
}

static row_user stored(database *db, int64_t id, MDB_val *value) {
    MDB_val key = key_of(&id);
    require(mdb_get(db->writing, db->users, &key, value), "get");
    return decode(&key, value);
}

static void replace(database *db, const row_user *user) {
    unsigned char record[sizeof(record_head) + ROW_TEXT_BYTES];
    MDB_val key = key_of(user->numbers), value = {encode(user, record), record};
    require(mdb_put(db->writing, db->users, &key, &value, 0), "put");
}

static void save(void *store, const row_user *user) {
    database *db = store;
    MDB_val value;
    row_user merged = *user, old = stored(db, user->numbers[ROW_ID], &value);
    merged.numbers[ROW_FAVOURITE] = old.numbers[ROW_FAVOURITE];
    row_text was = old.texts[ROW_LOGIN], is = user->texts[ROW_LOGIN];
    if (was.count != is.count || memcmp(was.start, is.start, is.count)) {
        MDB_val gone = {was.count, (void *)was.start}, login = {is.count, (void *)is.start};
        MDB_val key = key_of(user->numbers);
        require(mdb_del(db->writing, db->logins, &gone, NULL), "delete login");
        require(mdb_put(db->writing, db->logins, &login, &key, MDB_NOOVERWRITE), "put login");
    }
    replace(db, &merged);
}

static void toggle(void *store, int64_t id) {
    MDB_val value;
    row_user user = stored(store, id, &value);
    user.numbers[ROW_FAVOURITE] ^= 1;
    replace(store, &user);
}

static void *open_reader(void *store) {
    snapshot *reader = room(sizeof *reader);
    reader->db = store;
    require(mdb_txn_begin(reader->db->environment, NULL, MDB_RDONLY, &reader->transaction), "begin");
    require(mdb_cursor_open(reader->transaction, reader->db->users, &reader->users), "cursor");
    require(mdb_cursor_open(reader->transaction, reader->db->logins, &reader->logins), "cursor");
    mdb_txn_reset(reader->transaction);
    return reader;
}

static void close_reader(void *handle) {
    snapshot *reader = handle;
    mdb_cursor_close(reader->users), mdb_cursor_close(reader->logins);
    mdb_txn_abort(reader->transaction);
    free(reader);
}

static void enter(snapshot *reader) { require(mdb_txn_renew(reader->transaction), "renew"); }
static void leave(snapshot *reader) { mdb_txn_reset(reader->transaction); }

static void take(const MDB_val *key, const MDB_val *value, visitor *visitor) {
    row_user user = decode(key, value);
    visitor_take(visitor, &user);
}

static bool found(int status) {
    if (status && status != MDB_NOTFOUND) require(status, "read");
    return !status;
}

static uint64_t get(void *handle, int64_t id, visitor *visitor) {
    snapshot *reader = handle;
    MDB_val key = key_of(&id), value;
    enter(reader);
    bool is_there = found(mdb_get(reader->transaction, reader->db->users, &key, &value));
    if (is_there) take(&key, &value, visitor);
    leave(reader);
    return is_there;
}

static uint64_t by_login(void *handle, const char *login, size_t count, visitor *visitor) {
    snapshot *reader = handle;
    MDB_val entry = {count, (void *)login}, key, value;
    enter(reader);
    bool is_there = found(mdb_get(reader->transaction, reader->db->logins, &entry, &key));
    if (is_there) {
        require(mdb_get(reader->transaction, reader->db->users, &key, &value), "row of login");
        take(&key, &value, visitor);
    }
    leave(reader);
    return is_there;
}

static uint64_t page(void *handle, int64_t id, unsigned limit, bool back, visitor *visitor) {
    snapshot *reader = handle;
    if (!back) id++;
    MDB_val key = key_of(&id), value;
    uint64_t count = 0;
    enter(reader);
    require(mdb_cursor_renew(reader->transaction, reader->users), "renew");
    bool more = found(mdb_cursor_get(reader->users, &key, &value, MDB_SET_RANGE));
    if (back) more = found(mdb_cursor_get(reader->users, &key, &value, more ? MDB_PREV : MDB_LAST));
    while (more && count < limit) {
        take(&key, &value, visitor);
        if (++count < limit) more = found(mdb_cursor_get(reader->users, &key, &value, back ? MDB_PREV : MDB_NEXT));
    }
    leave(reader);
    return count;
}

static uint64_t prefix(void *handle, const char *start, size_t bytes, unsigned limit, visitor *visitor) {
    snapshot *reader = handle;
    MDB_val login = {bytes, (void *)start}, key, value;
    uint64_t count = 0;
    enter(reader);
    require(mdb_cursor_renew(reader->transaction, reader->logins), "renew");
    bool more = found(mdb_cursor_get(reader->logins, &login, &key, MDB_SET_RANGE));
    while (more && login.mv_size >= bytes && !memcmp(login.mv_data, start, bytes)) {
        require(mdb_get(reader->transaction, reader->db->users, &key, &value), "row of login");
        take(&key, &value, visitor);
        if (++count == limit) break;
        more = found(mdb_cursor_get(reader->logins, &login, &key, MDB_NEXT));
    }
    leave(reader);
    return count;
}

static uint64_t scan(void *handle, visitor *visitor) {
    snapshot *reader = handle;
    MDB_val key, value;
    uint64_t count = 0;
    enter(reader);
    require(mdb_cursor_renew(reader->transaction, reader->users), "renew");
    for (; found(mdb_cursor_get(reader->users, &key, &value, MDB_NEXT)); count++) take(&key, &value, visitor);
    leave(reader);
    return count;
}

const engine lmdb_engine = {
    "lmdb", open_store, close_store, build_index, settle, begin, insert, save, toggle, commit,
    open_reader, close_reader, get, by_login, page, prefix, scan,
};
