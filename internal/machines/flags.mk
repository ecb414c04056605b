# Flags of compilers and linkers by machine and system.

CLANG := $(findstring clang,$(shell $(CC) --version))
# Marks functions for processors that check the targets of indirect jumps. On i386, floating-point arithmetic has 64
# bits, as on every other machine.
CFLAGS_linux_x86_64 := -fcf-protection
CFLAGS_linux_i386 := -fcf-protection -msse2 -mfpmath=sse -Wno-psabi
# On Windows, the stack of a 32-bit program is aligned to 4 bytes, and 64-bit numbers to 8.
CFLAGS_windows_i386 := -msse2 -mfpmath=sse -mstackrealign -Wno-psabi
CFLAGS_linux_aarch64 := -mbranch-protection=standard -mno-outline-atomics
# Marks the whole library for such processors. All of its code must have the marks: it is linked without start files,
# which lack them on some systems (spine/process/linux/finish.c replaces them), without libgcc's constructor on arm64,
# and calls the parts of glibc that are linked in (atexit, pthread_atfork) only directly. The linker for arm64 warns
# about these two nevertheless.
LDFLAGS_x86_64 := -Wl,-z,ibt -Wl,-z,shstk
LDFLAGS_i386 := $(LDFLAGS_x86_64)
LDFLAGS_aarch64 := -Wl,-z,force-bti
# Without the procedure linkage table, arm64 would call the library's own functions indirectly, too. x86's linker
# converts such calls to direct ones.
NO_PLT_x86_64 := -fno-plt
NO_PLT_i386 := -fno-plt
# On 32-bit machines, uses the C library's 64-bit file functions: the others fail if an inode number or a position in a
# directory exceeds 32 bits.
FILES_32 := -D_FILE_OFFSET_BITS=64
# The same bytes from any directory: debug information contains source paths relative to the repository.
MAPPED := -ffile-prefix-map=$(call quoted,$(CURDIR))=. $(CFLAGS_EXTRA)
CSTD_linux := -std=c11 -D_GNU_SOURCE -g -Wall -Wextra -Werror $(CFLAGS_linux_$(MACHINE)) $(FILES_$(BITS)) $(MAPPED) $(if $(PORTABLE),-include spine/process/linux/portable.h)
# Supports Windows 7 and newer.
CSTD_windows := -std=gnu11 -g -Wall -Wextra -Werror $(CFLAGS_windows_$(MACHINE)) -U_WIN32_WINNT -D_WIN32_WINNT=0x0601 -DWIN32_LEAN_AND_MEAN \
	-D__USE_MINGW_ANSI_STDIO=1 $(MAPPED)
# -g0, because zig adds debug information by default, and the linker would write the paths and times of object files
# into the library.
CSTD_macos := -std=c11 -D_DARWIN_C_SOURCE -g0 -Wall -Wextra -Werror -Wno-unused-command-line-argument -fno-sanitize=all $(MAPPED)
CSTD := $(CSTD_$(SYSTEM))
OPT := -O2
DEPS = -MMD -MP

# Drivers and layers.
MODULE_CFLAGS_linux := -fPIC -fvisibility=hidden
MODULE_CFLAGS_windows := -Wno-attributes
MODULE_CFLAGS_macos := -fPIC -fvisibility=hidden
MODULE_CFLAGS := $(CSTD) $(OPT) $(MODULE_CFLAGS_$(SYSTEM)) -Ispine
MODULE_LDFLAGS_linux := -shared -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed $(LDFLAGS_EXTRA)
MODULE_LDFLAGS_windows := -shared -static -Wl,--no-insert-timestamp -Wl,--kill-at
MODULE_LDFLAGS_macos := -shared
MODULE_LDFLAGS := $(MODULE_LDFLAGS_$(SYSTEM))
# armel processors have no 64-bit atomic instructions; the null driver's counters use functions of libatomic.
MODULE_LIBS_linux := $(if $(filter armel,$(MACHINE)),-latomic)
MODULE_LIBS_windows := -lwinpthread
MODULE_LIBS := $(MODULE_LIBS_$(SYSTEM))

# Programs.
PROGRAM_CFLAGS_linux := -fPIE
PROGRAM_CFLAGS := $(CSTD) $(OPT) $(PROGRAM_CFLAGS_$(SYSTEM)) -Ispine
PROGRAM_LDFLAGS_linux := -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed $(LDFLAGS_EXTRA)
PROGRAM_LDFLAGS_windows := -static -Wl,--no-insert-timestamp
PROGRAM_LDFLAGS := $(PROGRAM_LDFLAGS_$(SYSTEM))

# Before glibc 2.34, dlopen and pthread functions are in separate libraries.
SPINE_LIBS_linux := -Wl,--as-needed -ldl -lpthread
ifneq ($(PORTABLE),)
$(if $(filter musl windows/% macos/%,$(TARGET)),$(error PORTABLE=1 is for glibc))
$(if $(filter-out x86_64 i386 aarch64,$(MACHINE)),$(error PORTABLE=1 is for x86_64 i386 aarch64, which spine/process/linux/portable.h has symbol versions of; docs/porting.md))
# Links with these libraries even if they are empty on this machine.
SPINE_LIBS_linux := -Wl,--no-as-needed -l:libdl.so.2 -l:libpthread.so.0
MODULE_LIBS += $(SPINE_LIBS_linux)
endif
SPINE_LIBS := $(SPINE_LIBS_$(SYSTEM))
