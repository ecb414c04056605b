/* x11.c: windows through Xlib and xcb. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "window.h"

void *window_library(const char *name)
{
    void *library = dlopen(name, RTLD_NOW);
    if (!library) {
        fprintf(stderr, "present: %s\n", dlerror());
        exit(77);
    }
    return library;
}

void *window_function(void *library, const char *name)
{
    void *function = dlsym(library, name);
    if (!function) {
        fprintf(stderr, "present: %s\n", dlerror());
        exit(77);
    }
    return function;
}

#define TAKE(library, result, name, ...)                                                                               \
    result (*name)(__VA_ARGS__) = (result(*)(__VA_ARGS__))window_function(library, #name)

bool window_xlib(struct window *window, uint32_t width, uint32_t height)
{
    void *x = window_library("libX11.so.6");
    TAKE(x, int, XInitThreads, void);
    TAKE(x, void *, XOpenDisplay, const char *);
    TAKE(x, unsigned long, XDefaultRootWindow, void *);
    TAKE(x, void *, XDefaultVisual, void *, int);
    TAKE(x, unsigned long, XVisualIDFromVisual, void *);
    TAKE(x, unsigned long, XCreateSimpleWindow, void *, unsigned long, int, int, unsigned, unsigned, unsigned,
         unsigned long, unsigned long);
    TAKE(x, int, XMapWindow, void *, unsigned long);
    TAKE(x, int, XSync, void *, int);
    XInitThreads();
    void *display = XOpenDisplay(NULL);
    if (!display) {
        fprintf(stderr, "present: no X display\n");
        return false;
    }
    window->connection = display;
    window->window = XCreateSimpleWindow(display, XDefaultRootWindow(display), 0, 0, width, height, 0, 0, 0);
    window->visual = XVisualIDFromVisual(XDefaultVisual(display, 0));
    XMapWindow(display, window->window);
    XSync(display, 0);
    return true;
}

struct screen { /* xcb_screen_t */
    uint32_t root, colormap, white, black, masks;
    uint16_t width, height, width_mm, height_mm, min_maps, max_maps;
    uint32_t root_visual;
};
struct screens { /* xcb_screen_iterator_t */
    struct screen *data;
    int rem, index;
};
struct cookie { /* xcb_void_cookie_t */
    unsigned sequence;
};

bool window_xcb(struct window *window, uint32_t width, uint32_t height)
{
    void *x = window_library("libxcb.so.1");
    TAKE(x, void *, xcb_connect, const char *, int *);
    TAKE(x, int, xcb_connection_has_error, void *);
    TAKE(x, const void *, xcb_get_setup, void *);
    TAKE(x, struct screens, xcb_setup_roots_iterator, const void *);
    TAKE(x, uint32_t, xcb_generate_id, void *);
    TAKE(x, struct cookie, xcb_create_window, void *, uint8_t, uint32_t, uint32_t, int16_t, int16_t, uint16_t, uint16_t,
         uint16_t, uint16_t, uint32_t, uint32_t, const void *);
    TAKE(x, struct cookie, xcb_map_window, void *, uint32_t);
    TAKE(x, int, xcb_flush, void *);
    void *connection = xcb_connect(NULL, NULL);
    if (xcb_connection_has_error(connection)) {
        fprintf(stderr, "present: no X display\n");
        return false;
    }
    struct screen *screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    uint32_t id = xcb_generate_id(connection);
    xcb_create_window(connection, 0, id, screen->root, 0, 0, (uint16_t)width, (uint16_t)height, 0, 1,
                      screen->root_visual, 0, NULL);
    xcb_map_window(connection, id);
    xcb_flush(connection);
    window->connection = connection;
    window->window = id;
    window->visual = screen->root_visual;
    return true;
}

const struct window_kind window_kinds[] = {{"xlib", "VK_KHR_xlib_surface", window_xlib},
                                           {"xcb", "VK_KHR_xcb_surface", window_xcb},
                                           {"wayland", "VK_KHR_wayland_surface", window_wayland},
                                           {0}};
