// patchbay-bare: the workloads of patchbay-bench without Patchbay, with one line of JSON per workload.
#include "bare.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { ROWS_PER_LOAD = 10000, ROWS_PER_SAVE = 20, OPENINGS = 50 };

durability level = FULL;
static const engine *bare;
static row_generator rows;
static const char *folder;
static uint64_t row_count = 100000, seed = 1;
static double seconds = 1;

void fail(const char *what, const char *why) {
    fprintf(stderr, "patchbay-bare: %s: %s\n", what, why);
    exit(1);
}

// MARK: Owned rows

static char *copy(row_text text) {
    char *bytes = malloc(text.count ? text.count : 1);
    if (!bytes) fail("memory", "none left");
    memcpy(bytes, text.start, text.count);
    return bytes;
}

void visitor_take(visitor *visitor, const row_user *user) {
    if (!visitor->owned) {
        visitor->digest += row_digest(user);
        return;
    }
    if (visitor->kept_count == visitor->kept_max) {
        visitor->kept_max = visitor->kept_max ? visitor->kept_max * 2 : 4;
        visitor->kept = realloc(visitor->kept, visitor->kept_max * sizeof *visitor->kept);
    }
    row_user *kept = room(sizeof *kept);
    *kept = *user;
    for (int field = 0; field < ROW_TEXTS; field++)
        if (user->texts[field].start) kept->texts[field].start = copy(user->texts[field]);
    visitor->kept[visitor->kept_count++] = kept;
}

void visitor_finish(visitor *visitor) {
    for (size_t place = 0; place < visitor->kept_count; place++) {
        row_user *kept = visitor->kept[place];
        visitor->digest += row_digest(kept);
        for (int field = 0; field < ROW_TEXTS; field++) free((char *)kept->texts[field].start);
        free(kept);
    }
    free(visitor->kept);
    visitor->kept = NULL;
    visitor->kept_count = visitor->kept_max = 0;
}

// MARK: Times

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

typedef struct {
    uint32_t *nanoseconds;
    size_t count, capacity;
    uint64_t sum;
} times;

static void times_add(times *times, uint64_t value) {
    if (times->count == times->capacity) {
        times->capacity = times->capacity ? times->capacity * 2 : 1 << 16;
        times->nanoseconds = realloc(times->nanoseconds, times->capacity * sizeof *times->nanoseconds);
        if (!times->nanoseconds) fail("memory", "none left");
    }
    times->nanoseconds[times->count++] = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    times->sum += value;
}

static int ascending(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void print_quantiles(const char *prefix, times *times) {
    static const struct {
        const char *name;
        double quantile;
    } wanted[] = {{"p50", .5}, {"p90", .9}, {"p99", .99}, {"p999", .999}};
    if (!times->count) return;
    qsort(times->nanoseconds, times->count, sizeof *times->nanoseconds, ascending);
    for (size_t each = 0; each < sizeof wanted / sizeof *wanted; each++) {
        size_t place = (size_t)(wanted[each].quantile * (double)(times->count - 1));
        printf(",\"%s%s_us\":%.3f", prefix, wanted[each].name, times->nanoseconds[place] / 1e3);
    }
}

static double processor_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static unsigned long memory(const char *name) {
    char line[256];
    unsigned long value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name))) value = strtoul(line + strlen(name), NULL, 10);
    if (file) fclose(file);
    return value;
}

typedef struct {
    uint64_t rows;
    double seconds;
    times times, writer_times;
} result;

static void print_result(const char *workload, result *result, double processor) {
    uint64_t operations = result->times.count ? result->times.count : 1;
    printf("{\"backend\":\"%s\",\"op\":\"%s\",\"n\":%llu,\"ops\":%llu,\"rows\":%llu,\"secs\":%.6f,\"ops_s\":%.1f,"
           "\"rows_s\":%.1f",
           bare->name, workload, (unsigned long long)row_count, (unsigned long long)operations,
           (unsigned long long)result->rows, result->seconds, (double)operations / result->seconds,
           (double)result->rows / result->seconds);
    print_quantiles("", &result->times);
    print_quantiles("w_", &result->writer_times);
    printf(",\"peak_rss_kb\":%lu,\"rss_anon_kb\":%lu,\"cpu_s\":%.3f}\n", memory("VmHWM:"), memory("RssAnon:"),
           processor_seconds() - processor);
    fflush(stdout);
}

// MARK: Workloads

static uint64_t below(uint64_t *state, uint64_t bound) {
    return (uint64_t)(((unsigned __int128)row_scatter(++*state) * bound) >> 64);
}

