/* thunks.c: functions without a signature of their own. Each offered name gets one; it logs its arguments. */
#include "thunks.h"
#include "objects.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char thunk_name[THUNKS][96];
static pthread_mutex_t thunk_lock = PTHREAD_MUTEX_INITIALIZER;

/* "return FN VALUE" sets the result, "args FN N" how many arguments are logged (6), "quiet FN" or "quiet *" silences,
 * "write FN ARGUMENT OFFSET u32|u64 VALUE" writes through a pointer argument. */
uint64_t thunk_run(int index, const uint64_t *a)
{
    const char *name = thunk_name[index];
    const struct signature *signature = signature_of(name);
    const struct statement *s;
    VkResult result = VK_SUCCESS;
    struct record r;
    int args = (s = script_find("args", name, 0)) && s->count > 2 ? (int)script_number(s->word[2]) : 6;
    bool forced = imposed(name, NULL, &result);
    if (!script_has("quiet", name) && !script_has("quiet", "*")) {
        record_open(&r, name);
        record_begin(&r, "args", '[');
        for (int i = 0; i < args && i < 10; i++) record_argument(&r, a[i]);
        record_end(&r, ']');
        record_close(&r);
    }
    for (int i = 0; !forced && (s = script_find("write", name, i)); i++) {
        uint64_t which = s->count > 5 ? script_number(s->word[2]) : 10;
        if (which >= 10 || !a[which]) continue;
        uint64_t value = script_number(s->word[5]);
        size_t size = !strcmp(s->word[4], "u32") ? 4 : 8, place = (size_t)script_number(s->word[3]);
        place = place_here(structure_of_argument(signature, (int)which), place, &size);
        memcpy((char *)(uintptr_t)a[which] + place, low_bytes(&value, size), size);
    }
    if (forced) return (uint64_t)(int64_t)result;
    uint64_t value = 0;
    if (thunk_below(name, a, &value)) return value;
    return (s = script_find("return", name, 0)) && s->count > 2 ? script_number(s->word[2]) : 0;
}

/* Names that begin with "vkFloats", and FN of "floats FN": twelve words, some of them on the stack, and three
 * floating-point arguments, whose sum comes back. */
static float floats(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h,
                    uint64_t i, uint64_t j, uint64_t k, uint64_t l, float x, double y, double z)
{
    const uint64_t words[] = {a, b, c, d, e, f, g, h, i, j, k, l};
    struct record r;
    char text[96];
    record_open(&r, "vkFloats");
    record_begin(&r, "args", '[');
    for (int n = 0; n < 12; n++) record_argument(&r, words[n]);
    record_end(&r, ']');
    snprintf(text, sizeof text, "%g %g %g", (double)x, y, z);
    record_text(&r, "floats", text);
    record_close(&r);
    return (float)(x + y + z);
}

PFN_vkVoidFunction thunk_for(const char *name)
{
    PFN_vkVoidFunction found = NULL;
    if (!strncmp(name, "vkFloats", 8) || script_has("floats", name)) return (PFN_vkVoidFunction)(uintptr_t)floats;
    pthread_mutex_lock(&thunk_lock);
    for (int i = 0; i < THUNKS && !found; i++) {
        if (thunk_name[i][0] && strcmp(thunk_name[i], name)) continue;
        if (!thunk_name[i][0]) snprintf(thunk_name[i], sizeof thunk_name[i], "%s", name);
        found = thunks[i];
    }
    pthread_mutex_unlock(&thunk_lock);
    return found;
}
