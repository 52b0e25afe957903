#include "internal.h"
#include "CPostgreSQL.h"
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The statements and pipelines of the storage `postgres`, on one connection: a read is a transaction whose COMMIT is
// not waited for; a write locks a row, increments the revision in it and records a token.

enum { INT8 = 20, TEXT = 25, BYTEA = 17, UUID = 2950, INT8S = 1016, TEXTS = 1009, BYTEAS = 1001 };
// The number of rows from which COPY is used, if their keys follow the last stored one.
enum { COPIED_ROWS_MIN = 200 };

typedef struct {
    char *bytes;
    size_t count, capacity;
} buffer;

typedef struct {
    bare_layout layout;
    PGconn *connection;
    // The number of pipeline ends whose answers have not been received.
    unsigned owed;
    char columns[1024];
    buffer values;
} database;

static void require(const database *db, bool holds, const char *what) {
    if (!holds) bare_fail(what, pq_errorMessage(db->connection));
}

// MARK: Messages

// Waits for all answers; returns the last one with rows, which the caller clears.
static PGresult *receive(database *db) {
    PGresult *rows = NULL;
    while (db->owed) {
        PGresult *result = pq_result(db->connection);
        if (!result) {
            // The end of the results of one statement.
            require(db, pq_status(db->connection) == PQ_CONNECTION_OK, "connection");
            continue;
        }
        int status = pq_resultStatus(result);
        if (status == PQ_TUPLES_OK) {
            pq_clear(rows);
            rows = result;
            continue;
        }
        require(db, status == PQ_COMMAND_OK || status == PQ_PIPELINE_SYNC, "statement");
        if (status == PQ_PIPELINE_SYNC) db->owed--;
        pq_clear(result);
    }
    return rows;
}

static void end_pipeline(database *db) {
    require(db, pq_sync(db->connection), "send");
    db->owed++;
}

static void execute(database *db, const char *sql) {
    require(db, pq_sendQuery(db->connection, sql, 0, NULL, NULL, NULL, NULL, 1), sql);
    end_pipeline(db);
    pq_clear(receive(db));
}

static void prepare(database *db, const char *name, int count, const unsigned *types, const char *sql) {
    require(db, pq_sendPrepare(db->connection, name, sql, count, types), sql);
    end_pipeline(db);
    pq_clear(receive(db));
}

static void send(database *db, const char *name, int count, const char *const *values, const int *lengths) {
    int binary[BARE_COLUMNS_MAX];
    for (int place = 0; place < count; place++) binary[place] = 1;
    require(db, pq_sendPrepared(db->connection, name, count, values, lengths, binary, 1), name);
}

// MARK: Binary values

static void append(buffer *out, const void *bytes, size_t count) {
    if (out->count + count > out->capacity) {
        out->capacity = (out->count + count) * 2;
        out->bytes = realloc(out->bytes, out->capacity);
        if (!out->bytes) bare_fail("memory", "none left");
    }
    memcpy(out->bytes + out->count, bytes, count);
    out->count += count;
}

static void append_number(buffer *out, uint64_t number, int bytes) {
    uint64_t ordered = htobe64(number << (64 - 8 * bytes));
    append(out, &ordered, (size_t)bytes);
}

static void append_value(buffer *out, bare_value value) {
    if (value.kind == BARE_NUMBER) append_number(out, (uint64_t)value.number, 8);
    else if (value.kind == BARE_TEXT) append(out, value.text, value.count);
}

// A value after its length.
static void append_counted(buffer *out, bare_value value) {
    append_number(out, value.kind == BARE_NULL ? (uint32_t)-1 : value.kind == BARE_NUMBER ? 8 : value.count, 4);
    append_value(out, value);
}

static int64_t number(const char *bytes) {
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    return (int64_t)be64toh(number);
}

static unsigned type(bare_kind kind) { return kind == BARE_NUMBER ? INT8 : kind == BARE_TEXT ? TEXT : BYTEA; }

static unsigned array_type(bare_kind kind) { return kind == BARE_NUMBER ? INT8S : kind == BARE_TEXT ? TEXTS : BYTEAS; }

// MARK: Opening

// A schema for each folder, which identifies the store.
static unsigned long long schema(const char *folder) {
    uint64_t hash = 0xCBF29CE484222325;
    for (; *folder; folder++) hash = (hash ^ (unsigned char)*folder) * 0x100000001B3;
    return hash;
}

#define SCHEMA "patchbay_bare_%016llx"

