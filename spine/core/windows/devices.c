/* devices.c: the values in the software keys of display devices and their children in the device tree
 * (WIN-028 to WIN-035). */
#include "core/windows/elsewhere.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cfgmgr32.h>

#include "process/process.h"

#define DISPLAY_CLASS L"{4d36e968-e325-11ce-bfc1-08002be10318}"
#define LIST_TRIES_MAX 8 /* the list may grow between two calls, while devices are plugged in */
#define GUID_TEXT 64     /* characters; a class GUID in braces has 38 */

struct tree {
    HMODULE library;
    CONFIGRET(WINAPI *list_size)(ULONG *, const WCHAR *, ULONG);
    CONFIGRET(WINAPI *list)(const WCHAR *, WCHAR *, ULONG, ULONG);
    CONFIGRET(WINAPI *locate)(DEVINST *, WCHAR *, ULONG);
    CONFIGRET(WINAPI *status)(ULONG *, ULONG *, DEVINST, ULONG);
    CONFIGRET(WINAPI *child)(DEVINST *, DEVINST, ULONG);
    CONFIGRET(WINAPI *sibling)(DEVINST *, DEVINST, ULONG);
    CONFIGRET(WINAPI *id)(DEVINST, WCHAR *, ULONG, ULONG);
    CONFIGRET(WINAPI *property)(DEVINST, ULONG, ULONG *, void *, ULONG *, ULONG);
    CONFIGRET(WINAPI *key)(DEVINST, REGSAM, ULONG, REGDISPOSITION, HKEY *, ULONG);
};

/* Loads the library that walks the device tree, and finds its functions. Returns false if it lacks one. */
static bool tree_open(struct tree *t)
{
    t->library = system_library(L"cfgmgr32.dll");
    if (!t->library) return false;
    struct {
        const char *name;
        void *function;
    } functions[] = {{"CM_Get_Device_ID_List_SizeW", &t->list_size},
                     {"CM_Get_Device_ID_ListW", &t->list},
                     {"CM_Locate_DevNodeW", &t->locate},
                     {"CM_Get_DevNode_Status", &t->status},
                     {"CM_Get_Child", &t->child},
                     {"CM_Get_Sibling", &t->sibling},
                     {"CM_Get_Device_IDW", &t->id},
                     {"CM_Get_DevNode_Registry_PropertyW", &t->property},
                     {"CM_Open_DevNode_Key", &t->key}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *p = (void *)(uintptr_t)GetProcAddress(t->library, functions[i].name);
        if (!p) return false;
        memcpy(functions[i].function, &p, sizeof p);
    }
    return true;
}

/* ---- a device --------------------------------------------------------------------------------------------------- */

static BYTE *read_value(HKEY key, const WCHAR *name, DWORD *type, DWORD *size, uint32_t *state)
{
    LONG result = RegQueryValueExW(key, name, NULL, type, NULL, size);
    *state = result == ERROR_FILE_NOT_FOUND ? WIRE_SOFTWARE_NO_VALUE : WIRE_SOFTWARE_BROKEN;
    if (result != ERROR_SUCCESS) return NULL;
    BYTE *data = malloc(*size ? *size : 1);
    if (data && RegQueryValueExW(key, name, NULL, type, data, size) == ERROR_SUCCESS) *state = WIRE_SOFTWARE_VALUE;
    return data;
}

