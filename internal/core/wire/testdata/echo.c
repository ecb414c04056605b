/* echo.c: reads a message with the C side and writes the same message again; exit code 1 when it is malformed. */
#include <stdio.h>

#include "gen/zwire.h"

#define ECHO(NAME)                                                                                                     \
    do {                                                                                                               \
        struct wire_##NAME r;                                                                                          \
        if (wire_get_##NAME(&record, &r)) wire_put_##NAME(&w, &r);                                                     \
    } while (0)

int main(int argc, char **argv)
{
    static unsigned char in[1 << 16];
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!f) return 2;
    size_t size = fread(in, 1, sizeof in, f);
    fclose(f);
    struct wire_reader reader;
    struct wire_record record;
    struct wire_writer w = {0};
    if (!wire_open(&reader, in, size)) return 1;
    while (wire_next(&reader, &record)) {
        ECHO(question);
        ECHO(var);
        ECHO(directory);
        ECHO(file);
        ECHO(driver);
    }
    if (reader.bad || w.failed) return 1;
    fwrite(w.bytes, 1, w.size, stdout);
    free(w.bytes);
    return 0;
}
