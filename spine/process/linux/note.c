/* note.c: the library's release, in an ELF note that readelf -n and "vkloader version" show. */
#include <elf.h>
#include <link.h>

#ifndef VKL_RELEASE
#error "VKL_RELEASE is given by the Makefile"
#endif

#define OWNER "vkloader"
#define NOTE_RELEASE 1

struct note {
    ElfW(Nhdr) head;
    char owner[(sizeof OWNER + 3) / 4 * 4];
    char release[(sizeof VKL_RELEASE + 3) / 4 * 4];
};

__attribute__((section(".note.vkloader"), used, aligned(4))) static const struct note note = {
    {sizeof OWNER, sizeof VKL_RELEASE, NOTE_RELEASE}, OWNER, VKL_RELEASE};
