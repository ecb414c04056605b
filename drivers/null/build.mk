# The null driver needs nothing but the C library, and says so.
MODULE_LDFLAGS_linux_null := -Wl,-z,defs -Wl,-Bsymbolic -pthread
