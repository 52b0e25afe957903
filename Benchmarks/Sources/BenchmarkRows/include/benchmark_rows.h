// The rows that benchmarks store: users like GitHub's with 23 fields, each generated from its number.
#ifndef BENCHMARK_ROWS_H
#define BENCHMARK_ROWS_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    ROW_ID, ROW_PUBLIC_REPOS, ROW_PUBLIC_GISTS, ROW_FOLLOWERS, ROW_FOLLOWING, ROW_CREATED_AT, ROW_UPDATED_AT,
    ROW_FETCHED_AT, ROW_SITE_ADMIN, ROW_FAVOURITE, ROW_NUMBERS
} row_number;
typedef enum {
    ROW_LOGIN, ROW_NODE_ID, ROW_AVATAR_URL, ROW_HTML_URL, ROW_URL, ROW_TYPE,
    // This text and those after it may be null.
    ROW_NAME, ROW_COMPANY, ROW_BLOG, ROW_LOCATION, ROW_EMAIL, ROW_BIO, ROW_TWITTER_USERNAME, ROW_TEXTS
} row_text_place;

// A text in memory that it does not own; a null `start` is null.
typedef struct {
    const char *start;
    uint32_t count;
} row_text;

typedef struct {
    int64_t numbers[ROW_NUMBERS];
    row_text texts[ROW_TEXTS];
} row_user;

// The maximum size of the texts of one user.
#define ROW_TEXT_BYTES 1024
#define ROW_LOGIN_BYTES 32

// A generator: three functions of a row's number. Ids ascend with gaps; logins are unique ASCII, in a different order.
typedef struct {
    int64_t (*id)(uint64_t number);
    // Writes a login and returns its length.
    size_t (*login)(uint64_t number, char *out);
    // Fills in a user, writes its texts to `out`, and returns the number of bytes used there.
    size_t (*user)(uint64_t number, row_user *user, char *out);
} row_generator;

// The generator in this package.
row_generator row_generator_own(void);

// Scatters a number over all 64 bits (splitmix64).
uint64_t row_scatter(uint64_t number);

// The digest of a user: the sum of all numbers and of the length, first and last byte of each text.
uint64_t row_digest(const row_user *user);

#endif
