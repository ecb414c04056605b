/* none.c: drivers have functions for adapters on Windows alone. */
#include "library/library.h"

void adapter_function_find(struct driver_lib *lib)
{
    (void)lib;
}
