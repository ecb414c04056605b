/* note.c: the library's release, in a section that "vkloader version" reads. */
#ifndef VKL_RELEASE
#error "VKL_RELEASE is given by the Makefile"
#endif

__attribute__((section("__TEXT,__vkloader"), used)) static const char release[] = VKL_RELEASE;
