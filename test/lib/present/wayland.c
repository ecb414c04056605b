/* wayland.c: a toplevel window of a Wayland compositor. The xdg-shell protocol's descriptions, which scanners generate
 * elsewhere, are written by hand: only the necessary fields are filled in, the numbers of the requests are the
 * protocol's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "window.h"

struct message { /* wl_message */
    const char *name, *signature;
    const struct interface **types;
};
struct interface { /* wl_interface */
    const char *name;
    int version, request_count;
    const struct message *requests;
    int event_count;
    const struct message *events;
};

static const struct interface xdg_surface, xdg_toplevel;
static const struct interface *none[8];
static const struct interface *new_surface[] = {&xdg_surface, NULL};
static const struct interface *new_toplevel[] = {&xdg_toplevel};

static const struct message wm_base_requests[] = {{"destroy", "", none},
                                                  {"create_positioner", "n", none},
                                                  {"get_xdg_surface", "no", new_surface},
                                                  {"pong", "u", none}};
static const struct message wm_base_events[] = {{"ping", "u", none}};
static const struct interface xdg_wm_base = {"xdg_wm_base", 1, 4, wm_base_requests, 1, wm_base_events};

static const struct message surface_requests[] = {{"destroy", "", none},
                                                  {"get_toplevel", "n", new_toplevel},
                                                  {"get_popup", "n?oo", none},
                                                  {"set_window_geometry", "iiii", none},
                                                  {"ack_configure", "u", none}};
static const struct message surface_events[] = {{"configure", "u", none}};
static const struct interface xdg_surface = {"xdg_surface", 1, 5, surface_requests, 1, surface_events};

static const struct message toplevel_requests[] = {
    {"destroy", "", none},          {"set_parent", "?o", none},         {"set_title", "s", none},
    {"set_app_id", "s", none},      {"show_window_menu", "ouii", none}, {"move", "ou", none},
    {"resize", "ouu", none},        {"set_max_size", "ii", none},       {"set_min_size", "ii", none},
    {"set_maximized", "", none},    {"unset_maximized", "", none},      {"set_fullscreen", "?o", none},
    {"unset_fullscreen", "", none}, {"set_minimized", "", none}};
static const struct message toplevel_events[] = {{"configure", "iia", none}, {"close", "", none}};
static const struct interface xdg_toplevel = {"xdg_toplevel", 1, 14, toplevel_requests, 2, toplevel_events};

static void *(*construct)(void *, uint32_t, const struct interface *, ...);
static void *(*construct_versioned)(void *, uint32_t, const struct interface *, uint32_t, ...);
static void (*marshal)(void *, uint32_t, ...);
static int (*listen_to)(void *, void (**)(void), void *);
static int (*roundtrip)(void *);

static void *display, *compositor, *shell;
static const struct interface *compositor_interface;
static bool configured;

static void on_ping(void *data, void *proxy, uint32_t serial)
{
    (void)data;
    marshal(proxy, 3, serial);
}

static void on_configure(void *data, void *proxy, uint32_t serial)
{
    (void)data;
    marshal(proxy, 4, serial);
    configured = true;
}

static void on_toplevel_configure(void *data, void *proxy, int32_t width, int32_t height, void *states)
{
    (void)data, (void)proxy, (void)width, (void)height, (void)states;
}

static void on_close(void *data, void *proxy)
{
    (void)data, (void)proxy;
}

static void on_global(void *data, void *registry, uint32_t name, const char *interface, uint32_t version)
{
    (void)data, (void)version;
    if (!strcmp(interface, "wl_compositor"))
        compositor = construct_versioned(registry, 0, compositor_interface, 1, name, "wl_compositor", 1, NULL);
    if (!strcmp(interface, "xdg_wm_base"))
        shell = construct_versioned(registry, 0, &xdg_wm_base, 1, name, "xdg_wm_base", 1, NULL);
}

static void on_global_remove(void *data, void *registry, uint32_t name)
{
    (void)data, (void)registry, (void)name;
}

static void pump(void)
{
    roundtrip(display);
}

bool window_wayland(struct window *window, uint32_t width, uint32_t height)
{
    (void)width, (void)height;
    void *w = window_library("libwayland-client.so.0");
    void *(*connect)(const char *) = (void *(*)(const char *))window_function(w, "wl_display_connect");
    construct =
        (void *(*)(void *, uint32_t, const struct interface *, ...))window_function(w, "wl_proxy_marshal_constructor");
    construct_versioned = (void *(*)(void *, uint32_t, const struct interface *, uint32_t, ...))window_function(
        w, "wl_proxy_marshal_constructor_versioned");
    marshal = (void (*)(void *, uint32_t, ...))window_function(w, "wl_proxy_marshal");
    listen_to = (int (*)(void *, void (**)(void), void *))window_function(w, "wl_proxy_add_listener");
    roundtrip = (int (*)(void *))window_function(w, "wl_display_roundtrip");
    compositor_interface = window_function(w, "wl_compositor_interface");
    const struct interface *registry_interface = window_function(w, "wl_registry_interface");
    const struct interface *surface_interface = window_function(w, "wl_surface_interface");
    new_surface[1] = surface_interface;

    display = connect(NULL);
    if (!display) {
        fprintf(stderr, "present: no Wayland display\n");
        return false;
    }
    static void (*registry_listener[])(void) = {(void (*)(void))on_global, (void (*)(void))on_global_remove};
    static void (*shell_listener[])(void) = {(void (*)(void))on_ping};
    static void (*surface_listener[])(void) = {(void (*)(void))on_configure};
    static void (*toplevel_listener[])(void) = {(void (*)(void))on_toplevel_configure, (void (*)(void))on_close};
    void *registry = construct(display, 1, registry_interface, NULL);
    listen_to(registry, registry_listener, NULL);
    roundtrip(display);
    if (!compositor || !shell) {
        fprintf(stderr, "present: the compositor has no %s\n", compositor ? "xdg_wm_base" : "wl_compositor");
        return false;
    }
    listen_to(shell, shell_listener, NULL);
    void *surface = construct(compositor, 0, surface_interface, NULL);
    void *shell_surface = construct(shell, 2, &xdg_surface, NULL, surface);
    listen_to(shell_surface, surface_listener, NULL);
    void *toplevel = construct(shell_surface, 1, &xdg_toplevel, NULL);
    listen_to(toplevel, toplevel_listener, NULL);
    marshal(surface, 6); /* commit: the first configure follows */
    while (!configured)
        if (roundtrip(display) < 0) return false;
    window->connection = display;
    window->surface = surface;
    window->pump = pump;
    return true;
}
