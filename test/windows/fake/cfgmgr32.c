/* cfgmgr32.c: a tree of devices that its script names:
 *
 *   device ID NAME PATH   a display device; its software key has a value of that name, a text
 *
 * When its list is read for the first time it is longer than it was said to be: the first device has come meanwhile.
 */
#include <windows.h>

#include <cfgmgr32.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "../../fake/script.h"

#define EXPORT __declspec(dllexport)

static int reads;

static ULONG devices(WCHAR *list, int first)
{
    const struct statement *s;
    ULONG size = 0;
    for (int i = first; (s = script_find("device", NULL, i)); i++) {
        ULONG length = (ULONG)strlen(s->word[1]) + 1;
        for (ULONG c = 0; list && c < length; c++) list[size + c] = (unsigned char)s->word[1][c];
        size += length;
    }
    if (list) list[size] = 0;
    return size + 1;
}

EXPORT CONFIGRET WINAPI CM_Get_Device_ID_List_SizeW(ULONG *size, const WCHAR *filter, ULONG flags)
{
    (void)filter, (void)flags;
    *size = devices(NULL, reads == 0);
    return CR_SUCCESS;
}

EXPORT CONFIGRET WINAPI CM_Get_Device_ID_ListW(const WCHAR *filter, WCHAR *list, ULONG size, ULONG flags)
{
    struct record r;
    (void)filter, (void)flags;
    bool fits = size >= devices(NULL, 0);
    reads++;
    record_open(&r, "CM_Get_Device_ID_ListW");
    record_int(&r, "fits", fits);
    record_close(&r);
    if (!fits) return CR_BUFFER_SMALL;
    devices(list, 0);
    return CR_SUCCESS;
}

/* The script's statement i is node i + 1. */
EXPORT CONFIGRET WINAPI CM_Locate_DevNodeW(DEVINST *node, WCHAR *id, ULONG flags)
{
    const struct statement *s;
    char text[MAX_DEVICE_ID_LEN + 1];
    (void)flags;
    if (!WideCharToMultiByte(CP_UTF8, 0, id, -1, text, sizeof text, NULL, NULL)) return CR_INVALID_DEVICE_ID;
    for (int i = 0; (s = script_find("device", NULL, i)); i++) {
        *node = (DEVINST)i + 1;
        if (!strcmp(s->word[1], text)) return CR_SUCCESS;
    }
    return CR_NO_SUCH_DEVNODE;
}

EXPORT CONFIGRET WINAPI CM_Get_DevNode_Status(ULONG *status, ULONG *problem, DEVINST node, ULONG flags)
{
    (void)node, (void)flags;
    *status = *problem = 0;
    return CR_SUCCESS;
}

EXPORT CONFIGRET WINAPI CM_Get_Child(DEVINST *child, DEVINST node, ULONG flags)
{
    (void)child, (void)node, (void)flags;
    return CR_NO_SUCH_DEVNODE;
}

EXPORT CONFIGRET WINAPI CM_Get_Sibling(DEVINST *sibling, DEVINST node, ULONG flags)
{
    (void)sibling, (void)node, (void)flags;
    return CR_NO_SUCH_DEVNODE;
}

EXPORT CONFIGRET WINAPI CM_Get_Device_IDW(DEVINST node, WCHAR *id, ULONG room, ULONG flags)
{
    (void)node, (void)id, (void)room, (void)flags;
    return CR_NO_SUCH_DEVNODE;
}

EXPORT CONFIGRET WINAPI CM_Get_DevNode_Registry_PropertyW(DEVINST node, ULONG property, ULONG *type, void *value,
                                                          ULONG *size, ULONG flags)
{
    static const WCHAR display[] = L"{4d36e968-e325-11ce-bfc1-08002be10318}";
    (void)node, (void)property, (void)type, (void)flags;
    if (*size < sizeof display) return CR_BUFFER_SMALL;
    memcpy(value, display, sizeof display);
    return CR_SUCCESS;
}

EXPORT CONFIGRET WINAPI CM_Open_DevNode_Key(DEVINST node, REGSAM rights, ULONG profile, REGDISPOSITION how, HKEY *key,
                                            ULONG flags)
{
    (void)rights, (void)profile, (void)how, (void)flags;
    const struct statement *s = script_find("device", NULL, (int)node - 1);
    WCHAR name[64], value[4096];
    if (!s || s->count < 4) return CR_NO_SUCH_VALUE;
    swprintf(name, 64, L"device%lu", (unsigned long)node);
    if (RegCreateKeyExW(HKEY_CURRENT_USER, name, 0, NULL, REG_OPTION_VOLATILE, KEY_ALL_ACCESS, NULL, key, NULL))
        return CR_FAILURE;
    MultiByteToWideChar(CP_UTF8, 0, s->word[2], -1, name, 64);
    int length = MultiByteToWideChar(CP_UTF8, 0, s->word[3], -1, value, 4096);
    RegSetValueExW(*key, name, 0, REG_SZ, (const BYTE *)value, (DWORD)length * 2);
    return CR_SUCCESS;
}
