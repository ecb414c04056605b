/* window.h: a window of one of the window systems, whose libraries are opened at run time, so that building this needs
 * none of their headers. */
#ifndef TEST_PRESENT_WINDOW_H
#define TEST_PRESENT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct window {
    void *connection;   /* Display *, xcb_connection_t *, wl_display *, HINSTANCE */
    void *surface;      /* wl_surface *, HWND */
    uint64_t window;    /* of X */
    uint64_t visual;    /* of X */
    void (*pump)(void); /* answers the requests of the window system since the last frame; may be NULL */
};

/* The kinds of windows that this system has; the last one has no name. */
extern const struct window_kind {
    const char *name, *extension;
    bool (*open)(struct window *window, uint32_t width, uint32_t height); /* false: after a line on standard error */
} window_kinds[];

bool window_xlib(struct window *window, uint32_t width, uint32_t height);
bool window_xcb(struct window *window, uint32_t width, uint32_t height);
bool window_wayland(struct window *window, uint32_t width, uint32_t height);

/* Opens a library and says when that fails. */
void *window_library(const char *name);
void *window_function(void *library, const char *name);

#endif
