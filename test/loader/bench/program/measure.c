/* measure.c: does one measurement on one Vulkan library, and prints the result. The program that runs it
 * (test/loader/bench) alternates between libraries and makes medians.
 *
 *   measure LIBRARY start [enumerate]      a program's first moments: load, create, list devices; with "enumerate"
 *                                          instance extensions and layers are listed first. One use of a fresh process
 *   measure LIBRARY time OPERATION...      each many times, in a process that has lived two lives before
 *   measure LIBRARY count OPERATION N      N times and nothing else, for counting instructions: in bench_counted, which
 *                                          is called from nowhere else, and whose callees are all that counts
 *
 * Lines are "name median lowest", nanoseconds each; "resident", "anonymous" and "space" are in kB. An operation that
 * the device lacks has no line. Exit code 3 and a line on standard error: it could not be measured.
 *
 * Read from the environment: BENCH_NAMES, a file with names of commands, one a line; BENCH_BARE: the library is a
 * driver, and there is no loader.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An operation is repeated until this time is used up, but at least three times. */
#define ENOUGH_NS 250000000u

void bench_counted(void (*once)(void), unsigned long n);

static void put(const char *name, double median, double lowest)
{
    printf("%s %.2f %.2f\n", name, median, lowest);
}

/* Returns a number from a file of /proc/self, or 0. */
static long own(const char *file, const char *key)
{
    FILE *f = fopen(file, "re");
    char line[256];
    long value = 0;
    size_t length = strlen(key);
    while (f && fgets(line, sizeof(line), f))
        if (strncmp(line, key, length) == 0) value = strtol(line + length, NULL, 10);
    if (f) fclose(f);
    return value;
}

static uint64_t since;

static void step(const char *name)
{
    uint64_t now = bench_now();
    put(name, (double)(now - since), (double)(now - since));
    since = bench_now();
}

static void start(const char *library, bool enumerate)
{
    setvbuf(stdout, NULL, _IOFBF, 4096);
    printf("%s", ""); /* allocates the buffer of stdout */
    uint64_t spent = bench_spent();
    uint64_t began = since = bench_now();
    bench_open(library);
    step("load");
    if (enumerate) {
        bench_extensions();
        step("first_extensions");
        bench_layers();
        step("first_layers");
    }
    bench_create();
    step("first_create");
    bench_list();
    step("first_devices");
    double all = (double)(bench_now() - began);
    put("start", all, all);
    double processor = (double)(bench_spent() - spent);
    put("spent", processor, processor);
    double resident = (double)own("/proc/self/status", "VmRSS:");
    put("resident", resident, resident);
    double anonymous = (double)own("/proc/self/smaps_rollup", "Anonymous:");
    put("anonymous", anonymous, anonymous);
    double space = (double)own("/proc/self/status", "VmSize:");
    put("space", space, space);
    double threads = (double)own("/proc/self/status", "Threads:");
    put("threads", threads, threads);
    bench_destroy();
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static const struct operation *find(const char *name)
{
    const struct operation *o = operation_find(name);
    if (!o) bench_die("there is no operation \"%s\"", name);
    return o;
}

/* valgrind counts the instructions below the function of this name. */
__attribute__((noinline, noclone)) void bench_counted(void (*once)(void), unsigned long n)
{
    for (unsigned long i = 0; i < n; i++) once();
}

static void repeat(const struct operation *o, unsigned long n)
{
    for (unsigned long left = n; left > 0;) {
        unsigned long now = left < o->batch ? left : o->batch;
        bench_counted(o->once, now);
        if (o->undo) o->undo();
        left -= now;
    }
}

static void take(const char *name)
{
    const struct operation *o = find(name);
    bench_reach(o->stage);
    if (!operation_ready(o)) return;
    double samples[64], spent[64];
    unsigned n = 0;
    bool cycle = strcmp(name, "cycle") == 0;
    repeat(o, 2 * o->batch); /* fills caches, and creates the objects of the first use */
    uint64_t first = bench_now();
    while (n < o->samples && (n < 3 || bench_now() - first < ENOUGH_NS)) {
        uint64_t before = cycle ? bench_spent() : 0;
        uint64_t from = bench_now();
        for (unsigned i = 0; i < o->batch; i++) o->once();
        samples[n] = (double)(bench_now() - from) / o->batch / operation_parts(o);
        spent[n++] = cycle ? (double)(bench_spent() - before) : 0;
        if (o->undo) o->undo();
    }
    qsort(samples, n, sizeof(samples[0]), by_size);
    put(o->name, samples[n / 2], samples[0]);
    if (cycle) {
        qsort(spent, n, sizeof(spent[0]), by_size);
        put("cycle_spent", spent[n / 2], spent[0]);
    }
    if (strcmp(name, "draw_device") == 0)
        put("draw_is_the_drivers", bench_draw_is_the_drivers(), bench_draw_is_the_drivers());
}

int main(int argc, char **argv)
{
    bench_names = getenv("BENCH_NAMES");
    if (argc >= 3 && argc <= 4 && strcmp(argv[2], "start") == 0) {
        start(argv[1], argc == 4);
        return 0;
    }
    if (argc >= 4 && strcmp(argv[2], "time") == 0) {
        bench_open(argv[1]);
        repeat(find("cycle"), 2);
        for (int i = 3; i < argc; i++) take(argv[i]);
        bench_reach(OPENED);
        return 0;
    }
    if (argc == 5 && strcmp(argv[2], "count") == 0) {
        bench_open(argv[1]);
        const struct operation *o = find(argv[3]);
        bench_reach(o->stage);
        if (!operation_ready(o)) bench_die("this device has no %s", o->name);
        o->once(); /* creates the objects of the first use */
        if (o->undo) o->undo();
        repeat(o, strtoul(argv[4], NULL, 10));
        return 0;
    }
    fputs("usage: measure LIBRARY start [enumerate] | time OPERATION... | count OPERATION N\n", stderr);
    return 2;
}