static result load(bool index_last) {
    result result = {0};
    row_user *users = room(ROWS_PER_LOAD * sizeof *users);
    char *texts = room((size_t)ROWS_PER_LOAD * ROW_TEXT_BYTES);
    uint64_t start = now(), spent;
    void *store = bare->open(folder, true, index_last);
    spent = now() - start;
    for (uint64_t first = 0; first < row_count; first += ROWS_PER_LOAD) {
        uint64_t count = row_count - first < ROWS_PER_LOAD ? row_count - first : ROWS_PER_LOAD;
        char *end = texts;
        for (uint64_t each = 0; each < count; each++) end += rows.user(first + each, users + each, end);
        start = now();
        bare->begin(store);
        for (uint64_t each = 0; each < count; each++) bare->insert(store, users + each);
        bare->commit(store);
        times_add(&result.times, now() - start);
    }
    start = now();
    if (index_last) bare->build_index(store);
    bare->settle(store);
    bare->close(store);
    spent += now() - start;
    free(users), free(texts);
    result.rows = row_count;
    result.seconds = (double)(spent + result.times.sum) / 1e9;
    return result;
}

static uint64_t read_one(void *reader, const char *workload, uint64_t *state, visitor *visitor) {
    uint64_t number = below(state, row_count);
    char login[ROW_LOGIN_BYTES];
    bool back = !strncmp(workload, "page.back.", 10);
    if (back || !strncmp(workload, "page.", 5)) {
        unsigned limit = (unsigned)strtoul(workload + (back ? 10 : 5), NULL, 10);
        return bare->page(reader, rows.id(number), limit, back, visitor);
    }
    if (!strncmp(workload, "get.id", 6)) return bare->get(reader, rows.id(number), visitor);
    if (!strncmp(workload, "get.login", 9))
        return bare->by_login(reader, login, rows.login(number, login), visitor);
    rows.login(number, login);
    return bare->prefix(reader, login, 3, 20, visitor);
}

static result read_for(void *reader, const char *workload, double duration, uint64_t from_seed) {
    result result = {0};
    size_t length = strlen(workload);
    visitor visitor = {.owned = length > 7 && !strcmp(workload + length - 7, ".record")};
    uint64_t state = from_seed, start = now(), time = start, end = start + (uint64_t)(duration * 1e9);
    while (time < end) {
        result.rows += read_one(reader, workload, &state, &visitor);
        if (visitor.owned) visitor_finish(&visitor);
        uint64_t after = now();
        times_add(&result.times, after - time);
        time = after;
    }
    if (!visitor.digest) fail(workload, "found nothing");
    result.seconds = (double)(time - start) / 1e9;
    return result;
}

static result reads(void *store, const char *workload) {
    void *reader = bare->reader(store);
    result warm = read_for(reader, workload, seconds / 4, seed + 77);
    free(warm.times.nanoseconds);
    result result = read_for(reader, workload, seconds, seed);
    bare->reader_close(reader);
    return result;
}

static result scan(void *store) {
    void *reader = bare->reader(store);
    visitor visitor = {0};
    bare->scan(reader, &visitor);
    uint64_t start = now();
    result result = {.rows = bare->scan(reader, &visitor)};
    result.seconds = (double)(now() - start) / 1e9;
    if (result.rows != row_count) fail("scan", "found a different number of rows than were loaded");
    bare->reader_close(reader);
    return result;
}

static result opening(void) {
    result result = {0};
    visitor visitor = {0};
    for (uint64_t state = seed; result.times.count < OPENINGS; result.rows++) {
        uint64_t start = now();
        void *store = bare->open(folder, false, false), *reader = bare->reader(store);
        if (!bare->get(reader, rows.id(below(&state, row_count)), &visitor)) fail("open", "a row is missing");
        times_add(&result.times, now() - start);
        bare->reader_close(reader);
        bare->close(store);
    }
    result.seconds = (double)result.times.sum / 1e9;
    return result;
}

static void save_page(void *store, uint64_t first, uint64_t turn, times *times) {
    row_user users[ROWS_PER_SAVE];
    static _Thread_local char texts[ROWS_PER_SAVE * ROW_TEXT_BYTES];
    char *end = texts;
    for (uint64_t each = 0; each < ROWS_PER_SAVE; each++) {
        end += rows.user(first + each, users + each, end);
        users[each].numbers[ROW_FETCHED_AT] += (int64_t)turn;
        users[each].numbers[ROW_FOLLOWERS] += 1;
    }
    uint64_t start = now();
    bare->begin(store);
    for (int each = 0; each < ROWS_PER_SAVE; each++) bare->save(store, users + each);
    bare->commit(store);
    times_add(times, now() - start);
}

