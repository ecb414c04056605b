# The null driver depends only on the C library; undefined symbols are an error.
MODULE_LDFLAGS_linux_null := -Wl,-z,defs -Wl,-Bsymbolic -pthread
