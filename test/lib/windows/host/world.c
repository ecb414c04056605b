/* world.c: the host's variables and registry on Windows, from the file that WORLD_SETUP names. Each line has a
 * statement with percent-encoded words:
 *
 *   set NAME VALUE         a variable. Wine does not pass variables that begin with VK_ to programs.
 *   machine|user KEY NAME  a value of four zero bytes below SOFTWARE\Khronos\Vulkan\KEY. This process finds nothing
 *                          else in HKEY_LOCAL_MACHINE and HKEY_CURRENT_USER.
 *
 * import.h has more statements.
 */
#include "import.h"
#include <fcntl.h>
#include <io.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* ---- the registry ----------------------------------------------------------------------------------------------- */

static HKEY hives[2];
static wchar_t hive_name[64]; /* below the real HKEY_CURRENT_USER; removed with Wine's last process */

static void hives_drop(void)
{
    RegOverridePredefKey(HKEY_LOCAL_MACHINE, NULL);
    RegOverridePredefKey(HKEY_CURRENT_USER, NULL);
    RegDeleteTreeW(HKEY_CURRENT_USER, hive_name);
}

static void hives_make(void)
{
    static const wchar_t *const name[] = {L"machine", L"user"};
    HKEY all;
    swprintf(hive_name, 64, L"vkloader\\%lu", GetCurrentProcessId());
    RegDeleteTreeW(HKEY_CURRENT_USER, hive_name);
    bool made = RegCreateKeyExW(HKEY_CURRENT_USER, hive_name, 0, NULL, REG_OPTION_VOLATILE, KEY_ALL_ACCESS, NULL, &all,
                                NULL) == ERROR_SUCCESS;
    for (int i = 0; made && i < 2; i++)
        made = RegCreateKeyExW(all, name[i], 0, NULL, REG_OPTION_VOLATILE, KEY_ALL_ACCESS, NULL, &hives[i], NULL) ==
               ERROR_SUCCESS;
    if (!made || RegOverridePredefKey(HKEY_LOCAL_MACHINE, hives[0]) ||
        RegOverridePredefKey(HKEY_CURRENT_USER, hives[1]))
        abort();
    atexit(hives_drop);
}

static void hive_set(HKEY hive, const char *key, const char *name)
{
    char path[256];
    HKEY opened;
    DWORD zero = 0;
    snprintf(path, sizeof path, "SOFTWARE\\Khronos\\Vulkan\\%s", key);
    wchar_t *wide_path = posix_wide(path), *wide = posix_wide(name);
    if (RegCreateKeyExW(hive, wide_path, 0, NULL, REG_OPTION_VOLATILE, KEY_ALL_ACCESS, NULL, &opened, NULL) ||
        RegSetValueExW(opened, wide, 0, REG_DWORD, (const BYTE *)&zero, sizeof zero))
        abort();
    RegCloseKey(opened);
    free(wide_path);
    free(wide);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static char *word(char **rest)
{
    char *found = strtok_r(NULL, " \n", rest), *to = found;
    for (const char *from = found; from && *from; from++) {
        char digits[] = {from[0] == '%' ? from[1] : 0, from[0] == '%' ? from[2] : 0, 0};
        *to++ = digits[0] ? (char)strtoul(digits, NULL, 16) : *from;
        if (digits[0]) from += 2;
    }
    if (to) *to = 0;
    return found;
}

static void obey(char *text)
{
    char *rest, *verb = strtok_r(text, " \n", &rest), *first = word(&rest), *second = word(&rest);
    if (!verb || import_obey(verb, first, second) || !first) return;
    if (!strcmp(verb, "set"))
        setenv(first, second ? second : "", 1);
    else
        hive_set(hives[strcmp(verb, "machine") != 0], first, second);
}

__declspec(dllexport) DWORD world_first; /* the first thread, for posix.c */

/* The lock of the fakes that write to the world's log. */
__declspec(dllexport) SRWLOCK world_log = SRWLOCK_INIT;

/* Not 0: fakes read their scripts again only if the host is told that these have changed, because checking a file costs
 * Wine several calls to its server. */
__declspec(dllexport) int host_scripts_steady;

__attribute__((constructor)) static void begin(void)
{
    world_first = GetCurrentThreadId();
    char *text = NULL;
    size_t room = 0;
    const char *path = getenv("WORLD_SETUP");
    wchar_t *wide = path ? posix_wide(path) : NULL;
    FILE *file = wide ? _wfopen(wide, L"rb") : NULL;
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
    for (int i = 0; i < 3; i++) _setmode(i, _O_BINARY);
    if (!file) return;
    hives_make();
    while (getline(&text, &room, file) > 0) obey(text);
    fclose(file);
    free(text);
    free(wide);
}