static result writes(void *store, bool toggles) {
    result result = {0};
    for (uint64_t state = seed + 3; (double)result.times.sum < seconds * 1e9;) {
        uint64_t number = below(&state, row_count - (toggles ? 0 : ROWS_PER_SAVE - 1));
        result.rows += toggles ? 1 : ROWS_PER_SAVE;
        if (!toggles) {
            save_page(store, number, result.times.count, &result.times);
            continue;
        }
        uint64_t start = now();
        bare->begin(store);
        bare->toggle(store, rows.id(number));
        bare->commit(store);
        times_add(&result.times, now() - start);
    }
    result.seconds = (double)result.times.sum / 1e9;
    return result;
}

static _Atomic bool is_over;

typedef struct {
    void *store;
    times times;
} writer;

static void *write_until_over(void *argument) {
    writer *writer = argument;
    for (uint64_t state = seed + 9; !atomic_load(&is_over);)
        save_page(writer->store, below(&state, row_count - ROWS_PER_SAVE + 1), writer->times.count, &writer->times);
    return NULL;
}

static result mixed(void *store) {
    writer writer = {.store = store};
    void *reader = bare->reader(store);
    pthread_t thread;
    atomic_store(&is_over, false);
    if (pthread_create(&thread, NULL, write_until_over, &writer)) fail("thread", "cannot start");
    result result = read_for(reader, "get.id", seconds, seed + 1000);
    atomic_store(&is_over, true);
    pthread_join(thread, NULL);
    bare->reader_close(reader);
    result.writer_times = writer.times;
    return result;
}

static result run(const char *workload) {
    if (!strcmp(workload, "load")) return load(false);
    if (!strcmp(workload, "load.index-last")) return load(true);
    if (!strcmp(workload, "open")) return opening();
    void *store = bare->open(folder, false, false);
    result result;
    if (!strcmp(workload, "scan")) result = scan(store);
    else if (!strcmp(workload, "toggle")) result = writes(store, true);
    else if (!strcmp(workload, "save.20")) result = writes(store, false);
    else if (!strcmp(workload, "mixed.1")) result = mixed(store);
    else if (!strncmp(workload, "get.", 4) || !strncmp(workload, "page.", 5) || !strncmp(workload, "prefix.", 7))
        result = reads(store, workload);
    else fail(workload, "no such workload");
    bare->close(store);
    return result;
}

// MARK: The command line

static row_generator generator_of(const char *library) {
    void *handle = dlopen(library, RTLD_NOW);
    if (!handle) fail("generator", dlerror());
    row_generator generator = {
        (int64_t(*)(uint64_t))dlsym(handle, "user_id"),
        (size_t(*)(uint64_t, char *))dlsym(handle, "user_login"),
        (size_t(*)(uint64_t, row_user *, char *))dlsym(handle, "user_gen"),
    };
    if (!generator.id || !generator.login || !generator.user) fail(library, "lacks user_id, user_login or user_gen");
    return generator;
}

int main(int count, char **arguments) {
    char *workloads = NULL;
    rows = row_generator_own();
    for (int place = 1; place + 1 < count; place += 2) {
        const char *option = arguments[place];
        char *value = arguments[place + 1];
        if (!strcmp(option, "--storage")) bare = strcmp(value, "lmdb") ? &sqlite_engine : &lmdb_engine;
        else if (!strcmp(option, "--data")) folder = value;
        else if (!strcmp(option, "--rows")) row_count = strtoull(value, NULL, 10);
        else if (!strcmp(option, "--seconds")) seconds = strtod(value, NULL);
        else if (!strcmp(option, "--seed")) seed = strtoull(value, NULL, 10);
        else if (!strcmp(option, "--durability")) level = *value == 'o' ? OFF : *value == 'n' ? NORMAL : FULL;
        else if (!strcmp(option, "--generator")) rows = generator_of(value);
        else if (!strcmp(option, "--ops")) workloads = value;
        else fail(option, "no such option");
    }
    if (!bare || !folder || !workloads || row_count < 1000 || count % 2 == 0)
        fail("usage", "--storage sqlite|lmdb --data FOLDER --ops OP[,OP...] [--rows N] [--seconds S] [--seed X] "
                      "[--durability full|normal|off] [--generator LIBRARY.so]");
    for (char *workload = strtok(workloads, ","); workload; workload = strtok(NULL, ",")) {
        double processor = processor_seconds();
        result result = run(workload);
        print_result(workload, &result, processor);
    }
    return 0;
}
