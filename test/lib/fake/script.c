/* script.c: reads the script beside the library and makes the log's lines. Keeps no descriptor open between calls. */
#include "script.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct script *) current;
static _Atomic bool steady; /* the script says that it stays as it is, until the host says that scripts have changed */
static _Atomic int steady_as;
static struct stat read_as;

const char *library_path(void)
{
    static char path[4096];
    Dl_info info;
    if (!path[0] && dladdr((void *)(uintptr_t)library_path, &info) && info.dli_fname) {
        /* The name the library was opened by: links to one file act differently, when they have scripts. */
        char script[4200];
        snprintf(script, sizeof script, "%s.script", info.dli_fname);
        if (info.dli_fname[0] == '/' && strncmp(info.dli_fname, "/proc/", 6) != 0 && access(script, F_OK) == 0)
            snprintf(path, sizeof path, "%s", info.dli_fname);
        else if (!realpath(info.dli_fname, path))
            path[0] = 0;
    }
    return path;
}

/* A library that is opened by a descriptor has to find its path while the descriptor is open. */
__attribute__((constructor)) static void opened(void)
{
    Dl_info info;
    if (dladdr((void *)(uintptr_t)library_path, &info) && info.dli_fname && strncmp(info.dli_fname, "/proc/", 6) == 0)
        library_path();
}

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

void percent_decode(char *s)
{
    char *to = s;
    for (; *s; s++) {
        if (*s == '%' && hex(s[1]) >= 0 && hex(s[2]) >= 0) {
            *to++ = (char)(hex(s[1]) * 16 + hex(s[2]));
            s += 2;
        } else {
            *to++ = *s;
        }
    }
    *to = 0;
}

/* Scripts lie in memory that goes with the library, unless they are very large. An old one is never given back: another
 * thread may still read it. */
#define ROOM ((size_t)4 << 20)
static _Alignas(16) char room[ROOM];
static size_t room_used; /* under the lock */

static void *take(size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (size > ROOM - room_used) {
        void *large = calloc(1, size);
        if (!large) abort();
        return large;
    }
    void *at = room + room_used;
    room_used += size;
    return at;
}

static struct script *parse(char *text)
{
    struct script *script = take(sizeof *script);
    char *line_rest = NULL;
    size_t lines = 1;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    script->text = text;
    script->statement = take(lines * sizeof *script->statement);
    for (char *line = strtok_r(text, "\n", &line_rest); line; line = strtok_r(NULL, "\n", &line_rest)) {
        struct statement statement = {0};
        char *rest = NULL;
        for (char *word = strtok_r(line, " \t\r", &rest); word && statement.count < SCRIPT_WORDS;
             word = strtok_r(NULL, " \t\r", &rest)) {
            percent_decode(word);
            statement.word[statement.count++] = word;
        }
        if (statement.count && statement.word[0][0] != '#') script->statement[script->count++] = statement;
    }
    return script;
}

const struct script *script_now(void)
{
    static struct script empty;
    char name[4200];
    struct stat is;
    static const int *_Atomic changes;
    static const int never;
    if (!atomic_load(&changes)) {
        const int *of_host = dlsym(RTLD_DEFAULT, "host_scripts_changed");
        atomic_store(&changes, of_host ? of_host : &never);
    }
    int now = *(const volatile int *)atomic_load(&changes);
    if (atomic_load(&steady) && atomic_load(&steady_as) == now) return atomic_load(&current);
    snprintf(name, sizeof name, "%s.script", library_path());
    if (stat(name, &is)) return &empty;
    pthread_mutex_lock(&lock);
    struct script *script = atomic_load(&current);
    if (!script || is.st_ino != read_as.st_ino || is.st_size != read_as.st_size ||
        is.st_mtim.tv_sec != read_as.st_mtim.tv_sec || is.st_mtim.tv_nsec != read_as.st_mtim.tv_nsec) {
        int file = open(name, O_RDONLY | O_CLOEXEC);
        char *text = take((size_t)is.st_size + 1);
        ssize_t n = 0;
        if (file >= 0) n = read(file, text, (size_t)is.st_size);
        if (file >= 0) close(file);
        if (n == is.st_size) {
            text[n] = 0;
            script = parse(text);
            atomic_store(&current, script);
            read_as = is;
            bool stays = dlsym(RTLD_DEFAULT, "host_scripts_steady") != NULL;
            for (int i = 0; i < script->count; i++) stays = stays || !strcmp(script->statement[i].word[0], "steady");
            atomic_store(&steady, stays);
        }
    }
    atomic_store(&steady_as, now);
    pthread_mutex_unlock(&lock);
    return script ? script : &empty;
}

