/* none.c: no system but Windows has adapters that drivers tell their devices by (DRV-061). */
#include "library/library.h"

void adapter_function_find(struct driver_lib *lib)
{
    (void)lib;
}
