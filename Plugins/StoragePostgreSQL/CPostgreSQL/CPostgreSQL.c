#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

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
    ONE(int, PQisBusy, isBusy, (PGconn * connection), (connection))                                                    \
    ONE(int, PQflush, flush, (PGconn * connection), (connection))                                                      \
    ONE(int, PQsetnonblocking, setNonblocking, (PGconn * connection, int isNonblocking), (connection, isNonblocking))  \
    ONE(int, PQsocket, socket, (const PGconn *connection), (connection))                                               \
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

static long long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

pq_wait_result pq_awaitResult(PGconn *connection, int limit) {
    long long end = -1;
    while (pq_isBusy(connection)) {
        int unsent = pq_flush(connection);
        if (unsent < 0) return PQ_WAIT_ENDED;
        struct pollfd descriptor = {pq_socket(connection), unsent ? POLLIN | POLLOUT : POLLIN, 0};
        if (descriptor.fd < 0) return PQ_WAIT_ENDED;
        if (end < 0) end = milliseconds() + limit;
        long long left = end - milliseconds();
        int ready = poll(&descriptor, 1, left > 0 ? (int)left : 0);
        if (ready == 0) return PQ_WAIT_TIMED_OUT;
        if (ready < 0) {
            if (errno == EINTR) continue;
            return PQ_WAIT_ENDED;
        }
        // Each answer, and each piece that the server takes, shows that the server works.
        end = -1;
        if (descriptor.revents & ~POLLOUT && !pq_consumeInput(connection)) return PQ_WAIT_ENDED;
    }
    return PQ_WAIT_READY;
}
