/* trust.c: the file systems whose stamps change with every file and directory, by the type that the kernel has for
 * them. Those that other machines, or programs in this one, change behind the kernel's back are not among them, nor is
 * tmpfs, whose files can be written through a mapping without a new stamp.
 *
 * The type comes from /proc. statfs would tell it, too, but is not among the system calls that a program under another
 * loader needs (G-10): a filter may end the process for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/linux/known.h"

#define DEVICES_MAX_KNOWN 16
#define PART 512 /* of a file that is read at once; programs call on small stacks */

static struct {
    uint64_t number;
    bool known, trusted;
} devices[DEVICES_MAX_KNOWN]; /* under the lock */

static bool type_trusted(const char *type)
{
    static const char types[][9] = {"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "squashfs", "erofs", "iso9660"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0) return true;
    return false;
}

/* The mount that an open file is in, as the kernel counts them; -1: it is not known. */
static long long mount_of(int fd)
{
    char text[PART];
    snprintf(text, sizeof text, "/proc/self/fdinfo/%d", fd);
    FILE *f = fopen(text, "rbe");
    if (!f) return -1;
    size_t length = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[length] = '\0';
    const char *mount = strstr(text, "mnt_id:");
    return mount ? strtoll(mount + 7, NULL, 10) : -1;
}

/* A line of /proc/self/mountinfo as far as it was read: the mount's number first, the type after a lone dash. */
struct line {
    enum { NUMBER, FIELDS, SPACE, DASH, TYPE, REST } part;
    long long number;
    char type[16];
    unsigned length;
};

static void line_add(struct line *l, char c)
{
    bool space = c == ' ';
    switch (l->part) {
    case NUMBER:
        if (space) l->part = SPACE;
        if (!space) l->number = l->number * 10 + (c - '0');
        break;
    case FIELDS:
        if (space) l->part = SPACE;
        break;
    case SPACE: l->part = c == '-' ? DASH : space ? SPACE : FIELDS; break;
    case DASH: l->part = space ? TYPE : FIELDS; break;
    case TYPE:
        if (space) l->part = REST;
        if (!space && l->length < sizeof l->type - 1) l->type[l->length++] = c;
        break;
    case REST: break;
    }
}

static bool mount_trusted(long long mount)
{
    char part[PART];
    size_t length;
    struct line line = {0};
    bool found = false, trusted = false;
    FILE *f = fopen("/proc/self/mountinfo", "rbe");
    if (!f) return false;
    while (!found && (length = fread(part, 1, sizeof part, f)) > 0)
        for (size_t i = 0; i < length && !found; i++) {
            if (part[i] != '\n') {
                line_add(&line, part[i]);
                continue;
            }
            found = line.number == mount;
            trusted = found && type_trusted(line.type);
            line = (struct line){0};
        }
    fclose(f);
    return trusted;
}

bool stamps_trusted(int fd, uint64_t device)
{
    bool known = false, trusted = false;
    lock_take();
    for (unsigned i = 0; i < DEVICES_MAX_KNOWN && !known; i++) {
        known = devices[i].known && devices[i].number == device;
        trusted = known && devices[i].trusted;
    }
    lock_drop();
    if (known) return trusted;
    long long mount = mount_of(fd);
    trusted = mount >= 0 && mount_trusted(mount);
    lock_take();
    for (unsigned i = 0; i < DEVICES_MAX_KNOWN; i++) {
        if (devices[i].known && devices[i].number != device) continue;
        devices[i].number = device;
        devices[i].trusted = trusted;
        devices[i].known = true;
        break;
    }
    lock_drop();
    return trusted;
}
