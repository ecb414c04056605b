MODULE_LDFLAGS_linux_drawstats := -Wl,-z,defs -Wl,-Bsymbolic -pthread
