/* file.h: files and libraries' code: the identity of the file at a path, and the form of paths. */
#ifndef VKL_FILE_H
#define VKL_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* The identity of a library's code: its build ID and the ID's place in the file, and the linker's data in memory. */
struct build {
    uint64_t offset;
    uint32_t size; /* 0: no build ID */
    unsigned char id[20];
    const void *dynamic; /* the dynamic section; NULL: unknown */
    uintptr_t strings;   /* the address of the string table in it, relocated by most linkers */
    bool compared;       /* each dlopen reads the library's SONAME */
};
/* Of a file as it was at one moment; another one at its path differs. */
struct file_identity {
    uint64_t device, inode, size;
    int64_t modified[2]; /* the larger unit first */
    bool special;        /* neither a regular file nor a directory: as file_is_special */
    struct build build;  /* of a library that was opened */
};
/* The time of the last status change does not count: package managers, chmod and ln change it. */
static inline bool file_same(const struct file_identity *a, const struct file_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size && a->modified[0] == b->modified[0] &&
           a->modified[1] == b->modified[1];
}
/* Reports whether both are the same file, with any contents. */
static inline bool file_same_inode(const struct file_identity *a, const struct file_identity *b)
{
    return a->inode && a->device == b->device && a->inode == b->inode;
}
/* False: there is no such file, or it cannot be looked at; *out is all zero. */
bool file_identify(const char *path, struct file_identity *out);
/* The same of an open descriptor. */
bool file_identify_open(int fd, struct file_identity *out);
/* Reports whether the path leads to the same file with other contents. If the size and the build ID are the same, only
 * the modification time has changed. now: all zero if the path leads to no file. */
bool file_overwritten(const char *path, const struct file_identity *now, const struct file_identity *then);
/* Reports whether the linker's data of a library is damaged: cutting a file off resets the changed pages of its private
 * mappings. False: intact, unknown, or no longer in the process. */
bool build_damaged(const struct build *build);
/* Excludes a library that stays in the process from walks. Its file was overwritten, or is cut off now: then a read
 * behind its end stops the process. */
void build_lose(const struct build *build);
/* Ends the effect of build_lose, for unloading. On Linux. */
void builds_forget(void);
/* Returns the name by which the library of a handle calls itself a Vulkan loader (DRV-046), and sets its build ID.
 * NULL: it is none, or this one. */
const char *loader_named_of(void *handle, struct build *build);
/* Returns the same for the library that contains a function, or NULL. */
const char *loader_named_at(const void *function);
/* The path by which the linker has found the object that contains a function, links in it included; for free(). NULL:
 * none is found, or no memory. */
char *image_name_of(const void *function);
/* Reports whether a file exists that is neither a regular file nor a directory. Opening a pipe waits for its other end,
 * and a device may act. A file unknown to stat may still be opened by a library that interposes the C library's fopen.
 */
bool file_is_special(const char *path);
/* Does the path name a directory, too, or a name that the system searches for? */
bool path_has_directory(const char *path);
/* The path that the system goes by, when it is not this one but would be found by it (DRV-026, LAY-283); for free().
 * NULL: it is the same, there is none, or no memory. */
char *path_other_than(const char *path, const char *real);
/* Is this function the loader's own? */
bool code_is_own(const void *function);
/* Does the text with which opening a library failed speak of the other word size? (DRV-041, LAY-296) */
bool text_of_wrong_class(const char *text);

#endif
