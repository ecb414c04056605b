MODULE_LDFLAGS_linux_drawstats := -Wl,-z,defs -Wl,-Bsymbolic -pthread
MODULE_LDFLAGS_macos_drawstats := $(MODULE_LDFLAGS_linux_drawstats)
