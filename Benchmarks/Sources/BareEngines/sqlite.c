#include "bare.h"
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#define NUMBERS                                                                                                        \
    "id, public_repos, public_gists, followers, following, created_at, updated_at, fetched_at, site_admin, favourite"
#define TEXTS                                                                                                          \
    "login, node_id, avatar_url, html_url, url, type, name, company, blog, location, email, bio, twitter_username"
#define ROWS "SELECT " NUMBERS ", " TEXTS " FROM users "
#define PLACES "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
#define ROW_FIELDS (ROW_NUMBERS + ROW_TEXTS)

typedef struct {
    sqlite3 *handle;
    char path[4096];
    sqlite3_stmt *begin, *commit, *insert, *save, *toggle;
    sqlite3_stmt *get, *by_login, *after, *before, *prefix, *scan;
} connection;

static void require(const connection *db, bool holds, const char *what) {
    if (!holds) fail(what, sqlite3_errmsg(db->handle));
}

static void execute(connection *db, const char *sql) {
    require(db, sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK, sql);
}

static sqlite3_stmt *prepare(connection *db, const char *sql) {
    sqlite3_stmt *statement;
    int status = sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    require(db, status == SQLITE_OK, sql);
    return statement;
}

static void finish(connection *db, sqlite3_stmt *statement) {
    require(db, sqlite3_step(statement) == SQLITE_DONE, sqlite3_sql(statement));
    sqlite3_reset(statement);
}

static void create_index(connection *db) { execute(db, "CREATE UNIQUE INDEX IF NOT EXISTS by_login ON users(login)"); }

static void create_table(connection *db) {
    execute(db, "CREATE TABLE users(id INTEGER PRIMARY KEY, public_repos INTEGER NOT NULL, public_gists INTEGER NOT NULL,"
                "followers INTEGER NOT NULL, following INTEGER NOT NULL, created_at INTEGER NOT NULL,"
                "updated_at INTEGER NOT NULL, fetched_at INTEGER NOT NULL, site_admin INTEGER NOT NULL,"
                "favourite INTEGER NOT NULL, login TEXT NOT NULL, node_id TEXT NOT NULL, avatar_url TEXT NOT NULL,"
                "html_url TEXT NOT NULL, url TEXT NOT NULL, type TEXT NOT NULL, name TEXT, company TEXT, blog TEXT,"
                "location TEXT, email TEXT, bio TEXT, twitter_username TEXT) STRICT");
}

static connection *connect_to(const char *path, bool create, bool index_last) {
    connection *db = room(sizeof *db);
    snprintf(db->path, sizeof db->path, "%s", path);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(path, &db->handle, flags, NULL) != SQLITE_OK) fail("open", path);
    execute(db, "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL;"
                "PRAGMA cache_size = -65536; PRAGMA mmap_size = 2147418112; PRAGMA secure_delete = OFF");
    static const char *const levels[] = {"FULL", "NORMAL", "OFF"};
    char synchronous[64];
    snprintf(synchronous, sizeof synchronous, "PRAGMA synchronous = %s", levels[level]);
    execute(db, synchronous);
    if (create) create_table(db);
    if (create && !index_last) create_index(db);
    db->begin = prepare(db, "BEGIN IMMEDIATE");
    db->commit = prepare(db, "COMMIT");
    db->insert = prepare(db, "INSERT INTO users(" NUMBERS ", " TEXTS ") VALUES(" PLACES ")");
    db->save = prepare(db, "UPDATE users SET public_repos = ?2, public_gists = ?3, followers = ?4, following = ?5,"
                           "created_at = ?6, updated_at = ?7, fetched_at = ?8, site_admin = ?9, login = ?11,"
                           "node_id = ?12, avatar_url = ?13, html_url = ?14, url = ?15, type = ?16, name = ?17,"
                           "company = ?18, blog = ?19, location = ?20, email = ?21, bio = ?22, twitter_username = ?23 "
                           "WHERE id = ?1");
    db->toggle = prepare(db, "UPDATE users SET favourite = 1 - favourite WHERE id = ?1");
    db->get = prepare(db, ROWS "WHERE id = ?1");
    db->by_login = prepare(db, ROWS "WHERE login = ?1");
    db->after = prepare(db, ROWS "WHERE id > ?1 ORDER BY id LIMIT ?2");
    db->before = prepare(db, ROWS "WHERE id < ?1 ORDER BY id DESC LIMIT ?2");
    db->prefix = prepare(db, ROWS "WHERE login >= ?1 AND login < ?2 ORDER BY login LIMIT ?3");
    db->scan = prepare(db, ROWS "ORDER BY id");
    return db;
}

