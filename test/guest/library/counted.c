/* counted.c: stands before the true core, whose path is in STANDIN_REAL, and counts how often it is asked: at the address
 * in GUEST_COUNTER. Built with CORE_ID. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *real(const char *name) {
    static void *core;
    if (!core) core = dlopen(getenv("STANDIN_REAL"), RTLD_NOW | RTLD_LOCAL);
    void *function = core ? dlsym(core, name) : NULL;
    if (!function) {
        fprintf(stderr, "counted: %s\n", dlerror());
        abort();
    }
    return function;
}

const char *vkcore_id(void) { return CORE_ID; }
int vkcore_inherited(void) { return ((int (*)(void))real("vkcore_inherited"))(); }
int vkcore_start(char *text, size_t room) { return ((int (*)(char *, size_t))real("vkcore_start"))(text, room); }
void vkcore_lock(void) { ((void (*)(void))real("vkcore_lock"))(); }
void vkcore_unlock(void) { ((void (*)(void))real("vkcore_unlock"))(); }
uint32_t vkcore_abi(void) { return ((uint32_t(*)(void))real("vkcore_abi"))(); }
uint64_t vkcore_attach(void) { return ((uint64_t(*)(void))real("vkcore_attach"))(); }
void vkcore_detach(uint64_t context) { ((void (*)(uint64_t))real("vkcore_detach"))(context); }
int32_t vkcore_decide(uint64_t context, const void *facts, size_t size, void *answer, size_t room, size_t *need) {
    void *counter;
    if (sscanf(getenv("GUEST_COUNTER"), "%p", &counter) == 1) ++*(atomic_int *)counter;
    return ((int32_t(*)(uint64_t, const void *, size_t, void *, size_t, size_t *))real("vkcore_decide"))(
        context, facts, size, answer, room, need);
}
