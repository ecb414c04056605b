/* surface.h: the loader's surface objects and their kinds, for the files of wsi/. Owner: surface.c. */
#ifndef VKL_SURFACE_H
#define VKL_SURFACE_H

#include "state/state.h"
#include "wsi/wsi.h"

/* The object behind a VkSurfaceKHR. Drivers with an interface version below 3, and others that use the handle directly,
 * read the members up to whole_size (WSI-006, WSI-008). */
struct surface {
    union {
        VkIcdSurfaceBase base;
        VkIcdSurfaceXcb xcb;
        VkIcdSurfaceXlib xlib;
        VkIcdSurfaceWayland wayland;
        VkIcdSurfaceWin32 win32;
        VkIcdSurfaceMacOS macos;
        VkIcdSurfaceMetal metal;
        VkIcdSurfaceBase headless;
        VkIcdSurfaceDisplay display;
    } platform;
    uint32_t base_size;
    uint32_t platform_size;
    uint32_t sizes_offset;
    uint32_t whole_size;

    struct object object;
    const struct surface_kind *kind;
    void *create_info; /* copy of the chain, behind this structure in the same block (WSI-009) */
};

_Static_assert(offsetof(struct surface, platform) == 0, "WSI-006");
_Static_assert(offsetof(struct surface, base_size) == sizeof(VkIcdSurfaceDisplay), "WSI-008: after the largest one");
_Static_assert(offsetof(struct surface, platform_size) == offsetof(struct surface, base_size) + 4 &&
                   offsetof(struct surface, sizes_offset) == offsetof(struct surface, base_size) + 8 &&
                   offsetof(struct surface, whole_size) == offsetof(struct surface, base_size) + 12,
               "WSI-008: in this order");

struct surface_kind {
    const char *extension, *command, *info_name;
    unsigned ext;
    VkResult (*create)(const struct driver *, const void *, const VkAllocationCallbacks *, VkSurfaceKHR *);
    VkStructureType type;
    VkIcdWsiPlatform platform;
    uint32_t platform_size, info_size;
    bool stereo; /* its chain may have a VkDisplaySurfaceStereoCreateInfoNV */
};

static inline VkSurfaceKHR surface_handle(struct surface *surface)
{
    return (VkSurfaceKHR)(uintptr_t)surface;
}

/* Returns a surface with an entry, filled except for the members of its platform; NULL with *result on failure. */
struct surface *surface_new(struct instance *instance, const struct surface_kind *kind, const void *info,
                            const VkAllocationCallbacks *given, VkResult *result);

/* Defines a kind of surface: a function that creates the driver's surface, the description, and the terminator.
 * FILL_##Member copies the members of the platform's structure. */
#define COPY(member) to->member = info->member
#define SURFACE(Member, Platform, Ext, Command, Info, Type, Stereo)                                                    \
    static VkResult create_##Command(const struct driver *driver, const void *info,                                    \
                                     const VkAllocationCallbacks *allocator, VkSurfaceKHR *made)                       \
    {                                                                                                                  \
        PFN_##Command create = driver_fn(driver, Command);                                                             \
        return create ? create(driver->handle, (const Info *)info, allocator, made) : VK_ERROR_EXTENSION_NOT_PRESENT;  \
    }                                                                                                                  \
    static const struct surface_kind kind_##Member = {.extension = #Ext,                                               \
                                                      .command = #Command,                                             \
                                                      .info_name = #Info,                                              \
                                                      .ext = EXT_##Ext,                                                \
                                                      .create = create_##Command,                                      \
                                                      .type = Type,                                                    \
                                                      .platform = Platform,                                            \
                                                      .platform_size = sizeof((struct surface *)0)->platform.Member,   \
                                                      .info_size = sizeof(Info),                                       \
                                                      .stereo = Stereo};                                               \
    VKAPI_ATTR VkResult VKAPI_CALL term_##Command(VkInstance instance, const Info *info,                               \
                                                  const VkAllocationCallbacks *allocator, VkSurfaceKHR *out)           \
    {                                                                                                                  \
        VkResult result;                                                                                               \
        struct surface *surface = surface_new(instance_of(instance), &kind_##Member, info, allocator, &result);        \
        if (surface) {                                                                                                 \
            __typeof__(&surface->platform.Member) to = &surface->platform.Member;                                      \
            FILL_##Member;                                                                                             \
            *out = surface_handle(surface);                                                                            \
        }                                                                                                              \
        return result;                                                                                                 \
    }                                                                                                                  \
    _Static_assert(offsetof(struct surface, platform.Member) == 0, "WSI-006")

/* ---- surface_query.c ------------------------------------------------------------------------------------------- */

/* WSI-024, WSI-040: reports whether an extension is enabled on the instance, or logs an error. */
bool surface_is_enabled(struct instance *instance, unsigned ext, const char *extension, const char *command);
/* Logs that the driver lacks a command. */
void surface_lacks(struct instance *instance, const char *command);
/* Returns the driver's function for a presentation-support query. NULL, after a message, if the extension is not
 * enabled or the driver lacks the command. */
void *surface_asked(struct instance *instance, unsigned ext, const char *extension, const char *command,
                    void *function);

#define PRESENTATION(physdev, ext, command)                                                                            \
    ((PFN_##command)surface_asked((physdev)->instance, EXT_##ext, #ext, #command,                                      \
                                  (void *)driver_fn((physdev)->driver, command)))

#endif
