/* image.c: examines a loaded module: the name in its export directory, and its path. The system has checked the
 * module's headers. */
#include "process/process.h"

#include <windows.h>

/* Returns the loader's name if the name in a loaded module's export directory is one, or NULL. */
static const char *loader_named(const unsigned char *base)
{
    const IMAGE_DOS_HEADER *dos = (const void *)base;
    const IMAGE_NT_HEADERS *image = (const void *)(base + dos->e_lfanew);
    DWORD address = image->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXPORT].VirtualAddress;
    const IMAGE_EXPORT_DIRECTORY *exports = (const void *)(base + address);
    return address ? loader_name((const char *)base + exports->Name) : NULL;
}

const char *loader_named_of(void *handle)
{
    return code_is_own(handle) ? NULL : loader_named(handle);
}

const char *loader_named_at(const void *function)
{
    HMODULE module;
    bool found = function && GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                                    GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                                                (const WCHAR *)function, &module);
    return found ? loader_named((const unsigned char *)module) : NULL;
}

char *image_name_of(const void *function)
{
    return gate_path_of(function);
}
