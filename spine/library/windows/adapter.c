/* adapter.c: looks up the driver's function that lists the physical devices of an adapter (WIN-062). */
#include "library/library.h"

#define FUNCTION "vk_icdEnumerateAdapterPhysicalDevices"

void adapter_function_find(struct driver_lib *lib)
{
    if (lib->interface_version >= 7) lib->enumerate_adapter = (void *)lib->gipa(NULL, FUNCTION);
    if (!lib->enumerate_adapter && lib->interface_version >= 6 && lib->mapped)
        lib->enumerate_adapter = gate_dlsym(lib->mapped->handle, FUNCTION);
}
