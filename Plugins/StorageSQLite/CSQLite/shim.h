#include <sqlite3.h>

// sqlite3_db_config takes a variable number of arguments, which Swift does not import.
static inline int sqlite3_set_option(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}

// SQLite copies the bytes that it is given. A macro that Swift does not import.
static inline sqlite3_destructor_type sqlite3_transient(void) { return SQLITE_TRANSIENT; }
