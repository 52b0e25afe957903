#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// One line per function: its result type, its name in libpq, our name, parameters, arguments.
#define FUNCTIONS(ONE)                                                                                                 \
    ONE(PGconn *, PQconnectdbParams, connect,                                                                \
        (const char *const *keywords, const char *const *values, int expandsDatabase), (keywords, values, expandsDatabase))              \
    ONE(void, PQreset, reset, (PGconn * connection), (connection))                                                     \
    ONE(void, PQfinish, finish, (PGconn * connection), (connection))                                                   \
    ONE(int, PQstatus, status, (const PGconn *connection), (connection))                                               \
    ONE(const char *, PQerrorMessage, errorMessage, (const PGconn *connection), (connection))                          \
    ONE(int, PQconnectionNeedsPassword, needsPassword, (const PGconn *connection), (connection))                       \
    ONE(int, PQsetErrorVerbosity, setErrorVerbosity, (PGconn * connection, int verbosity), (connection, verbosity))            \
    ONE(PQNoticeReceiver, PQsetNoticeReceiver, setNoticeReceiver,                                                                \
        (PGconn * connection, PQNoticeReceiver receiver, void *context), (connection, receiver, context))              \
    ONE(int, PQserverVersion, serverVersion, (const PGconn *connection), (connection))                                 \
    ONE(int, PQbackendPID, backendPID, (const PGconn *connection), (connection))                                       \
    ONE(const char *, PQparameterStatus, parameterStatus, (const PGconn *connection, const char *name),                \
        (connection, name))                                                                                            \
    ONE(int, PQlibVersion, libraryVersion, (void), ())                                                                 \
    ONE(PQOption *, PQconninfoParse, parse, (const char *text, char **message), (text, message))                       \
    ONE(void, PQconninfoFree, freeOptions, (PQOption * options), (options))                                            \
    ONE(void, PQfreemem, freeMemory, (void *memory), (memory))                                                         \
    ONE(int, PQenterPipelineMode, enterPipeline, (PGconn * connection), (connection))                                  \
    ONE(int, PQexitPipelineMode, exitPipeline, (PGconn * connection), (connection))                                    \
    ONE(int, PQpipelineSync, sync, (PGconn * connection), (connection))                                                \
    ONE(int, PQconsumeInput, consumeInput, (PGconn * connection), (connection))                                        \
    ONE(int, PQsendPrepare, sendPrepare,                                                                               \
        (PGconn * connection, const char *name, const char *sql, int count, const unsigned *types),                    \
        (connection, name, sql, count, types))                                                                         \
    ONE(int, PQsendQueryPrepared, sendPrepared,                                                                        \
        (PGconn * connection, const char *name, int count, const char *const *values, const int *lengths,              \
         const int *formats, int resultFormat),                                                                        \
        (connection, name, count, values, lengths, formats, resultFormat))                                             \
    ONE(int, PQsendQueryParams, sendQuery,                                                                             \
        (PGconn * connection, const char *sql, int count, const unsigned *types, const char *const *values,            \
         const int *lengths, const int *formats, int resultFormat),                                                    \
        (connection, sql, count, types, values, lengths, formats, resultFormat))                                       \
    ONE(int, PQputCopyData, putCopyData, (PGconn * connection, const char *bytes, int count),                          \
        (connection, bytes, count))                                                                                    \
    ONE(int, PQputCopyEnd, putCopyEnd, (PGconn * connection, const char *error), (connection, error))                  \
    ONE(PGresult *, PQgetResult, result, (PGconn * connection), (connection))                                          \
    ONE(void, PQclear, clear, (PGresult * result), (result))                                                           \
    ONE(int, PQresultStatus, resultStatus, (const PGresult *result), (result))                                         \
    ONE(const char *, PQresultErrorField, errorField, (const PGresult *result, int field), (result, field))            \
    ONE(int, PQntuples, rowCount, (const PGresult *result), (result))                                                  \
    ONE(unsigned, PQftype, columnType, (const PGresult *result, int column), (result, column))                         \
    ONE(const char *, PQgetvalue, value, (const PGresult *result, int row, int column), (result, row, column))         \
    ONE(int, PQgetlength, length, (const PGresult *result, int row, int column), (result, row, column))                \
    ONE(int, PQgetisnull, isNull, (const PGresult *result, int row, int column), (result, row, column))                \
    ONE(const char *, PQcmdTuples, changedRows, (PGresult * result), (result))

#define POINTER(type, symbol, name, parameters, arguments) static type(*the_##name) parameters;
FUNCTIONS(POINTER)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[256];

static int find(void *library, const char *symbol, void **function) {
    *function = dlsym(library, symbol);
    if (!*function) snprintf(problem, sizeof problem, "it has no %s", symbol);
    return *function != NULL;
}

static void load(void) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(problem, sizeof problem, "%s", reason ? reason : "it cannot be loaded");
        return;
    }
#define FIND(type, symbol, name, parameters, arguments)                                                                \
    if (!find(library, #symbol, (void **)&the_##name)) return;
    FUNCTIONS(FIND)
}

const char *pq_load(void) {
    pthread_once(&once, load);
    return problem[0] ? problem : NULL;
}

#define CALL(type, symbol, name, parameters, arguments)                                                                \
    type pq_##name parameters { return the_##name arguments; }
FUNCTIONS(CALL)