const struct statement *script_find(const char *key, const char *second, int n)
{
    const struct script *script = script_now();
    for (int i = 0; i < script->count; i++) {
        const struct statement *s = &script->statement[i];
        if (strcmp(s->word[0], key)) continue;
        if (second && (s->count < 2 || strcmp(s->word[1], second))) continue;
        if (n-- == 0) return s;
    }
    return NULL;
}

bool script_has(const char *key, const char *second)
{
    return script_find(key, second, 0) != NULL;
}

const char *script_word(const char *key, int i, const char *otherwise)
{
    const struct statement *s = script_find(key, NULL, 0);
    return s && i < s->count ? s->word[i] : otherwise;
}

const char *statement_value(const struct statement *s, const char *name, const char *otherwise)
{
    size_t n = strlen(name);
    for (int i = 0; s && i < s->count; i++)
        if (!strncmp(s->word[i], name, n) && s->word[i][n] == '=') return s->word[i] + n + 1;
    return otherwise;
}

uint64_t script_number(const char *text)
{
    return *text == '-' ? (uint64_t)strtoll(text, NULL, 0) : strtoull(text, NULL, 0);
}

uint32_t script_version(const char *text)
{
    unsigned a = 0, b = 0, c = 0;
    if (!strchr(text, '.')) return (uint32_t)script_number(text);
    sscanf(text, "%u.%u.%u", &a, &b, &c);
    return a << 22 | b << 12 | c;
}

/* ---- the log ---- */

static void add(struct record *r, const char *text)
{
    size_t n = strlen(text);
    if (r->size + n + 8 > sizeof r->text) return;
    memcpy(r->text + r->size, text, n + 1);
    r->size += n;
}

static void add_string(struct record *r, const char *text)
{
    add(r, "\"");
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        char buffer[8] = {(char)*s, 0};
        if (*s == '"' || *s == '\\' || *s < 0x20 || *s >= 0x7f) snprintf(buffer, sizeof buffer, "\\u%04x", *s);
        add(r, buffer);
    }
    add(r, "\"");
}

static void key(struct record *r, const char *name)
{
    if (r->comma) add(r, ",");
    r->comma = true;
    if (!name) return;
    add_string(r, name);
    add(r, ":");
}

void record_int(struct record *r, const char *name, int64_t value)
{
    char buffer[32];
    snprintf(buffer, sizeof buffer, "%lld", (long long)value);
    key(r, name);
    add(r, buffer);
}

void record_text(struct record *r, const char *name, const char *value)
{
    key(r, name);
    if (value)
        add_string(r, value);
    else
        add(r, "null");
}

void record_pointer(struct record *r, const char *name, const void *pointer)
{
    char buffer[32];
    snprintf(buffer, sizeof buffer, "0x%llx", (unsigned long long)(uintptr_t)pointer);
    record_text(r, name, pointer ? buffer : NULL);
}

void record_begin(struct record *r, const char *name, char bracket)
{
    char text[2] = {bracket, 0};
    key(r, name);
    add(r, text);
    r->comma = false;
}

void record_end(struct record *r, char bracket)
{
    char text[2] = {bracket, 0};
    add(r, text);
    r->comma = true;
}

void record_names(struct record *r, const char *name, uint32_t count, const char *const *names)
{
    record_begin(r, name, '[');
    for (uint32_t i = 0; names && i < count; i++) record_text(r, NULL, names[i]);
    record_end(r, ']');
}

void record_chain(struct record *r, const char *name, const void *next)
{
    record_begin(r, name, '[');
    int limit = 64;
    for (const VkBaseInStructure *s = next; s && limit--; s = s->pNext) record_int(r, NULL, s->sType);
    record_end(r, ']');
}

void record_open(struct record *r, const char *function)
{
    struct timespec t;
    const char *slash = strrchr(library_path(), '/');
    clock_gettime(CLOCK_MONOTONIC, &t);
    r->size = 0;
    r->comma = false;
    add(r, "{");
    record_text(r, "who", script_word("name", 1, slash ? slash + 1 : "fake"));
    record_text(r, "fn", function);
    record_int(r, "pid", getpid());
    record_int(r, "thread", syscall(SYS_gettid));
    record_int(r, "at", t.tv_sec * 1000000000ll + t.tv_nsec);
}

void record_close(struct record *r)
{
    const char *path = script_word("log", 1, NULL);
    add(r, "}\n");
    if (path) append(path, r->text, r->size);
}

/* ---- imposed results ---- */

#define FUNCTIONS 1024
static struct {
    char name[64];
    int calls;
} counted[FUNCTIONS];

