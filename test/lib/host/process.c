/* process.c: the process around the calls: environment, directories, recorded lines, threads. */
#include "host.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/syscall.h>
#endif
#include <time.h>
#include <unistd.h>

/* name= value=, once or several times. */
COMMAND(setenv)
{
    for (int i = 0; arg_nth(line, "name", i); i++) {
        const char *value = arg_nth(line, "value", i);
        setenv(arg_nth(line, "name", i), value ? value : "", 1);
    }
}

COMMAND(unsetenv)
{
    unsetenv(arg_or(line, "name", "X"));
}

COMMAND(chdir)
{
    if (chdir(arg_or(line, "path", "/"))) fail("%s", strerror(errno));
}

struct script {
    int count;
    char *lines[MAX_WORDS];
};

COMMAND(script)
{
    struct script *script = calloc(1, sizeof *script);
    if (!script) abort();
    for (int i = 0; i < line->count; i++)
        if (!strcmp(line->key[i], "line")) script->lines[script->count++] = strdup(line->value[i]);
    struct object *before = object_find(arg_or(line, "as", "script"));
    if (before && before->kind == SCRIPT) {
        struct script *old = before->extra;
        for (int i = 0; i < old->count; i++) free(old->lines[i]);
        free(old);
    }
    object_drop(arg_or(line, "as", "script"));
    object_add(arg_or(line, "as", "script"), SCRIPT, 0, 0, script, 0);
}

/* In a recorded line "%t" stands for the thread's number, so that threads have objects of their own. */
static char *with_thread(const char *text, int thread)
{
    size_t size = strlen(text) * 4 + 16;
    char *out = malloc(size), *to = out;
    if (!out) abort();
    for (; *text; text++) {
        if (text[0] == '%' && text[1] == 't') {
            to += sprintf(to, "%d", thread);
            text++;
        } else {
            *to++ = *text;
        }
    }
    *to = 0;
    return out;
}

/* Performs the lines; the answer is a JSON array of their answers. False when a line gave an error or a result other
 * than VK_SUCCESS. */
static bool perform_lines(const struct script *script, struct answer *answer, int thread, int times)
{
    bool good = true;
    struct answer *before = now;
    for (int t = 0; t < times && good; t++) {
        now = answer;
        answer->size = 0;
        answer->comma = false;
        put_raw("[");
        for (int i = 0; i < script->count; i++) {
            struct answer one = {0};
            char *text = with_thread(script->lines[i], thread);
            perform(text, &one);
            now = answer;
            put_raw(i ? "," : "");
            put_raw(one.text);
            const char *result = strstr(one.text, "\"result\":");
            good = good && !one.failed && (!result || atoi(result + 9) == 0);
            answer_free(&one);
            free(text);
        }
        put_raw("]");
    }
    now = before;
    return good;
}

bool perform_object(const struct object *object, struct answer *answer, int times)
{
    return perform_lines(object->extra, answer, 0, times);
}

bool perform_script(const char *name, struct answer *answer, int thread)
{
    struct object *object = object_find(name);
    if (!object || object->kind != SCRIPT) return false;
    return perform_lines(object->extra, answer, thread, 1);
}

/* For fakes that are to call in the middle of a call: performs a recorded script, unless one is being performed. */
static char *performed[1024];
static int performed_count; /* under the lock */
static pthread_mutex_t performed_lock = PTHREAD_MUTEX_INITIALIZER;
void host_performs(const char *script)
{
    static unsigned inside; /* a word: gcc for RISC-V makes library calls of exchanged bytes */
    struct answer answer = {0};
    if (!object_find(script) || __atomic_exchange_n(&inside, 1, __ATOMIC_ACQ_REL)) return;
    if (perform_script(script, &answer, 0)) __atomic_store_n(&inside, 0, __ATOMIC_RELEASE); /* else never again */
    pthread_mutex_lock(&performed_lock);
    if (answer.text && performed_count < 1024) performed[performed_count++] = strdup(answer.text);
    pthread_mutex_unlock(&performed_lock);
    answer_free(&answer);
}

COMMAND(performed)
{
    (void)line;
    pthread_mutex_lock(&performed_lock);
    put_open("scripts", '[');
    for (int i = 0; i < performed_count; i++) {
        put_key(NULL);
        put_raw(performed[i]);
        free(performed[i]);
    }
    put_close(']');
    performed_count = 0;
    pthread_mutex_unlock(&performed_lock);
}

struct worker {
    pthread_t thread;
    struct script *script;
    struct answer answer;
    int number, times;
    int id; /* the kernel's number of a thread in the background, 0 before it begins, -1 after its end */
    bool good;
};

