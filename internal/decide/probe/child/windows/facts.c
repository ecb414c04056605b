/* facts.c: answers the tool's questions about the running system with the library's own readers, so that both see the
 * same. Questions and answers are messages of spine/gen/zwire.h: a need from the tool, records in return. */
#include "facts.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/windows/elsewhere.h"

#define QUESTION_MAX (1u << 20) /* bytes: of names */

/* Reads a message, which the caller frees; NULL: there is none left. */
static unsigned char *question(uint32_t *size)
{
    uint32_t head[2];
    if (fread(head, 1, sizeof head, stdin) != sizeof head) return NULL;
    *size = head[1];
    if (head[0] != WIRE_MAGIC || *size < sizeof head || *size > QUESTION_MAX) return NULL;
    unsigned char *bytes = malloc(*size);
    if (!bytes) return NULL;
    memcpy(bytes, head, sizeof head);
    if (fread(bytes + sizeof head, 1, *size - sizeof head, stdin) == *size - sizeof head) return bytes;
    free(bytes);
    return NULL;
}

static bool answer(const unsigned char *bytes, uint32_t size)
{
    struct wire_writer w = {0};
    struct wire_reader reader;
    struct wire_record record;
    wire_open(&reader, bytes, size);
    while (wire_next(&reader, &record)) read_elsewhere(&w, &record);
    bool fine = !reader.bad && !w.failed && w.size && fwrite(w.bytes, 1, w.size, stdout) == w.size;
    free(w.bytes);
    return fine && fflush(stdout) == 0;
}

int facts_answer(void)
{
    unsigned char *bytes;
    uint32_t size;
    bool fine = true;
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    while (fine && (bytes = question(&size))) {
        fine = answer(bytes, size);
        free(bytes);
    }
    return fine ? 0 : 1;
}
