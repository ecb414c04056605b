/* file.h: the identity of a file, the loader's own code, and the form of paths. */
#ifndef VKL_FILE_H
#define VKL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The identity of a file at one moment. A changed or another file at the same path has another identity. */
struct file_identity {
    uint64_t device, inode, size;
    int64_t modified[2]; /* the larger unit first */
    bool special;        /* neither a regular file nor a directory; see file_is_special */
    uint64_t head;       /* file_hash of the beginning of a library that was opened; else 0 */
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
/* The number of bytes at the beginning of a file that contain a library's build ID as a rule. In a file for macOS, the
 * UUID may come after 2 kB. */
#define FILE_HEAD 4096
/* Returns a hash (FNV-1a) of bytes. */
static inline uint64_t file_hash(const unsigned char *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
}
/* Returns file_hash of a file's first FILE_HEAD bytes, or of all if it is shorter; 0: they cannot be read. */
uint64_t file_head(const char *path);
/* Reports whether the path leads to the same file with other contents. If the size and the first bytes are the same,
 * only the modification time has changed. now: all zero if the path leads to no file. */
bool file_overwritten(const char *path, const struct file_identity *now, const struct file_identity *then);
/* Returns the name by which the library of a handle identifies itself as a Vulkan loader (DRV-046). NULL: it is no
 * loader, or this one. */
const char *loader_named_of(void *handle);
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
