/* main.c: reads commands, performs them, writes answers. Knows no Vulkan command by itself. */
#include "host.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__thread struct answer *now;

#define VERB(name) COMMAND(name);
#include "commands.def"
#undef VERB
static const struct {
    const char *verb;
    void (*run)(const struct line *line);
} verbs[] = {
#define VERB(name) {#name, do_##name},
#include "commands.def"
#undef VERB
};

/* ---- the answer ---- */

static void put_bytes(const char *bytes, size_t size)
{
    if (now->size + size + 1 > now->room) {
        now->room = (now->size + size + 1) * 2;
        now->text = realloc(now->text, now->room);
        if (!now->text) abort();
    }
    memcpy(now->text + now->size, bytes, size);
    now->size += size;
    now->text[now->size] = 0;
}

void put_raw(const char *text)
{
    put_bytes(text, strlen(text));
}

static void separate(void)
{
    if (now->comma) put_raw(",");
    now->comma = true;
}

/* Bytes that are no valid UTF-8 come out as Latin-1 characters, so that the answer is always JSON. */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = s[0] >= 0xf0 && s[0] < 0xf8 ? 4 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    return n;
}

void put_string(const char *text)
{
    put_raw("\"");
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t n = *s >= 0x80 ? utf8_length(s) : 1;
        char buffer[8];
        if (*s == '"' || *s == '\\' || *s < 0x20 || *s == 0x7f || n == 0) {
            snprintf(buffer, sizeof buffer, "\\u%04x", *s);
            put_raw(buffer);
            s++;
        } else {
            put_bytes((const char *)s, n);
            s += n;
        }
    }
    put_raw("\"");
}

void put_key(const char *key)
{
    separate();
    if (key) {
        put_string(key);
        put_raw(":");
    }
}

void put_text(const char *key, const char *text)
{
    put_key(key);
    if (text)
        put_string(text);
    else
        put_raw("null");
}

void put_int(const char *key, int64_t value)
{
    char buffer[32];
    snprintf(buffer, sizeof buffer, "%lld", (long long)value);
    put_key(key);
    put_raw(buffer);
}

void put_number(int64_t value)
{
    put_int(NULL, value);
}

void put_hex(const char *key, const void *bytes, size_t size)
{
    put_key(key);
    put_raw("\"");
    for (size_t i = 0; i < size; i++) {
        char buffer[4];
        snprintf(buffer, sizeof buffer, "%02x", ((const unsigned char *)bytes)[i]);
        put_raw(buffer);
    }
    put_raw("\"");
}

void put_open(const char *key, char bracket)
{
    char text[2] = {bracket, 0};
    put_key(key);
    put_raw(text);
    now->comma = false;
}

void put_close(char bracket)
{
    char text[2] = {bracket, 0};
    put_raw(text);
    now->comma = true;
}

void fail(const char *format, ...)
{
    char buffer[512];
    va_list list;
    va_start(list, format);
    vsnprintf(buffer, sizeof buffer, format, list);
    va_end(list);
    if (now->failed) return;
    now->failed = true;
    put_text("error", buffer);
}

void answer_free(struct answer *answer)
{
    free(answer->text);
    memset(answer, 0, sizeof *answer);
}

