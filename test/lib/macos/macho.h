/* macho.h: a dynamic linker for Mach-O files on Linux, for x86-64 and arm64. macos_dlopen and related functions behave
 * as dyld does: code of a Mach-O library gets libSystem's functions from the list in system.c, and functions of other
 * Mach-O libraries. Loading a library fails with the name of a function that is not in the list. docs/macos.md lists
 * the sources and the open questions. */
#ifndef MACHO_H
#define MACHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- format.c: the file format, as Apple's mach-o/loader.h, fat.h, nlist.h and fixup-chains.h publish it --------- */

#define SEGMENTS_MAX 32
#define LIBRARIES_MAX 64
#define RPATHS_MAX 16

struct segment {
    char name[17];
    uint64_t address, size, offset, file_size;
    uint32_t protection;
};

struct section {
    char segment[17], name[17];
    uint64_t address, size;
    uint32_t type;
};

struct part {
    uint32_t offset, size;
};

struct image {
    struct image *next;
    char *path; /* as opened */
    char *real;
    char *name; /* the install name, or NULL */
    unsigned char *file;
    size_t file_size;
    void *mapping; /* of the whole file */
    size_t mapping_size;
    uintptr_t base;   /* added to an address of the file; below the image if its addresses begin at 4 GiB */
    uintptr_t header; /* the beginning of the mapped image */
    uintptr_t end;
    uint32_t kind;  /* of file: MH_EXECUTE, MH_DYLIB, MH_BUNDLE */
    uint64_t entry; /* LC_MAIN */
    struct segment segment[SEGMENTS_MAX];
    unsigned segments;
    struct section *section;
    unsigned sections;
    const char *library[LIBRARIES_MAX];    /* the needed install names, in the order of ordinals */
    struct image *provider[LIBRARIES_MAX]; /* NULL: libSystem */
    bool weak[LIBRARIES_MAX];
    unsigned libraries;
    const char *rpath[RPATHS_MAX];
    unsigned rpaths;
    struct part rebase, bind, weak_bind, lazy_bind, exports, chains;
    unsigned references;
    bool initialized, main;
    void *tlv; /* threads.c */
};

extern struct image *images; /* in the order of opening */

/* Reads the load commands of a file's part for this machine. Returns false with a text in error. */
bool format_read(struct image *i, char *error, size_t size);
/* Returns the address of an exported symbol, or NULL. name begins with the underscore of C. */
void *format_export(const struct image *i, const char *name);
/* Returns the name of the exported symbol at or before an address, or NULL. */
const char *format_symbol_before(const struct image *i, uintptr_t address, uintptr_t *at);

/* ---- bind.c ------------------------------------------------------------------------------------------------------ */

/* Adds the base to all pointers and binds all symbols. Returns false with a text in error. */
bool bind_all(struct image *i, char *error, size_t size);

/* ---- dyld.c ------------------------------------------------------------------------------------------------------ */

#define MACOS_RTLD_LAZY 1
#define MACOS_RTLD_NOW 2
#define MACOS_RTLD_LOCAL 4
#define MACOS_RTLD_GLOBAL 8
#define MACOS_RTLD_NOLOAD 0x10

struct macos_dl_info {
    const char *fname;
    void *fbase;
    const char *sname;
    void *saddr;
};

void *macos_dlopen(const char *path, int mode);
int macos_dlclose(void *handle);
void *macos_dlsym(void *handle, const char *name);
char *macos_dlerror(void);
int macos_dladdr(const void *address, struct macos_dl_info *info);
/* Loads a program with its dependencies. Returns NULL with the reason in dlerror. */
struct image *macos_program(const char *path);
/* Returns the image that contains an address, or NULL. */
struct image *image_of(const void *address);
struct system_function {
    const char *name; /* with the underscore */
    void *function;
};
extern const struct system_function dyld_functions[];

/* ---- system.c, files.c, threads.c, variadic.c ---------------------------------------------------------------- */

/* Returns a function or a variable of libSystem, or NULL if there is no replacement for it. */
void *system_symbol(const char *name);
extern const struct system_function file_functions[], thread_functions[], variadic_functions[];
int macos_open(const char *path, int flags, ...);
int macos_openat(int directory, const char *path, int flags, ...);
int macos_fcntl(int fd, int command, long argument);
/* Converts glibc's error numbers to macOS's. */
int error_to_macos(int number);
int error_from_macos(int number);
/* Runs the exit functions of an image, or of all images for NULL. */
void exit_functions_run(const struct image *i);
/* Prepares the thread-local variables of a mapped image. */
bool tlv_prepare(struct image *i);
void tlv_forget(struct image *i);
/* Returns the path of the running program: a Mach-O file, or this ELF program. */
const char *program_path(void);

#endif