static database *connect_to_server(const bare_layout *layout) {
    const char *problem = pq_load(), *server = getenv("PATCHBAY_POSTGRES");
    if (problem) bare_fail("libpq", problem);
    if (!server) bare_fail("bare-postgres", "set PATCHBAY_POSTGRES to a server; see Scripts/postgres.sh");
    database *db = bare_room(sizeof *db);
    if (layout) db->layout = *layout;
    const char *const keywords[] = {"dbname", "options", NULL};
    const char *const values[] = {server, "-c client_min_messages=warning", NULL};
    db->connection = pq_connect(keywords, values, 1);
    require(db, pq_status(db->connection) == PQ_CONNECTION_OK, "connect");
    require(db, pq_enterPipeline(db->connection), "pipeline");
    return db;
}

// The bytes of a text in the entries of an index, as in the storage `postgres`.
#define ENTRY_BYTES(text) "decode(replace(lower(" text " COLLATE \"C\"), E'\\\\', E'\\\\\\\\'), 'escape')"

// The expression of an index: the column's bytes, a zero, and the key.
static void write_entry(const database *db, unsigned index, char *out, size_t bytes) {
    snprintf(out, bytes,
             "(" ENTRY_BYTES("c%u") " || E'\\\\000'::bytea || int8send(c%u # '-9223372036854775808'::bigint))",
             db->layout.indexed[index], db->layout.key);
}

static void create_tables(database *db) {
    char columns[4096] = "";
    size_t end = 0;
    for (unsigned column = 0; column < db->layout.columns; column++) {
        bare_kind kind = db->layout.kinds[column];
        end += (size_t)snprintf(columns + end, sizeof columns - end, "%sc%u %s%s", column ? "," : "", column,
                                kind == BARE_NUMBER ? "bigint" : kind == BARE_TEXT ? "text" : "bytea",
                                column == db->layout.key ? " PRIMARY KEY" : "");
    }
    execute(db, bare_text("CREATE TABLE IF NOT EXISTS users(%s)", columns));
    for (unsigned index = 0; index < db->layout.indexes; index++) {
        char entry[256];
        write_entry(db, index, entry, sizeof entry);
        execute(db, bare_text("CREATE INDEX IF NOT EXISTS by_c%u ON users(%s)", db->layout.indexed[index], entry));
    }
    execute(db, "CREATE TABLE IF NOT EXISTS store(single boolean PRIMARY KEY, revision bigint) WITH (fillfactor = 20)");
    execute(db, "INSERT INTO store VALUES (true, 1) ON CONFLICT DO NOTHING");
    execute(db, "CREATE TABLE IF NOT EXISTS commits(token uuid PRIMARY KEY, revision bigint)");
}