/* ---- the line ---- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static void decode(char *s)
{
    char *to = s;
    for (; *s; s++) {
        if (*s == '%' && hex_digit(s[1]) >= 0 && hex_digit(s[2]) >= 0) {
            *to++ = (char)(hex_digit(s[1]) * 16 + hex_digit(s[2]));
            s += 2;
        } else {
            *to++ = *s;
        }
    }
    *to = 0;
}

static void split(struct line *line, char *text)
{
    char *rest = NULL;
    memset(line, 0, sizeof *line);
    line->text = strdup(text);
    for (char *word = strtok_r(line->text, " \t\r\n", &rest); word; word = strtok_r(NULL, " \t\r\n", &rest)) {
        if (!line->verb) {
            line->verb = word;
            continue;
        }
        if (line->count == MAX_WORDS) break;
        char *equals = strchr(word, '=');
        if (equals) *equals = 0;
        line->key[line->count] = word;
        line->value[line->count] = equals ? equals + 1 : word + strlen(word);
        decode(line->value[line->count]);
        line->count++;
    }
}

const char *arg_nth(const struct line *line, const char *key, int n)
{
    for (int i = 0; i < line->count; i++)
        if (!strcmp(line->key[i], key) && n-- == 0) return line->value[i];
    return NULL;
}

const char *arg(const struct line *line, const char *key)
{
    return arg_nth(line, key, 0);
}

int arg_count(const struct line *line, const char *key)
{
    int n = 0;
    for (int i = 0; i < line->count; i++) n += !strcmp(line->key[i], key);
    return n;
}

const char *arg_or(const struct line *line, const char *key, const char *otherwise)
{
    const char *value = arg(line, key);
    return value ? value : otherwise;
}

uint64_t number(const char *text)
{
    return *text == '-' ? (uint64_t)strtoll(text, NULL, 0) : strtoull(text, NULL, 0);
}

uint64_t arg_int(const struct line *line, const char *key, uint64_t otherwise)
{
    const char *value = arg(line, key);
    return value ? number(value) : otherwise;
}

uint32_t version_number(const char *text)
{
    unsigned a = 0, b = 0, c = 0;
    if (!strchr(text, '.')) return (uint32_t)number(text);
    sscanf(text, "%u.%u.%u", &a, &b, &c);
    return a << 22 | b << 12 | c;
}

/* ---- arena ---- */

bool arena_start(struct arena *arena)
{
    arena->size = 1 << 20;
    arena->used = 0;
    arena->base = mmap(NULL, arena->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return arena->base != MAP_FAILED;
}

void *take(struct arena *arena, size_t size)
{
    size_t at = (arena->used + 15) & ~(size_t)15;
    if (at + size > arena->size) abort();
    arena->used = at + size;
    return arena->base + at;
}

char *take_text(struct arena *arena, const char *text)
{
    char *copy = take(arena, strlen(text) + 1);
    strcpy(copy, text);
    return copy;
}

void arena_freeze(struct arena *arena)
{
    mprotect(arena->base, arena->size, PROT_READ);
}
void arena_end(struct arena *arena)
{
    munmap(arena->base, arena->size);
}

/* ---- performing ---- */

bool perform(char *text, struct answer *answer)
{
    struct answer *before = now;
    struct line line;
    bool go_on = true;
    split(&line, text);
    now = answer;
    put_raw("{");
    answer->comma = false;
    answer->failed = false;
    if (line.verb && !strcmp(line.verb, "quit")) {
        go_on = false;
    } else if (line.verb) {
        size_t i = 0, n = sizeof verbs / sizeof *verbs;
        while (i < n && strcmp(verbs[i].verb, line.verb)) i++;
        if (i < n)
            verbs[i].run(&line);
        else
            fail("no command %s", line.verb);
    }
    put_events();
    put_raw("}");
    free(line.text);
    now = before;
    return go_on;
}

/* The process ends, and libraries go for no other reason: the fakes look here. */
extern int host_exiting;
int host_exiting;
static void note_exit(void)
{
    host_exiting = 1;
}

int main(int argc, char **argv)
{
    atexit(note_exit);
    char *text = NULL;
    size_t room = 0;
    bool go_on = true;
    if (argc > 1) {
        struct answer answer = {0};
        char line[4200];
        snprintf(line, sizeof line, "open path=%s", argv[1]);
        perform(line, &answer);
        if (answer.failed) fprintf(stderr, "%s\n", answer.text);
        answer_free(&answer);
    }
    while (go_on && getline(&text, &room, stdin) > 0) {
        struct answer answer = {0};
        go_on = perform(text, &answer);
        fflush(stderr);
        fputs(answer.text, stdout);
        fputc('\n', stdout);
        fflush(stdout);
        answer_free(&answer);
    }
    free(text);
    return blocks_lost() ? LOST : 0;
}
