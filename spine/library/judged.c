/* judged.c: remembers which files were found to be no Vulkan loader and were opened (ERRATA 29): their headers are read
 * once. It looks at no file. */
#include "library/library.h"

#include <string.h>

/* A file has its place among a few: the libraries of a long chain do not push each other out. Under the lock. */
#define JUDGED 256u
#define JUDGED_PLACES 4u
static struct judged {
    uint64_t device, inode, size;
    int64_t changed[2];
} judged[JUDGED];
static unsigned judged_next; /* the place of the next one that finds none free */

/* A file that is written to has another time of its last change. */
static struct judged judged_as(const struct file_identity *f)
{
    return (struct judged){f->device, f->inode, f->size, {f->changed[0], f->changed[1]}};
}

/* The first of a file's places. */
static struct judged *judged_places(const struct judged *file)
{
    lock_wanted(true);
    uint64_t mixed = (file->inode ^ file->device << 32) * 0x9fb21c651e98df25u;
    return &judged[(mixed >> 32) % (JUDGED / JUDGED_PLACES) * JUDGED_PLACES];
}

static bool judged_before(const struct judged *file)
{
    const struct judged *place = judged_places(file);
    for (unsigned i = 0; i < JUDGED_PLACES; i++)
        if (memcmp(&place[i], file, sizeof *file) == 0) return true;
    return false;
}

void library_judged(const struct file_identity *identity)
{
    if (!identity->inode) return;
    struct judged file = judged_as(identity);
    lock_take();
    if (!judged_before(&file)) {
        struct judged *place = judged_places(&file);
        unsigned i = 0;
        while (i < JUDGED_PLACES && place[i].inode) i++;
        place[i < JUDGED_PLACES ? i : judged_next++ % JUDGED_PLACES] = file;
    }
    lock_drop();
}

bool library_is_judged(const struct file_identity *identity)
{
    struct judged file = judged_as(identity);
    lock_take();
    bool is = judged_before(&file);
    lock_drop();
    return is;
}