static int count_call(const char *function, const char *phase, bool increase)
{
    char name[64];
    int calls = 0;
    snprintf(name, sizeof name, "%s%s%s", function, phase ? "/" : "", phase ? phase : "");
    pthread_mutex_lock(&lock);
    for (int i = 0; i < FUNCTIONS; i++) {
        if (counted[i].name[0] && strcmp(counted[i].name, name)) continue;
        if (!counted[i].name[0]) snprintf(counted[i].name, sizeof counted[i].name, "%s", name);
        calls = counted[i].calls += increase;
        break;
    }
    pthread_mutex_unlock(&lock);
    return calls;
}

bool script_chance(uint64_t percent)
{
    static _Atomic uint32_t drawn; /* a word: processors of armel have no 64-bit atomics */
    uint64_t x = script_number(script_word("seed", 1, "1")) + 0x9e3779b97f4a7c15u * (1 + atomic_fetch_add(&drawn, 1));
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (x ^ x >> 31) % 100 < percent;
}

int calls_of(const char *function)
{
    return count_call(function, NULL, false);
}

static void host_does(const char *script)
{
    void (*host)(const char *) = (void (*)(const char *))dlsym(RTLD_DEFAULT, "host_performs");
    if (host) host(script);
}

/* "perform FN SCRIPT [N]": the host's recorded lines are performed in the middle of the call; FN * is every one. */
static void perform(const char *function, int call)
{
    const struct statement *s;
    for (int i = 0; (s = script_find("perform", NULL, i)); i++) {
        if (s->count < 3 || (strcmp(s->word[1], function) && strcmp(s->word[1], "*"))) continue;
        if (s->count > 3 && call != (int)script_number(s->word[3])) continue;
        host_does(s->word[2]);
    }
}

void perform_lookup(const char *name)
{
    const struct statement *s = script_find("perform_lookup", name, 0);
    if (s && s->count > 2) host_does(s->word[2]);
}

/* "die_with FN FILE": only where a library of this file name is in the process. */
static bool die_with(const char *function)
{
    const struct statement *s = script_find("die_with", function, 0);
    if (!s || s->count < 3) return false;
    bool there = false;
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && !there && fgets(line, sizeof line, maps)) there = strstr(line, s->word[2]) != NULL;
    if (maps) fclose(maps);
    return there;
}

bool imposed(const char *function, const char *phase, VkResult *result)
{
    int call = count_call(function, NULL, true);
    const struct statement *s;
    perform(function, call);
    if ((s = script_find("delay", function, 0)) && s->count > 2) usleep((useconds_t)script_number(s->word[2]) * 1000);
    if (script_has("die", function) || die_with(function)) abort();
    if ((s = script_find("leave", function, 0)) && s->count > 2) exit((int)script_number(s->word[2]));
    for (int i = 0; (s = script_find("result", function, i)); i++) {
        const char *when = s->count > 3 ? s->word[3] : "*";
        bool yes;
        if (!strcmp(when, "*"))
            yes = true;
        else if (!strcmp(when, "count") || !strcmp(when, "fill"))
            yes = phase && !strcmp(when, phase);
        else if (!strcmp(when, "chance"))
            yes = s->count > 4 && script_chance(script_number(s->word[4]));
        else if (!strcmp(when, "from"))
            yes = s->count > 4 && call >= (int)script_number(s->word[4]);
        else
            yes = call == (int)script_number(when);
        if (yes && s->count > 2) {
            *result = (VkResult)script_number(s->word[2]);
            return true;
        }
    }
    return false;
}

/* "log_load": opening and closing of the library are logged as well, as "constructor" and "destructor". "calls_loader":
 * the loader is called then, through the host. */
static void log_load(const char *function)
{
    struct record r;
    void (*call)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "host_calls_loader");
    if (call && script_has("calls_loader", NULL)) call();
    const struct statement *moved = !strcmp(function, "constructor") ? script_find("load_renames", NULL, 0) : NULL;
    if (moved && moved->count > 2) rename(moved->word[1], moved->word[2]);
    if (!script_has("log_load", NULL)) return;
    record_open(&r, function);
    record_close(&r);
}

static bool loaded;

/* Called by the interposer, too, where the C library itself does not unmap closed libraries. */
__attribute__((visibility("default"))) void fake_load(bool open);
void fake_load(bool open)
{
    if (open == loaded) return;
    loaded = open;
    log_load(open ? "constructor" : "destructor");
}

__attribute__((constructor)) static void on_load(void)
{
    fake_load(true);
}
__attribute__((destructor)) static void on_unload(void)
{
    fake_load(false);
}
