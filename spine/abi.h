/* abi.h: the whole contract between the spine (C) and the core (Go). Bytes in, bytes out.
 *
 * No pointer in the bytes means anything to the other side (G-7): the core copies the question, decides, and copies
 * its answer into memory that the spine owns. The records inside the bytes are those of gen/zwire.h.
 */
#ifndef VKL_ABI_H
#define VKL_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Raised whenever the meaning of an exported function or of a record changes. */
#define VKCORE_ABI 2u

/* Names of the core's exported functions, looked up with dlsym after opening build/libvkcore-<id>.so. */
#define VKCORE_SYM_ABI "vkcore_abi"
#define VKCORE_SYM_ATTACH "vkcore_attach"
#define VKCORE_SYM_DETACH "vkcore_detach"
#define VKCORE_SYM_DECIDE "vkcore_decide"

/* The C side of the core (cmd/libvkcore/start.c); these may be called before the runtime is started, and on any stack.
 *   const char *vkcore_id(void)      the id in the file's name
 *   int vkcore_inherited(void)       1: opened by the process that this one was forked from; nothing in it may be used
 *   int vkcore_start(char *text, size_t room)   starts the runtime, once; 0, or an errno value and what is missing */
#define VKCORE_SYM_ID "vkcore_id"
#define VKCORE_SYM_INHERITED "vkcore_inherited"
#define VKCORE_SYM_START "vkcore_start"
/* Around every call of the functions above: void vkcore_lock(void), void vkcore_unlock(void). */
#define VKCORE_SYM_LOCK "vkcore_lock"
#define VKCORE_SYM_UNLOCK "vkcore_unlock"

/* Results of vkcore_decide. */
enum {
    VKCORE_OK = 0,       /* *need bytes of answer were written */
    VKCORE_SPACE = 1,    /* the answer needs *need bytes; nothing was written; ask again with more room */
    VKCORE_FAULT = 2,    /* a panic was caught (G-9); the answer is its text, *need bytes of it */
    VKCORE_BAD = 3       /* the question is malformed or the context unknown */
};

typedef uint32_t (*vkcore_abi_fn)(void);
/* Gives a context (never 0), a spine's own state in a core that two spines may share (G-11). */
typedef uint64_t (*vkcore_attach_fn)(void);
/* Drops everything that the core remembers for the context. */
typedef void (*vkcore_detach_fn)(uint64_t context);
/* Decides: facts in, plan (or the list of missing facts) out. */
typedef int32_t (*vkcore_decide_fn)(uint64_t context, const void *facts, size_t facts_size, void *answer, size_t room,
                                    size_t *need);

#endif
