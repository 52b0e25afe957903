#include "internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bare_fail(const char *what, const char *why) {
    fprintf(stderr, "bare engine: %s: %s\n", what, why);
    exit(1);
}

void *bare_room(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (!memory) bare_fail("memory", "none left");
    return memory;
}

const char *bare_text(const char *format, ...) {
    static _Thread_local char text[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

void bare_layout_add(bare_layout *layout, bare_kind kind) { layout->kinds[layout->columns++] = kind; }

void bare_layout_index(bare_layout *layout, unsigned column) { layout->indexed[layout->indexes++] = column; }

void bare_list(const bare_layout *layout, const char *format, unsigned first, char *text, size_t bytes) {
    size_t end = 0;
    for (unsigned column = first; column < first + layout->columns; column++) {
        if (column > first) text[end++] = ',';
        end += (size_t)snprintf(text + end, bytes - end, format, column, column);
    }
}

void bare_end_of_prefix(const char *prefix, size_t count, char end[BARE_PREFIX_MAX]) {
    if (!count || count > BARE_PREFIX_MAX) bare_fail("prefix", "too short or too long");
    memcpy(end, prefix, count);
    // Logins are ASCII, so the last byte can be incremented.
    end[count - 1]++;
}

bare_rows *bare_rows_create(unsigned columns) {
    bare_rows *rows = bare_room(sizeof *rows);
    rows->columns = columns;
    return rows;
}

// A row and its texts are one piece of memory.
void bare_rows_add(bare_rows *rows, const bare_value *row) {
    size_t head = rows->columns * sizeof *row, bytes = head;
    for (unsigned column = 0; column < rows->columns; column++) bytes += row[column].count;
    if (rows->count == rows->capacity) {
        rows->capacity = rows->capacity ? rows->capacity * 4 : 1;
        rows->rows = realloc(rows->rows, rows->capacity * sizeof *rows->rows);
    }
    bare_value *owned = malloc(bytes);
    if (!rows->rows || !owned) bare_fail("memory", "none left");
    memcpy(owned, row, head);
    char *end = (char *)owned + head;
    for (unsigned column = 0; column < rows->columns; column++) {
        if (owned[column].kind != BARE_TEXT) continue;
        memcpy(end, row[column].text, row[column].count);
        owned[column].text = end;
        end += row[column].count;
    }
    rows->rows[rows->count++] = owned;
}

void bare_rows_free(bare_rows *rows) {
    for (size_t place = 0; place < rows->count; place++) free(rows->rows[place]);
    free(rows->rows);
    free(rows);
}
