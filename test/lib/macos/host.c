/* host.c: opens libraries for the host; Mach-O files through the runner. */
#include <dlfcn.h>
#include <link.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "macho.h"

void *host_dlopen(const char *path, int mode);
int host_dlclose(void *handle);
void *host_dlsym(void *handle, const char *name);
char *host_dlerror(void);
int host_dladdr(const void *address, Dl_info *info);
int host_iterate_phdr(int (*step)(struct dl_phdr_info *, size_t, void *), void *data);

static __thread bool native_last;

static bool is_elf(const char *path)
{
    char magic[4] = "";
    /* a direct system call, which the interposer does not record */
    int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
    bool elf = fd >= 0 && read(fd, magic, 4) == 4 && memcmp(magic, "\177ELF", 4) == 0;
    if (fd >= 0) close(fd);
    return elf;
}

static bool is_image(const void *handle)
{
    for (const struct image *i = images; i; i = i->next)
        if (i == handle) return true;
    return false;
}

void *host_dlopen(const char *path, int mode)
{
    native_last = is_elf(path);
    return native_last ? (dlopen)(path, mode) : macos_dlopen(path, MACOS_RTLD_NOW);
}

int host_dlclose(void *handle)
{
    native_last = !is_image(handle);
    return native_last ? (dlclose)(handle) : macos_dlclose(handle);
}

void *host_dlsym(void *handle, const char *name)
{
    native_last = !is_image(handle);
    return native_last ? (dlsym)(handle, name) : macos_dlsym(handle, name);
}

char *host_dlerror(void)
{
    return native_last ? (dlerror)() : macos_dlerror();
}

int host_dladdr(const void *address, Dl_info *info)
{
    struct macos_dl_info found;
    if (!macos_dladdr(address, &found)) return 0;
    *info = (Dl_info){found.fname, found.fbase, found.sname, found.saddr};
    return 1;
}

/* Shows the segments of Mach-O images as those of ELF objects, then the objects of this machine. */
int host_iterate_phdr(int (*step)(struct dl_phdr_info *, size_t, void *), void *data)
{
    for (const struct image *i = images; i; i = i->next) {
        ElfW(Phdr) part[SEGMENTS_MAX] = {0};
        struct dl_phdr_info info = {.dlpi_addr = i->base, .dlpi_name = i->path, .dlpi_phdr = part};
        for (unsigned k = 0; k < i->segments; k++) {
            const struct segment *s = &i->segment[k];
            if (!s->protection || strcmp(s->name, "__LINKEDIT") == 0) continue;
            part[info.dlpi_phnum++] = (ElfW(Phdr)){
                .p_type = PT_LOAD, .p_vaddr = s->address, .p_memsz = s->size, .p_flags = s->protection & 2 ? PF_W : 0};
        }
        int result = step(&info, sizeof info, data);
        if (result) return result;
    }
    return (dl_iterate_phdr)(step, data);
}
