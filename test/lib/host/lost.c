/* lost.c: the loader's own memory, through the interposer: requests are refused, and lost blocks are found. */
#include "host.h"
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>

/* malloc_fail [from=N|once=N]: the loader's own requests to malloc are refused from its N-th call on, or its N-th call
 * alone; without either, no more. Answers the number of its calls since the last time, and the number of its live
 * blocks since it was opened. Needs the interposer. */
COMMAND(malloc_fail)
{
    long (*refuse)(long, long) = (long (*)(long, long))dlsym(RTLD_DEFAULT, "world_fail");
    long (*live)(void) = (long (*)(void))dlsym(RTLD_DEFAULT, "world_live");
    uintptr_t from, to;
    if (!refuse || !live || !loader_code(&from, &to)) return fail("no interposer, or no loader");
    long once = (long)arg_int(line, "once", (uint64_t)-1);
    put_int("calls", once < 0 ? refuse((long)arg_int(line, "from", (uint64_t)-1), LONG_MAX) : refuse(once, once + 1));
    put_int("live", live());
}

static int instances; /* alive */

void blocks_watch(void)
{
    void (*watch)(uintptr_t, uintptr_t) = (void (*)(uintptr_t, uintptr_t))dlsym(RTLD_DEFAULT, "world_watch");
    uintptr_t from = 0, to = 0;
    loader_code(&from, &to);
    if (watch) watch(from, to);
}

void blocks_instances(int more)
{
    __atomic_add_fetch(&instances, more, __ATOMIC_RELAXED);
}

struct data {
    uintptr_t code, from;
    size_t size;
};

static int find_data(struct dl_phdr_info *info, size_t size, void *out)
{
    struct data *data = out, here = {0};
    bool found = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD) continue;
        uintptr_t from = info->dlpi_addr + p->p_vaddr;
        if (data->code >= from && data->code < from + p->p_memsz) found = true;
        uintptr_t first = (from + 7) & ~(uintptr_t)7;
        if (p->p_flags & PF_W) here = (struct data){data->code, first, from + p->p_memsz - first};
    }
    if (found) *data = here;
    return found;
}

/* Memory that the loader can no longer free: nothing in its data leads there. While an instance is alive, its lists may
 * lie in an allocator's memory, which is not searched. */
bool blocks_lost(void)
{
    long (*lost)(void *const *, size_t, char *, size_t) =
        (long (*)(void *const *, size_t, char *, size_t))dlsym(RTLD_DEFAULT, "world_lost");
    struct data data = {0};
    char text[2000] = "";
    uintptr_t to;
    if (!lost || (instances > 0 && allocators) || !loader_code(&data.code, &to)) return false;
    dl_iterate_phdr(find_data, &data);
    long count = lost((void *const *)data.from, data.size / sizeof(void *), text, sizeof text);
    if (count) fprintf(stderr, "host: the loader has lost %ld blocks:%s\n", count, text);
    return count != 0;
}
