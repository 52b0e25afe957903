#include "benchmark_rows.h"
#include <string.h>

uint64_t row_scatter(uint64_t number) {
    number += 0x9e3779b97f4a7c15u;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    return number ^ (number >> 31);
}

uint64_t row_digest(const row_user *user) {
    uint64_t digest = 0;
    for (int field = 0; field < ROW_NUMBERS; field++) digest += (uint64_t)user->numbers[field];
    for (int field = 0; field < ROW_TEXTS; field++) {
        const row_text *text = &user->texts[field];
        if (!text->start || !text->count) continue;
        digest += text->count + (unsigned char)text->start[0] + (unsigned char)text->start[text->count - 1];
    }
    return digest;
}

// Writes texts one after another into the caller's memory.
typedef struct {
    char *begin, *end;
} writer;

static void add_bytes(writer *out, const char *bytes, size_t count) {
    memcpy(out->end, bytes, count);
    out->end += count;
}

static void add(writer *out, const char *text) { add_bytes(out, text, strlen(text)); }

static void add_number(writer *out, uint64_t number, unsigned base) {
    char digits[64];
    size_t count = 0;
    do {
        digits[sizeof digits - ++count] = "0123456789abcdefghijklmnopqrstuvwxyz"[number % base];
        number /= base;
    } while (number);
    add_bytes(out, digits + sizeof digits - count, count);
}

static row_text take(writer *out) {
    row_text text = {out->begin, (uint32_t)(out->end - out->begin)};
    out->begin = out->end;
    return text;
}

static int64_t own_id(uint64_t number) { return (int64_t)(10 + number * 9 + row_scatter(~number) % 9); }

static const char *const given[] = {"Amara", "Björk", "Chidi", "Dalia", "Emre", "Fatou", "Goran", "Hana", "Ines",
                                    "Jun", "Kofi", "Lucía", "Mirza", "Noor", "Oskar", "Priya"};
static const char *const family[] = {"Abara", "Bianchi", "Castro", "Duarte", "Eriksen", "Farkas", "Grünwald", "Haddad",
                                     "Ito", "Jansen", "Kowalski", "Larsen", "Mensah", "Novák", "Okafor", "Peña"};
static const char *const places[] = {"Lisbon", "Oslo, Norway", "Accra, Ghana", "Zürich", "Quito, Ecuador", "Kyoto, Japan",
                                     "Austin, TX", "Ljubljana, Slovenia"};
static const char *const phrases[] = {"reads \"specs\" for fun", "writes parsers", "likes slow trains",
                                      "maintains build tools", "teaches databases", "draws maps", "once a physicist",
                                      "grows tomatoes 🍅"};
static const char consonants[] = "bdfghjklmnprstvz", vowels[] = "aeiou";

static size_t own_login(uint64_t number, char *room) {
    writer out = {room, room};
    uint64_t random = row_scatter(number ^ 0x6c6f67696eu);
    for (int syllable = 0; syllable < 3; syllable++, random >>= 8) {
        *out.end++ = consonants[random & 15];
        *out.end++ = vowels[(random >> 4) % 5];
    }
    *out.end++ = '-';
    // The number makes the login unique.
    add_number(&out, number, 36);
    return (size_t)(out.end - out.begin);
}

// Returns a number below 100 that depends on the user and the field.
static unsigned percent(uint64_t random, uint64_t field) { return (unsigned)(row_scatter(random + field) % 100); }

static void fill_numbers(uint64_t number, uint64_t random, row_user *user) {
    user->numbers[ROW_ID] = own_id(number);
    user->numbers[ROW_PUBLIC_REPOS] = (int64_t)(random % 250);
    user->numbers[ROW_PUBLIC_GISTS] = (int64_t)(random >> 9) % 30;
    user->numbers[ROW_FOLLOWERS] = (int64_t)((random >> 20) % 30000);
    user->numbers[ROW_FOLLOWING] = (int64_t)((random >> 36) % 400);
    user->numbers[ROW_CREATED_AT] = 1200000000 + (int64_t)number * 4;
    user->numbers[ROW_UPDATED_AT] = 1710000000 + (int64_t)(random % 40000000);
    user->numbers[ROW_FETCHED_AT] = 1763000000;
    user->numbers[ROW_SITE_ADMIN] = percent(random, 1) == 0;
    user->numbers[ROW_FAVOURITE] = percent(random, 2) == 0;
}

static void fill_profile(uint64_t random, const char *login, size_t count, row_user *user, writer *out) {
    row_text *texts = user->texts;
    memset(texts + ROW_NAME, 0, sizeof *texts * (ROW_TEXTS - ROW_NAME));
    if (percent(random, 3) < 85) {
        add(out, given[random & 15]), add(out, " "), add(out, family[(random >> 4) & 15]);
        texts[ROW_NAME] = take(out);
    }
    if (percent(random, 4) < 50) {
        add(out, "@"), add(out, family[(random >> 8) & 15]), add(out, " Works");
        texts[ROW_COMPANY] = take(out);
    }
    if (percent(random, 5) < 60) {
        add(out, "https://"), add_bytes(out, login, count), add(out, ".example.net/notes");
        texts[ROW_BLOG] = take(out);
    }
    if (percent(random, 6) < 65) add(out, places[(random >> 12) & 7]), texts[ROW_LOCATION] = take(out);
    if (percent(random, 7) < 40) {
        add_bytes(out, login, count), add(out, "@example.net");
        texts[ROW_EMAIL] = take(out);
    }
    if (percent(random, 8) < 80) {
        for (unsigned phrase = 0, phrases_wanted = 2 + (random >> 16) % 5; phrase < phrases_wanted; phrase++) {
            if (phrase) add(out, ", ");
            add(out, phrases[row_scatter(random + phrase) & 7]);
        }
        texts[ROW_BIO] = take(out);
    }
    if (percent(random, 9) < 30) add_bytes(out, login, count), texts[ROW_TWITTER_USERNAME] = take(out);
}

static size_t own_user(uint64_t number, row_user *user, char *room) {
    writer out = {room, room};
    uint64_t random = row_scatter(number ^ 0x75736572u);
    char login[ROW_LOGIN_BYTES];
    size_t count = own_login(number, login);
    fill_numbers(number, random, user);
    row_text *texts = user->texts;
    add_bytes(&out, login, count);
    texts[ROW_LOGIN] = take(&out);
    add(&out, "MDQ6VXNlcj"), add_number(&out, random & 0x3ffffffffffff, 36);
    texts[ROW_NODE_ID] = take(&out);
    add(&out, "https://avatars.example.net/u/"), add_number(&out, (uint64_t)user->numbers[ROW_ID], 10), add(&out, "?v=4");
    texts[ROW_AVATAR_URL] = take(&out);
    add(&out, "https://www.example.net/"), add_bytes(&out, login, count);
    texts[ROW_HTML_URL] = take(&out);
    add(&out, "https://api.example.net/users/"), add_bytes(&out, login, count);
    texts[ROW_URL] = take(&out);
    add(&out, percent(random, 10) < 5 ? "Organization" : "User");
    texts[ROW_TYPE] = take(&out);
    fill_profile(random, login, count, user, &out);
    return (size_t)(out.end - room);
}

row_generator row_generator_own(void) { return (row_generator){own_id, own_login, own_user}; }
