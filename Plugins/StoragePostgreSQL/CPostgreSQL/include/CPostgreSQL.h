#ifndef PATCHBAY_POSTGRESQL_H
#define PATCHBAY_POSTGRESQL_H

#include <stddef.h>

// The part of PostgreSQL's client library that Patchbay uses. It is loaded when a storage is opened, so a program with
// this module does not link libpq and starts without it. The declarations repeat libpq's public interface, whose ABI is
// stable under the name libpq.so.5, so building needs no headers of PostgreSQL.

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

typedef struct {
    char *keyword;
    char *envvar;
    char *compiled;
    char *value;
    char *label;
    char *dispchar;
    int dispsize;
} PQOption;

typedef void (*PQNoticeReceiver)(void *context, const PGresult *notice);

#define PQ_CONNECTION_OK 0

#define PQ_COMMAND_OK 1
#define PQ_TUPLES_OK 2
#define PQ_COPY_IN 4
#define PQ_PIPELINE_SYNC 10
#define PQ_PIPELINE_ABORTED 11

#define PQ_ERRORS_VERBOSE 2

static const int PQ_FIELD_SQLSTATE = 'C';
static const int PQ_FIELD_MESSAGE = 'M';
static const int PQ_FIELD_DETAIL = 'D';

/// Loads the library once; the functions below may be called only after that has succeeded.
///
/// Returns null, or why the library cannot be used: the system's error, or the name of a missing function.
const char *pq_load(void);

PGconn *pq_connect(const char *const *keywords, const char *const *values, int expandsDatabase);
void pq_reset(PGconn *connection);
void pq_finish(PGconn *connection);
int pq_status(const PGconn *connection);
const char *pq_errorMessage(const PGconn *connection);
int pq_needsPassword(const PGconn *connection);
int pq_setErrorVerbosity(PGconn *connection, int verbosity);
PQNoticeReceiver pq_setNoticeReceiver(PGconn *connection, PQNoticeReceiver receiver, void *context);
int pq_serverVersion(const PGconn *connection);
int pq_backendPID(const PGconn *connection);
const char *pq_parameterStatus(const PGconn *connection, const char *name);
int pq_libraryVersion(void);

PQOption *pq_parse(const char *text, char **message);
void pq_freeOptions(PQOption *options);
void pq_freeMemory(void *memory);

int pq_enterPipeline(PGconn *connection);
int pq_exitPipeline(PGconn *connection);
int pq_sync(PGconn *connection);
int pq_consumeInput(PGconn *connection);
int pq_isBusy(PGconn *connection);
int pq_flush(PGconn *connection);
int pq_setNonblocking(PGconn *connection, int isNonblocking);
int pq_socket(const PGconn *connection);
int pq_sendPrepare(PGconn *connection, const char *name, const char *sql, int count, const unsigned *types);
int pq_sendPrepared(
    PGconn *connection, const char *name, int count, const char *const *values, const int *lengths,
    const int *formats, int resultFormat);
int pq_sendQuery(
    PGconn *connection, const char *sql, int count, const unsigned *types, const char *const *values,
    const int *lengths, const int *formats, int resultFormat);
int pq_putCopyData(PGconn *connection, const char *bytes, int count);
int pq_putCopyEnd(PGconn *connection, const char *error);

typedef enum { PQ_WAIT_READY, PQ_WAIT_TIMED_OUT, PQ_WAIT_ENDED } pq_wait_result;

/// Sends what is buffered and waits until pq_result returns at once, for up to limit milliseconds without a sign of
/// the server. After PQ_WAIT_ENDED the connection is lost, and pq_result returns its error at once.
pq_wait_result pq_awaitResult(PGconn *connection, int limit);

PGresult *pq_result(PGconn *connection);
void pq_clear(PGresult *result);
int pq_resultStatus(const PGresult *result);
const char *pq_errorField(const PGresult *result, int field);
int pq_rowCount(const PGresult *result);
unsigned pq_columnType(const PGresult *result, int column);
const char *pq_value(const PGresult *result, int row, int column);
int pq_length(const PGresult *result, int row, int column);
int pq_isNull(const PGresult *result, int row, int column);
const char *pq_changedRows(PGresult *result);

#endif