static void *open_store(const char *folder, bool create, bool index_last) {
    // Memory statistics are disabled, because threads would wait for their lock.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    char path[4096];
    snprintf(path, sizeof path, "%s/users.sqlite", folder);
    return connect_to(path, create, index_last);
}

static void close_store(void *store) {
    connection *db = store;
    for (sqlite3_stmt *each; (each = sqlite3_next_stmt(db->handle, NULL));) sqlite3_finalize(each);
    require(db, sqlite3_close(db->handle) == SQLITE_OK, "close");
    free(db);
}

static void build_index(void *store) { create_index(store); }
static void settle(void *store) { execute(store, "PRAGMA wal_checkpoint(TRUNCATE)"); }
static void begin(void *store) { finish(store, ((connection *)store)->begin); }
static void commit(void *store) { finish(store, ((connection *)store)->commit); }

static void write_row(connection *db, sqlite3_stmt *statement, const row_user *user) {
    for (int field = 0; field < ROW_NUMBERS; field++) sqlite3_bind_int64(statement, field + 1, user->numbers[field]);
    for (int field = 0; field < ROW_TEXTS; field++) {
        row_text text = user->texts[field];
        // A missing text binds null.
        sqlite3_bind_text(statement, ROW_NUMBERS + field + 1, text.start, (int)text.count, SQLITE_STATIC);
    }
    finish(db, statement);
}

static void insert(void *store, const row_user *user) { write_row(store, ((connection *)store)->insert, user); }
static void save(void *store, const row_user *user) { write_row(store, ((connection *)store)->save, user); }

static void toggle(void *store, int64_t id) {
    connection *db = store;
    sqlite3_bind_int64(db->toggle, 1, id);
    finish(db, db->toggle);
}

static void *open_reader(void *store) { return connect_to(((connection *)store)->path, false, false); }

static uint64_t rows(connection *db, sqlite3_stmt *statement, visitor *visitor) {
    uint64_t count = 0;
    int status;
    for (; (status = sqlite3_step(statement)) == SQLITE_ROW; count++) {
        row_user user;
        for (int field = 0; field < ROW_NUMBERS; field++) user.numbers[field] = sqlite3_column_int64(statement, field);
        for (int field = 0; field < ROW_TEXTS; field++) {
            const char *start = (const char *)sqlite3_column_text(statement, ROW_NUMBERS + field);
            uint32_t bytes = start ? (uint32_t)sqlite3_column_bytes(statement, ROW_NUMBERS + field) : 0;
            user.texts[field] = (row_text){start, bytes};
        }
        visitor_take(visitor, &user);
    }
    require(db, status == SQLITE_DONE, sqlite3_sql(statement));
    sqlite3_reset(statement);
    return count;
}

static uint64_t get(void *reader, int64_t id, visitor *visitor) {
    connection *db = reader;
    sqlite3_bind_int64(db->get, 1, id);
    return rows(db, db->get, visitor);
}

static uint64_t by_login(void *reader, const char *login, size_t count, visitor *visitor) {
    connection *db = reader;
    sqlite3_bind_text(db->by_login, 1, login, (int)count, SQLITE_STATIC);
    return rows(db, db->by_login, visitor);
}

static uint64_t page(void *reader, int64_t id, unsigned limit, bool back, visitor *visitor) {
    connection *db = reader;
    sqlite3_stmt *statement = back ? db->before : db->after;
    sqlite3_bind_int64(statement, 1, id);
    sqlite3_bind_int64(statement, 2, limit);
    return rows(db, statement, visitor);
}

static uint64_t prefix(void *reader, const char *start, size_t count, unsigned limit, visitor *visitor) {
    connection *db = reader;
    char end[ROW_LOGIN_BYTES];
    memcpy(end, start, count);
    // The smallest text greater than all with this prefix. Logins are ASCII, so the last byte can be incremented.
    end[count - 1]++;
    sqlite3_bind_text(db->prefix, 1, start, (int)count, SQLITE_STATIC);
    sqlite3_bind_text(db->prefix, 2, end, (int)count, SQLITE_STATIC);
    sqlite3_bind_int64(db->prefix, 3, limit);
    return rows(db, db->prefix, visitor);
}

static uint64_t scan(void *reader, visitor *visitor) { return rows(reader, ((connection *)reader)->scan, visitor); }

const engine sqlite_engine = {
    "sqlite", open_store, close_store, build_index, settle, begin, insert, save, toggle, commit,
    open_reader, close_store, get, by_login, page, prefix, scan,
};
