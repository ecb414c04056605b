/* window.c: opens a window on Windows for present.c. */
#include <stdio.h>
#include <windows.h>

#include "window.h"

static void pump(void)
{
    MSG message;
    while (PeekMessageA(&message, NULL, 0, 0, PM_REMOVE)) DispatchMessageA(&message);
}

static bool open(struct window *window, uint32_t width, uint32_t height)
{
    HINSTANCE program = GetModuleHandleA(NULL);
    WNDCLASSA kind = {.lpfnWndProc = DefWindowProcA, .hInstance = program, .lpszClassName = "present"};
    RegisterClassA(&kind);
    HWND handle = CreateWindowA("present", "present", WS_POPUP | WS_VISIBLE, 0, 0, (int)width, (int)height, NULL, NULL,
                                program, NULL);
    if (!handle) {
        fprintf(stderr, "present: no window: error %lu\n", GetLastError());
        return false;
    }
    *window = (struct window){.connection = program, .surface = handle, .pump = pump};
    return true;
}

const struct window_kind window_kinds[] = {{"win32", "VK_KHR_win32_surface", open}, {0}};