static void *work(void *data)
{
    struct worker *w = data;
#ifndef _WIN32
    __atomic_store_n(&w->id, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
#endif
    w->good = perform_lines(w->script, &w->answer, w->number, w->times);
    __atomic_store_n(&w->id, -1, __ATOMIC_RELEASE);
    return NULL;
}

COMMAND(run)
{
    struct object *object = object_find(arg_or(line, "script", "script"));
    int threads = (int)arg_int(line, "threads", 0), times = (int)arg_int(line, "times", 1), bad = 0;
    if (!object || object->kind != SCRIPT) return fail("no such script");
    int count = threads ? threads : 1;
    int64_t limit = (int64_t)arg_int(line, "limit", 0); /* milliseconds */
    struct worker *workers = calloc((size_t)count, sizeof *workers);
    if (!workers) abort();
    for (int i = 0; i < count; i++) workers[i] = (struct worker){.script = object->extra, .number = i, .times = times};
    if (threads == 0) {
        work(&workers[0]);
    } else {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        if (arg(line, "stack")) pthread_attr_setstacksize(&attributes, (size_t)arg_int(line, "stack", 65536));
        for (int i = 0; i < count; i++) pthread_create(&workers[i].thread, &attributes, work, &workers[i]);
        pthread_attr_destroy(&attributes);
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += limit / 1000;
        for (int i = 0; i < count; i++) {
            if (!limit)
                pthread_join(workers[i].thread, NULL);
            else if (pthread_timedjoin_np(workers[i].thread, NULL, &until))
                return fail("a thread is not done in time");
        }
    }
    for (int i = 0; i < count; i++) bad += !workers[i].good;
    put_int("bad", bad);
    put_open("answers", '[');
    for (int i = 0; i < count; i++) { /* of the last round of every thread */
        put_key(NULL);
        put_raw(workers[i].answer.text ? workers[i].answer.text : "[]");
        answer_free(&workers[i].answer);
    }
    put_close(']');
    free(workers);
}

/* Threads in the background, the oldest first. */
#define BACKGROUND 4
static struct worker background[BACKGROUND];
static int begun, joined;

COMMAND(spawn)
{
    struct object *object = object_find(arg_or(line, "script", "script"));
    if (!object || object->kind != SCRIPT) return fail("no such script");
    if (begun - joined == BACKGROUND) return fail("%d threads are running already", BACKGROUND);
    struct worker *worker = &background[begun % BACKGROUND];
    *worker = (struct worker){.script = object->extra, .times = 1};
    if (pthread_create(&worker->thread, NULL, work, worker)) return fail("no thread");
    begun++;
}

#ifndef _WIN32
/* asleep tells whether a thread has ended, or sleeps: its state in the kernel's table is S. */
static bool asleep(struct worker *worker)
{
    char path[64], text[64] = "";
    int id = __atomic_load_n(&worker->id, __ATOMIC_ACQUIRE);
    if (id <= 0) return id < 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", id);
    FILE *file = fopen(path, "re");
    if (!file) return __atomic_load_n(&worker->id, __ATOMIC_ACQUIRE) < 0;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    const char *name = strrchr(text, ')');
    return name && name[1] == ' ' && name[2] == 'S';
}
#endif

/* A wait of a thread for a lock that is free again soon lasts less than the looks here, 20 in a row. */
COMMAND(settle)
{
    (void)line;
#ifdef _WIN32
    usleep(300000); /* Windows does not show the state of a thread */
#else
    for (int looks = 0; looks < 20; looks++) {
        usleep(1000);
        for (int i = joined; i < begun; i++)
            if (!asleep(&background[i % BACKGROUND])) looks = 0;
    }
#endif
}

COMMAND(join)
{
    (void)line;
    if (begun == joined) return fail("no thread is running");
    struct worker *worker = &background[joined++ % BACKGROUND];
    pthread_join(worker->thread, NULL);
    put_int("bad", !worker->good);
    put_key("answers");
    put_raw(worker->answer.text ? worker->answer.text : "[]");
    answer_free(&worker->answer);
}

/* Fakes whose script is "steady" read it again. */
extern int host_scripts_changed;
int host_scripts_changed;
COMMAND(scripts_changed)
{
    (void)line;
    host_scripts_changed++;
}

/* From here on this thread is killed by what arithmetic is not exact, invalid or out of range, in each unit that its
 * processor has for numbers; ARM's may have no such way. */
COMMAND(trap_arithmetic)
{
    (void)line;
#if defined __x86_64__ || defined __i386__
    uint32_t vectors;
    uint16_t older;
    __asm__ volatile("stmxcsr %0" : "=m"(vectors));
    vectors &= ~UINT32_C(0x1ebf);
    __asm__ volatile("ldmxcsr %0" : : "m"(vectors));
    __asm__ volatile("fnclex\n\tfnstcw %0" : "=m"(older));
    older &= (uint16_t)~0x3d;
    __asm__ volatile("fldcw %0" : : "m"(older));
#endif
}

COMMAND(forget)
{
    object_drop(arg_or(line, "name", "x"));
}
