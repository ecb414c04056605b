/* none.c: only on Windows do drivers identify their devices by adapter (DRV-061). */
#include "library/library.h"

void adapter_function_find(struct driver_lib *lib)
{
    (void)lib;
}
