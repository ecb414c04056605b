MODULE_LDFLAGS_drawstats := -Wl,-z,defs -Wl,-Bsymbolic -pthread