static void put_device(struct wire_writer *w, const struct tree *t, DEVINST device, const WCHAR *id, bool child,
                       const WCHAR *name, uint32_t state)
{
    struct wire_device r = {.child = child, .status = state, .value_status = WIRE_SOFTWARE_NO_KEY};
    WCHAR class[GUID_TEXT];
    ULONG flags, problem = 0, room = sizeof class;
    DWORD type = 0, size = 0;
    HKEY key;
    BYTE *value = NULL;
    char *text = utf8_of(id), *guid = NULL, *data = NULL;
    r.id = text;
    r.id_len = text ? (uint32_t)strlen(text) : 0;
    if (state == WIRE_DEVICE_PROBED && t->status(&flags, &problem, device, 0) != CR_SUCCESS)
        r.status = WIRE_DEVICE_MUTE;
    if (r.status == WIRE_DEVICE_PROBED) {
        r.problem = flags & DN_HAS_PROBLEM ? problem : flags & DN_NEED_RESTART ? CM_PROB_NEED_RESTART : 0;
        if (t->property(device, CM_DRP_CLASSGUID, NULL, class, &room, 0) == CR_SUCCESS) guid = utf8_of(class);
        r.class = guid;
        r.class_len = guid ? (uint32_t)strlen(guid) : 0;
        if (t->key(device, KEY_QUERY_VALUE, 0, RegDisposition_OpenExisting, &key, CM_REGISTRY_SOFTWARE) == CR_SUCCESS) {
            value = read_value(key, name, &type, &size, &r.value_status);
            RegCloseKey(key);
        }
        if (value && r.value_status == WIRE_SOFTWARE_VALUE) {
            data = value_data(type, value, size, &r.data_len);
            if (!data) r.value_status = WIRE_SOFTWARE_BROKEN;
        }
        r.type = type;
        r.data = data;
    }
    wire_put_device(w, &r);
    free(text);
    free(guid);
    free(data);
    free(value);
}

static void put_children(struct wire_writer *w, const struct tree *t, DEVINST device, const WCHAR *name)
{
    WCHAR id[MAX_DEVICE_ID_LEN + 1];
    DEVINST child;
    CONFIGRET result = t->child(&child, device, 0);
    while (result == CR_SUCCESS && !w->failed) {
        if (t->id(child, id, MAX_DEVICE_ID_LEN, 0) == CR_SUCCESS)
            put_device(w, t, child, id, true, name, WIRE_DEVICE_PROBED);
        result = t->sibling(&child, child, 0);
    }
}

/* ---- all devices ------------------------------------------------------------------------------------------------ */

/* Returns the identifiers of the present display devices, each ended by a NUL, for free(). NULL: failure. */
static WCHAR *display_devices(const struct tree *t)
{
    const ULONG flags = CM_GETIDLIST_FILTER_CLASS | CM_GETIDLIST_FILTER_PRESENT;
    for (unsigned i = 0; i < LIST_TRIES_MAX; i++) {
        ULONG size;
        if (t->list_size(&size, DISPLAY_CLASS, flags) != CR_SUCCESS) return NULL;
        WCHAR *list = array_new(0, (uint64_t)size + 1, sizeof *list);
        CONFIGRET result = list ? t->list(DISPLAY_CLASS, list, size, flags) : CR_OUT_OF_MEMORY;
        if (result == CR_SUCCESS) return list;
        free(list);
        if (result != CR_BUFFER_SMALL) return NULL; /* WIN-029: read again when the list has grown */
    }
    return NULL;
}

void read_devices(struct wire_writer *w, const char *name)
{
    struct tree t = {0};
    WCHAR *list = tree_open(&t) ? display_devices(&t) : NULL;
    WCHAR *wide = wide_of(name);
    struct wire_devices r = {WIRE_STR(name, name), .status = list ? WIRE_DEVICES_LISTED : WIRE_DEVICES_NONE};
    wire_put_devices(w, &r);
    if (!wide) w->failed = true;
    for (WCHAR *id = list; id && *id && wide && !w->failed; id += wcslen(id) + 1) {
        DEVINST device = 0;
        bool there = t.locate(&device, id, CM_LOCATE_DEVNODE_NORMAL) == CR_SUCCESS;
        put_device(w, &t, device, id, false, wide, there ? WIRE_DEVICE_PROBED : WIRE_DEVICE_LOST);
        if (there) put_children(w, &t, device, wide);
    }
    free(wide);
    free(list);
    system_library_done(t.library);
}