static void prepare_reads(database *db) {
    const char *columns = db->columns;
    unsigned key = db->layout.key;
    static const unsigned types[] = {INT8, INT8}, texts[] = {TEXT, INT8, TEXT};
    prepare(db, "begin read", 0, NULL, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    prepare(db, "get", 1, types, bare_text("SELECT %s FROM users WHERE c%u = $1", columns, key));
    prepare(db, "after", 2, types,
            bare_text("SELECT %s FROM users WHERE c%u > $1 ORDER BY c%u LIMIT $2", columns, key, key));
    prepare(db, "before", 2, types,
            bare_text("SELECT %s FROM users WHERE c%u < $1 ORDER BY c%u DESC LIMIT $2", columns, key, key));
    for (unsigned index = 0; index < db->layout.indexes; index++) {
        char name[16], entry[256];
        write_entry(db, index, entry, sizeof entry);
        snprintf(name, sizeof name, "equal %u", index);
        prepare(db, name, 2, texts,
                bare_text("SELECT %s FROM users WHERE %s >= " ENTRY_BYTES("$1") " || E'\\\\000'::bytea "
                          "AND %s < " ENTRY_BYTES("$1") " || E'\\\\001'::bytea ORDER BY %s LIMIT $2",
                          columns, entry, entry, entry));
        snprintf(name, sizeof name, "prefix %u", index);
        prepare(db, name, 3, texts,
                bare_text("SELECT %s FROM users WHERE %s >= " ENTRY_BYTES("$1") " AND %s < " ENTRY_BYTES("$3")
                          " ORDER BY %s LIMIT $2", columns, entry, entry, entry));
    }
}

static void prepare_writes(database *db) {
    unsigned types[BARE_COLUMNS_MAX], array_types[BARE_COLUMNS_MAX];
    char places[1024], changes[4096];
    for (unsigned column = 0; column < db->layout.columns; column++) {
        types[column] = type(db->layout.kinds[column]);
        array_types[column] = array_type(db->layout.kinds[column]);
    }
    bare_list(&db->layout, "$%u", 1, places, sizeof places);
    bare_list(&db->layout, "c%u=excluded.c%u", 0, changes, sizeof changes);
    int count = (int)db->layout.columns;
    static const unsigned token[] = {UUID};
    prepare(db, "begin", 0, NULL, "BEGIN");
    prepare(db, "commit", 0, NULL, "COMMIT");
    prepare(db, "lock", 0, NULL, "SELECT revision FROM store FOR UPDATE");
    unsigned key = db->layout.key;
    prepare(db, "last", 0, NULL, bare_text("SELECT c%u FROM users ORDER BY c%u DESC LIMIT 1", key, key));
    prepare(db, "record", 1, token,
            "WITH changed AS (UPDATE store SET revision = revision + 1 RETURNING revision) "
            "INSERT INTO commits SELECT $1, (SELECT revision FROM changed) RETURNING revision");
    prepare(db, "put", count, types,
            bare_text("INSERT INTO users(%s) VALUES (%s) ON CONFLICT (c%u) DO UPDATE SET %s", db->columns, places, key,
                      changes));
    prepare(db, "put many", count, array_types,
            bare_text("INSERT INTO users(%s) SELECT * FROM unnest(%s) ON CONFLICT (c%u) DO UPDATE SET %s",
                      db->columns, places, key, changes));
}

static void *open_store(const char *folder, const bare_layout *layout, bare_durability durability) {
    database *db = connect_to_server(layout);
    execute(db, bare_text("CREATE SCHEMA IF NOT EXISTS " SCHEMA, schema(folder)));
    execute(db, bare_text("SELECT set_config('search_path', '" SCHEMA "', false), "
                          "set_config('synchronous_commit', '%s', false)",
                          schema(folder), durability == BARE_FULL ? "on" : "off"));
    create_tables(db);
    bare_list(layout, "c%u", 0, db->columns, sizeof db->columns);
    prepare_reads(db);
    prepare_writes(db);
    return db;
}

static void close_store(void *store) {
    database *db = store;
    pq_clear(receive(db));
    pq_finish(db->connection);
    free(db->values.bytes);
    free(db);
}

static void erase(const char *folder) {
    database *db = connect_to_server(NULL);
    execute(db, bare_text("DROP SCHEMA IF EXISTS " SCHEMA " CASCADE", schema(folder)));
    close_store(db);
}

// MARK: Writing

static void append_array(database *db, const bare_rows *rows, unsigned column) {
    // One dimension, possible nulls, the type, the number of elements, and the number of the first one.
    const uint64_t head[] = {1, 1, type(db->layout.kinds[column]), rows->count, 1};
    for (int place = 0; place < 5; place++) append_number(&db->values, head[place], 4);
    for (size_t place = 0; place < rows->count; place++) append_counted(&db->values, rows->rows[place][column]);
}

// Puts one row as values, several as an array for each column.
static void put_rows(database *db, const bare_rows *rows) {
    const char *values[BARE_COLUMNS_MAX];
    int lengths[BARE_COLUMNS_MAX];
    const bare_value *single = rows->count == 1 ? rows->rows[0] : NULL;
    db->values.count = 0;
    for (unsigned column = 0; column < db->layout.columns; column++) {
        size_t start = db->values.count;
        if (single) append_value(&db->values, single[column]);
        else append_array(db, rows, column);
        lengths[column] = (int)(db->values.count - start);
    }
    const char *value = db->values.bytes;
    for (unsigned column = 0; column < db->layout.columns; value += lengths[column++])
        values[column] = single && single[column].kind == BARE_NULL ? NULL : value;
    send(db, single ? "put" : "put many", (int)db->layout.columns, values, lengths);
}

// Whether the rows come after all stored ones.
static bool extends(database *db, const bare_rows *rows) {
    send(db, "last", 0, NULL, NULL);
    end_pipeline(db);
    PGresult *last = receive(db);
    bool extends = !pq_rowCount(last) || number(pq_value(last, 0, 0)) < rows->rows[0][db->layout.key].number;
    pq_clear(last);
    return extends;
}

// COPY is not possible in a pipeline.
static void copy(database *db, const bare_rows *rows) {
    const char *sql = bare_text("COPY users(%s) FROM STDIN (FORMAT binary)", db->columns);
    db->values.count = 0;
    append(&db->values, "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
    for (size_t place = 0; place < rows->count; place++) {
        append_number(&db->values, rows->columns, 2);
        for (unsigned column = 0; column < rows->columns; column++)
            append_counted(&db->values, rows->rows[place][column]);
    }
    append_number(&db->values, (uint16_t)-1, 2);
    require(db, pq_exitPipeline(db->connection), "end of the pipeline");
    require(db, pq_sendQuery(db->connection, sql, 0, NULL, NULL, NULL, NULL, 1), sql);
    pq_clear(pq_result(db->connection));
    require(db, pq_putCopyData(db->connection, db->values.bytes, (int)db->values.count) == 1, sql);
    require(db, pq_putCopyEnd(db->connection, NULL) == 1, sql);
    for (PGresult *result; (result = pq_result(db->connection)); pq_clear(result))
        require(db, pq_resultStatus(result) == PQ_COMMAND_OK, sql);
    require(db, pq_enterPipeline(db->connection), "pipeline");
}

static void put(void *store, const bare_rows *rows) {
    database *db = store;
    send(db, "begin", 0, NULL, NULL);
    send(db, "lock", 0, NULL, NULL);
    if (rows->count >= COPIED_ROWS_MIN && extends(db, rows)) copy(db, rows);
    else put_rows(db, rows);
    unsigned char token[16];
    for (int place = 0; place < 16; place++) token[place] = (unsigned char)random();
    send(db, "record", 1, (const char *const[]){(const char *)token}, (const int[]){sizeof token});
    send(db, "commit", 0, NULL, NULL);
    end_pipeline(db);
    pq_clear(receive(db));
}

// MARK: Reading

static void read_rows(database *db, const char *name, int count, const char *const *values, const int *lengths,
                      bare_rows *found) {
    send(db, "begin read", 0, NULL, NULL);
    send(db, name, count, values, lengths);
    end_pipeline(db);
    PGresult *rows = receive(db);
    for (int place = 0; place < pq_rowCount(rows); place++) {
        bare_value row[BARE_COLUMNS_MAX] = {0};
        for (unsigned column = 0; column < db->layout.columns; column++) {
            if (pq_isNull(rows, place, (int)column)) continue;
            const char *bytes = pq_value(rows, place, (int)column);
            if (db->layout.kinds[column] == BARE_NUMBER) {
                row[column] = (bare_value){.kind = BARE_NUMBER, .number = number(bytes)};
            } else {
                uint32_t length = (uint32_t)pq_length(rows, place, (int)column);
                row[column] = (bare_value){.kind = BARE_TEXT, .count = length, .text = bytes};
            }
        }
        bare_rows_add(found, row);
    }
    pq_clear(rows);
    // The next statement waits for this one.
    send(db, "commit", 0, NULL, NULL);
    end_pipeline(db);
}

static void get(void *store, int64_t key, bare_rows *found) {
    uint64_t ordered = htobe64((uint64_t)key);
    read_rows(store, "get", 1, (const char *const[]){(const char *)&ordered}, (const int[]){8}, found);
}

static void page(void *store, int64_t key, unsigned limit, bool back, bare_rows *found) {
    uint64_t ordered[] = {htobe64((uint64_t)key), htobe64(limit)};
    const char *const values[] = {(const char *)&ordered[0], (const char *)&ordered[1]};
    read_rows(store, back ? "before" : "after", 2, values, (const int[]){8, 8}, found);
}

static void search(void *store, unsigned index, const char *text, size_t count, bool prefix, unsigned limit,
                   bare_rows *found) {
    char name[16], end[BARE_PREFIX_MAX];
    uint64_t ordered = htobe64(limit);
    snprintf(name, sizeof name, "%s %u", prefix ? "prefix" : "equal", index);
    bare_end_of_prefix(text, count, end);
    const char *const values[] = {text, (const char *)&ordered, end};
    read_rows(store, name, prefix ? 3 : 2, values, (const int[]){(int)count, 8, (int)count}, found);
}

static const char *version(void) {
    static char text[32];
    if (!pq_load()) snprintf(text, sizeof text, "libpq %d", pq_libraryVersion() / 10000);
    return text;
}

const bare_engine bare_postgres = {
    "bare-postgres", version, open_store, close_store, put, get, page, search, erase,
};
