/* file.h: the identity of a file, the identity of a library's code, and the form of paths. */
#ifndef VKL_FILE_H
#define VKL_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* The identity of a library's code: its build ID and the ID's place in the file, and the linker's data in memory. */
struct build {
    uint64_t offset;
    uint32_t size; /* bytes; 0: no build ID */
    unsigned char id[20];
    const void *dynamic; /* the dynamic section; NULL: unknown */
    uintptr_t strings;   /* the address of the string table in it, relocated by most linkers */
    bool compared;       /* each dlopen compares its name with the library's SONAME */
};
/* The identity of a file at one moment. A changed or another file at the same path has another identity. */
struct file_identity {
    uint64_t device, inode, size;
    int64_t modified[2]; /* the larger unit first */
    bool special;        /* neither a regular file nor a directory; see file_is_special */
    struct build build;  /* all zero unless the file is a library that was opened */
};
/* Reports whether both are the same file with the same contents. The time of the last status change is not compared:
 * package managers, chmod and ln change it. */
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
/* Reads the identity of the file at a path. Returns false, with *out all zero, if there is no such file or it cannot be
 * read. */
bool file_identify(const char *path, struct file_identity *out);
/* Reads the identity of the file of a descriptor. */
bool file_identify_open(int fd, struct file_identity *out);
/* Reports whether the path leads to the same file with other contents. If the size and the build ID are the same, only
 * the modification time has changed. now: all zero if the path leads to no file. */
bool file_overwritten(const char *path, const struct file_identity *now, const struct file_identity *then);
/* Reports whether the linker's data of a library is damaged: cutting a file off resets the changed pages of its private
 * mappings. False: intact, unknown, or no longer in the process. */
bool build_damaged(const struct build *build);
/* Excludes a library that stays in the process from walks, because its file was overwritten or cut off. Reading memory
 * behind the end of the file would end the process (SIGBUS). */
void build_lose(const struct build *build);
/* Ends the effect of build_lose, for unloading. On Linux. */
void builds_forget(void);
/* Returns the name by which the library of a handle identifies itself as a Vulkan loader (DRV-046), and sets its build
 * ID. NULL: it is no loader, or this one. */
const char *loader_named_of(void *handle, struct build *build);
/* Returns the same for the library that contains a function, or NULL. */
const char *loader_named_at(const void *function);
/* Returns the linker's path of the object that contains a function, with links unresolved, for free(). NULL: no such
 * object, or no memory. */
char *image_name_of(const void *function);
/* Reports whether a path leads to a file that is neither a regular file nor a directory. Opening a pipe waits for its
 * other end, and opening a device may have effects. Returns false if stat finds no file: a library that interposes
 * fopen may still open one. */
bool file_is_special(const char *path);
/* Reports whether a path has a directory. The system searches for a library without one. */
bool path_has_directory(const char *path);
/* Returns the full form of path if it differs from real, the path of the library that the system loaded (DRV-026,
 * LAY-283), for free(). NULL: they are equal, path leads to no file, or no memory. */
char *path_other_than(const char *path, const char *real);
/* Reports whether a function is the loader's own. */
bool code_is_own(const void *function);
/* Reports whether an error message of the system says that a library has another word size (DRV-041, LAY-296). */
bool text_of_wrong_class(const char *text);

#endif
