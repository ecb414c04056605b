/* cfgmgr32.c: a configuration manager whose devices its script names:
 *
 *   device ID NAME PATH [problem=N]               a display device; its software key has the value NAME with the text
 * PATH child DEVICE ID CLASS NAME PATH [problem=N]   a device below one of them, of the class component or another one
 *
 * PATH "number" makes the value a number, NAME "none" leaves the value out, and "nokey" the key. A device with the ID
 * "gone" is listed, but cannot be found. The first time, the list is longer than its size said, as if the first device
 * had been added between the two calls.
 */
#include <windows.h>

#include <cfgmgr32.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "../../fake/script.h"

#define EXPORT __declspec(dllexport)
#define CHILDREN 1000 /* the node of the first child statement; device statement i has node i + 1 */

static int reads;

/* Returns the statement of a node, and in *id the position of the ID among its words. */
static const struct statement *node_at(DEVINST node, int *id)
{
    bool child = node >= CHILDREN;
    *id = child ? 2 : 1;
    return child ? script_find("child", NULL, (int)(node - CHILDREN)) : script_find("device", NULL, (int)node - 1);
}

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

EXPORT CONFIGRET WINAPI CM_Locate_DevNodeW(DEVINST *node, WCHAR *id, ULONG flags)
{
    const struct statement *s;
    char text[MAX_DEVICE_ID_LEN + 1];
    (void)flags;
    if (!WideCharToMultiByte(CP_UTF8, 0, id, -1, text, sizeof text, NULL, NULL)) return CR_INVALID_DEVICE_ID;
    for (int i = 0; strcmp(text, "gone") && (s = script_find("device", NULL, i)); i++) {
        *node = (DEVINST)i + 1;
        if (!strcmp(s->word[1], text)) return CR_SUCCESS;
    }
    return CR_NO_SUCH_DEVNODE;
}

EXPORT CONFIGRET WINAPI CM_Get_DevNode_Status(ULONG *status, ULONG *problem, DEVINST node, ULONG flags)
{
    int id;
    const struct statement *s = node_at(node, &id);
    (void)flags;
    *problem = s ? (ULONG)script_number(statement_value(s, "problem", "0")) : 0;
    *status = *problem ? DN_HAS_PROBLEM : 0;
    return CR_SUCCESS;
}

/* Stores the node of the first child of a device after child statement `before`. */
static CONFIGRET child_of(DEVINST *child, const char *device, int before)
{
    const struct statement *s;
    for (int i = before + 1; (s = script_find("child", NULL, i)); i++)
        if (!strcmp(s->word[1], device)) {
            *child = CHILDREN + (DEVINST)i;
            return CR_SUCCESS;
        }
    return CR_NO_SUCH_DEVNODE;
}

EXPORT CONFIGRET WINAPI CM_Get_Child(DEVINST *child, DEVINST node, ULONG flags)
{
    int id;
    const struct statement *s = node_at(node, &id);
    (void)flags;
    return s && node < CHILDREN ? child_of(child, s->word[1], -1) : CR_NO_SUCH_DEVNODE;
}

EXPORT CONFIGRET WINAPI CM_Get_Sibling(DEVINST *sibling, DEVINST node, ULONG flags)
{
    int id;
    const struct statement *s = node_at(node, &id);
    (void)flags;
    return s && node >= CHILDREN ? child_of(sibling, s->word[1], (int)(node - CHILDREN)) : CR_NO_SUCH_DEVNODE;
}

EXPORT CONFIGRET WINAPI CM_Get_Device_IDW(DEVINST node, WCHAR *text, ULONG room, ULONG flags)
{
    int id;
    const struct statement *s = node_at(node, &id);
    (void)flags;
    if (!s) return CR_NO_SUCH_DEVNODE;
    return MultiByteToWideChar(CP_UTF8, 0, s->word[id], -1, text, (int)room) ? CR_SUCCESS : CR_BUFFER_SMALL;
}

EXPORT CONFIGRET WINAPI CM_Get_DevNode_Registry_PropertyW(DEVINST node, ULONG property, ULONG *type, void *value,
                                                          ULONG *size, ULONG flags)
{
    static const WCHAR display[] = L"{4d36e968-e325-11ce-bfc1-08002be10318}",
                       component[] = L"{5c4c3332-344d-483c-8739-259e934c9cc8}",
                       other[] = L"{4d36e97d-e325-11ce-bfc1-08002be10318}";
    int id;
    const struct statement *s = node_at(node, &id);
    (void)property, (void)type, (void)flags;
    if (!s || *size < sizeof display) return CR_BUFFER_SMALL;
    bool child = node >= CHILDREN;
    memcpy(value, !child ? display : !strcmp(s->word[3], "component") ? component : other, sizeof display);
    return CR_SUCCESS;
}

EXPORT CONFIGRET WINAPI CM_Open_DevNode_Key(DEVINST node, REGSAM rights, ULONG profile, REGDISPOSITION how, HKEY *key,
                                            ULONG flags)
{
    (void)rights, (void)profile, (void)how, (void)flags;
    int id;
    const struct statement *s = node_at(node, &id);
    int at = node >= CHILDREN ? 4 : 2;
    WCHAR name[64], value[4096];
    if (!s || s->count < at + 1 || !strcmp(s->word[at], "nokey")) return CR_NO_SUCH_VALUE;
    swprintf(name, 64, L"device%lu", (unsigned long)node);
    if (RegCreateKeyExW(HKEY_CURRENT_USER, name, 0, NULL, REG_OPTION_VOLATILE, KEY_ALL_ACCESS, NULL, key, NULL))
        return CR_FAILURE;
    if (!strcmp(s->word[at], "none") || s->count < at + 2) return CR_SUCCESS;
    bool number = !strcmp(s->word[at + 1], "number");
    MultiByteToWideChar(CP_UTF8, 0, s->word[at], -1, name, 64);
    int length = number ? 2 : MultiByteToWideChar(CP_UTF8, 0, s->word[at + 1], -1, value, 4096);
    RegSetValueExW(*key, name, 0, number ? REG_DWORD : REG_SZ, (const BYTE *)value, (DWORD)length * 2);
    return CR_SUCCESS;
}
