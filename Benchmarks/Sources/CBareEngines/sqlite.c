#include "internal.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bare_layout layout;
    sqlite3 *handle;
    sqlite3_stmt *begin, *commit, *put, *get, *after, *before;
    sqlite3_stmt *equal[BARE_INDEXES_MAX], *prefix[BARE_INDEXES_MAX];
} database;

static void require(const database *db, bool holds, const char *what) {
    if (!holds) bare_fail(what, sqlite3_errmsg(db->handle));
}

static void execute(database *db, const char *sql) {
    require(db, sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK, sql);
}

static sqlite3_stmt *prepare(database *db, const char *sql) {
    sqlite3_stmt *statement;
    int status = sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    require(db, status == SQLITE_OK, sql);
    return statement;
}

static void finish(database *db, sqlite3_stmt *statement) {
    require(db, sqlite3_step(statement) == SQLITE_DONE, sqlite3_sql(statement));
    sqlite3_reset(statement);
}

// Only the key has a type, so that no text becomes a number.
static void create_table(database *db) {
    const bare_layout *layout = &db->layout;
    char columns[4096];
    size_t end = 0;
    for (unsigned column = 0; column < layout->columns; column++)
        end += (size_t)snprintf(columns + end, sizeof columns - end, "%sc%u%s", column ? "," : "", column,
                                column == layout->key ? " INTEGER PRIMARY KEY" : "");
    execute(db, bare_text("CREATE TABLE IF NOT EXISTS users(%s)", columns));
    for (unsigned index = 0; index < layout->indexes; index++)
        execute(db, bare_text("CREATE INDEX IF NOT EXISTS by_c%u ON users(c%u COLLATE NOCASE)",
                              layout->indexed[index], layout->indexed[index]));
}

static void prepare_all(database *db) {
    const bare_layout *layout = &db->layout;
    char names[1024], places[1024], changes[4096];
    bare_list(layout, "c%u", 0, names, sizeof names);
    bare_list(layout, "?", 0, places, sizeof places);
    bare_list(layout, "c%u=excluded.c%u", 0, changes, sizeof changes);
    unsigned key = layout->key;
    db->begin = prepare(db, "BEGIN IMMEDIATE");
    db->commit = prepare(db, "COMMIT");
    db->put = prepare(db, bare_text("INSERT INTO users(%s) VALUES(%s) ON CONFLICT(c%u) DO UPDATE SET %s", names,
                                    places, key, changes));
    db->get = prepare(db, bare_text("SELECT %s FROM users WHERE c%u = ?1", names, key));
    db->after = prepare(db, bare_text("SELECT %s FROM users WHERE c%u > ?1 ORDER BY c%u LIMIT ?2", names, key, key));
    db->before =
        prepare(db, bare_text("SELECT %s FROM users WHERE c%u < ?1 ORDER BY c%u DESC LIMIT ?2", names, key, key));
    for (unsigned index = 0; index < layout->indexes; index++) {
        unsigned column = layout->indexed[index];
        db->equal[index] = prepare(
            db, bare_text("SELECT %s FROM users WHERE c%u = ?1 COLLATE NOCASE ORDER BY c%u LIMIT ?2", names, column,
                          key));
        db->prefix[index] = prepare(
            db, bare_text("SELECT %s FROM users WHERE c%u >= ?1 COLLATE NOCASE AND c%u < ?3 COLLATE NOCASE "
                          "ORDER BY c%u COLLATE NOCASE, c%u LIMIT ?2", names, column, column, column, key));
    }
}

static void *open_store(const char *folder, const bare_layout *layout, bare_durability durability) {
    // Memory statistics are disabled, because threads would wait for their lock.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    database *db = bare_room(sizeof *db);
    db->layout = *layout;
    const char *path = bare_text("%s/users.sqlite", folder);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(path, &db->handle, flags, NULL) != SQLITE_OK) bare_fail("open", path);
    execute(db, "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL;"
                "PRAGMA cache_size = -65536; PRAGMA mmap_size = 2147418112; PRAGMA secure_delete = OFF");
    static const char *const levels[] = {"FULL", "NORMAL", "OFF"};
    execute(db, bare_text("PRAGMA synchronous = %s", levels[durability]));
    create_table(db);
    prepare_all(db);
    return db;
}

static void close_store(void *store) {
    database *db = store;
    for (sqlite3_stmt *each; (each = sqlite3_next_stmt(db->handle, NULL));) sqlite3_finalize(each);
    require(db, sqlite3_close(db->handle) == SQLITE_OK, "close");
    free(db);
}

static void put(void *store, const bare_rows *rows) {
    database *db = store;
    finish(db, db->begin);
    for (size_t place = 0; place < rows->count; place++) {
        for (int column = 0; column < (int)rows->columns; column++) {
            bare_value value = rows->rows[place][column];
            if (value.kind == BARE_NUMBER) sqlite3_bind_int64(db->put, column + 1, value.number);
            // A missing text binds null.
            else sqlite3_bind_text(db->put, column + 1, value.text, (int)value.count, SQLITE_STATIC);
        }
        finish(db, db->put);
    }
    finish(db, db->commit);
}

static void take_all(database *db, sqlite3_stmt *statement, bare_rows *found) {
    int status;
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        bare_value row[BARE_COLUMNS_MAX] = {0};
        for (int column = 0; column < (int)db->layout.columns; column++) {
            int type = sqlite3_column_type(statement, column);
            if (type == SQLITE_NULL) continue;
            if (type == SQLITE_INTEGER) {
                row[column] = (bare_value){.kind = BARE_NUMBER, .number = sqlite3_column_int64(statement, column)};
            } else {
                const char *text = (const char *)sqlite3_column_text(statement, column);
                uint32_t count = (uint32_t)sqlite3_column_bytes(statement, column);
                row[column] = (bare_value){.kind = BARE_TEXT, .count = count, .text = text};
            }
        }
        bare_rows_add(found, row);
    }
    require(db, status == SQLITE_DONE, sqlite3_sql(statement));
    sqlite3_reset(statement);
}

static void get(void *store, int64_t key, bare_rows *found) {
    database *db = store;
    sqlite3_bind_int64(db->get, 1, key);
    take_all(db, db->get, found);
}

static void page(void *store, int64_t key, unsigned limit, bool back, bare_rows *found) {
    database *db = store;
    sqlite3_stmt *statement = back ? db->before : db->after;
    sqlite3_bind_int64(statement, 1, key);
    sqlite3_bind_int64(statement, 2, limit);
    take_all(db, statement, found);
}

static void search(void *store, unsigned index, const char *text, size_t count, bool prefix, unsigned limit,
                   bare_rows *found) {
    database *db = store;
    sqlite3_stmt *statement = prefix ? db->prefix[index] : db->equal[index];
    sqlite3_bind_text(statement, 1, text, (int)count, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, limit);
    char end[BARE_PREFIX_MAX];
    if (prefix) {
        bare_end_of_prefix(text, count, end);
        sqlite3_bind_text(statement, 3, end, (int)count, SQLITE_STATIC);
    }
    take_all(db, statement, found);
}

const bare_engine bare_sqlite = {
    "bare-sqlite", sqlite3_libversion, open_store, close_store, put, get, page, search,
};
