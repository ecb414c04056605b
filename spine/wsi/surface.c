/* surface.c: the loader's surface objects: the creation of the kinds that every system has, the counterpart in a
 * driver, and destruction.
 *
 * Creating a surface calls no driver (WSI-001). Queries are in surface_query.c, swapchains in swapchain.c, surfaces of
 * the system's windows in window.c. */
#include <string.h>

#include "gen/zends.h"
#include "wsi/surface.h"

static struct surface *surface_of(struct object *object)
{
    return (struct surface *)((char *)object - offsetof(struct surface, object));
}

/* ---- creation -------------------------------------------------------------------------------------------------- */

static size_t round_up(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

/* Returns the bytes of the copy of a create-info chain; 0 if the size of a structure is unknown (WSI-009). */
static size_t chain_size(const struct surface_kind *kind, const void *info)
{
    size_t size = 0;
    for (const VkBaseInStructure *in = info; in; in = in->pNext) {
        if (in->sType == kind->type)
            size += round_up(kind->info_size);
        else if (in != info && kind->stereo && in->sType == VK_STRUCTURE_TYPE_DISPLAY_SURFACE_STEREO_CREATE_INFO_NV)
            size += round_up(sizeof(VkDisplaySurfaceStereoCreateInfoNV));
        else
            return 0;
    }
    return size;
}

static void chain_copy(const struct surface_kind *kind, const void *info, void *to)
{
    VkBaseOutStructure *last = NULL;
    for (const VkBaseInStructure *in = info; in; in = in->pNext) {
        size_t size = in->sType == kind->type ? kind->info_size : sizeof(VkDisplaySurfaceStereoCreateInfoNV);
        memcpy(to, in, size);
        if (last) last->pNext = to;
        last = to;
        to = (char *)to + round_up(size);
    }
}

static void surface_free(struct instance *instance, struct object *object)
{
    mem_free(instance_allocator(instance), surface_of(object));
}

struct surface *surface_new(struct instance *instance, const struct surface_kind *kind, const void *info,
                            const VkAllocationCallbacks *given, VkResult *result)
{
    if (!instance_has(instance, kind->ext)) {
        /* WSI-004. WSI-005: for headless surfaces the message has two spaces and the result is VK_SUCCESS. */
        bool headless = kind->platform == VK_ICD_WSI_PLATFORM_HEADLESS;
        log_line(instance, LOG_ERROR, "%s extension not enabled. %s%s not executed!", kind->extension,
                 headless ? " " : "", kind->command);
        *result = headless ? VK_SUCCESS : VK_ERROR_EXTENSION_NOT_PRESENT;
        return NULL;
    }
    size_t copy = chain_size(kind, info);
    if (!copy) {
        log_line(instance, LOG_ERROR, "Unsupported extension structure in %s pNext chain.", kind->info_name);
        *result = VK_ERROR_EXTENSION_NOT_PRESENT;
        return NULL;
    }
    /* WSI-010: object and copy share one block. */
    size_t size = round_up(sizeof(struct surface)) + copy;
    struct surface *surface = mem_new(instance_allocator(instance), size, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!surface) {
        *result = VK_ERROR_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    surface->platform.base.platform = kind->platform;
    surface->base_size = sizeof(VkIcdSurfaceBase);
    surface->platform_size = kind->platform_size;
    surface->sizes_offset = offsetof(struct surface, base_size);
    surface->whole_size = (uint32_t)size;
    surface->object.drop = surface_free;
    surface->kind = kind;
    surface->create_info = (char *)surface + round_up(sizeof *surface);
    chain_copy(kind, info, surface->create_info);

    struct held_drivers held;
    *result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (drivers_take(instance, &held)) {
        *result = object_place(instance, OBJECT_SURFACE, &surface->object, given, &held);
        drivers_drop(&held);
    }
    if (*result != VK_SUCCESS) {
        mem_free(instance_allocator(instance), surface);
        return NULL;
    }
    return surface;
}

#define FILL_headless (void)to
#define FILL_display                                                                                                   \
    COPY(displayMode), COPY(planeIndex), COPY(planeStackIndex), COPY(transform), COPY(globalAlpha), COPY(alphaMode),   \
        COPY(imageExtent)

SURFACE(headless, VK_ICD_WSI_PLATFORM_HEADLESS, VK_EXT_headless_surface, vkCreateHeadlessSurfaceEXT,
        VkHeadlessSurfaceCreateInfoEXT, VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT, false);
SURFACE(display, VK_ICD_WSI_PLATFORM_DISPLAY, VK_KHR_display, vkCreateDisplayPlaneSurfaceKHR,
        VkDisplaySurfaceCreateInfoKHR, VK_STRUCTURE_TYPE_DISPLAY_SURFACE_CREATE_INFO_KHR, true);

/* ---- a driver's surface ---------------------------------------------------------------------------------------- */

/* Returns the loader's surface with a handle, or NULL. Called with the lock. */
static struct surface *surface_find(struct instance *instance, VkSurfaceKHR handle)
{
    const struct handle_list *list = &instance->objects[OBJECT_SURFACE];
    for (uint32_t i = 0; i < list->room; i++) {
        struct object *object = list->object[i];
        if (object && surface_handle(surface_of(object)) == handle) return surface_of(object);
    }
    return NULL;
}

/* WSI-013 (c): lets the driver create its surface. Called without the lock. */
__attribute__((noinline)) static VkResult create_in_driver(struct driver *driver, const struct surface *surface,
                                                           VkSurfaceKHR *made)
{
    CLAIM_UNWINDS
    const struct surface_kind *kind = surface->kind;
    if (!driver_has(driver, kind->ext)) return VK_ERROR_EXTENSION_NOT_PRESENT;
    *made = VK_NULL_HANDLE;
    VkResult result = kind->create(driver, surface->create_info, object_allocator(&surface->object), made);
    __asm__ volatile(""); /* prevents a tail call, so that the frame with the claim stays */
    return result;
}

/* Destroys a driver's surface that is not needed, because another thread has created one. */
static void destroy_in_driver(struct driver *driver, const struct surface *surface, VkSurfaceKHR made)
{
    PFN_vkDestroySurfaceKHR destroy = driver_fn(driver, vkDestroySurfaceKHR);
    if (destroy) destroy(driver->handle, made, object_allocator(&surface->object));
}

/* Creates the driver's surface and stores its handle. Called with the lock, which is released meanwhile. */
static VkResult make_in_driver(struct driver *driver, const struct surface *surface, uint64_t *made)
{
    VkSurfaceKHR fresh;
    lock_drop();
    VkResult result = create_in_driver(driver, surface, &fresh);
    lock_take();
    if (result != VK_SUCCESS) return result;
    *made = (uint64_t)fresh; /* a driver's handle may be wider than a pointer */
    if (!objects_settled(driver->instance)) return result;
    uint64_t *place = &driver->objects[OBJECT_SURFACE].handle[surface->object.index];
    if (!*place) {
        *place = *made;
    } else { /* this thread's claim was taken over, and another thread has created a surface */
        *made = *place;
        lock_drop();
        destroy_in_driver(driver, surface, fresh);
        lock_take();
    }
    return result;
}

VkResult surface_for_driver(struct driver *driver, VkSurfaceKHR handle, VkSurfaceKHR *out)
{
    struct instance *instance = driver->instance;
    *out = handle;
    if (driver->lib->interface_version < 3 || !driver_has(driver, EXT_VK_KHR_surface)) return VK_SUCCESS; /* (a) */

    const struct handle_table *table = &driver->objects[OBJECT_SURFACE];
    struct claim claim;
    thread_now();
    lock_take();
    VkResult result = objects_settled(instance) ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result != VK_SUCCESS) goto done;
    if (!table->room) goto done; /* WSI-016: the loader has created no surface, so the handle is a layer's */
    struct surface *surface = surface_find(instance, handle);
    if (!surface || surface->object.index >= table->room) {
        result = VK_ERROR_EXTENSION_NOT_PRESENT; /* the driver has no such surface, and must not get the loader's */
        goto done;
    }
    uint32_t index = surface->object.index;
    uint64_t made = table->handle[index];
    if (!made) {
        /* WSI-015: one thread creates the surface; others wait and then find it. */
        if (!claim_take_over(&claim, surface, driver)) {
            result = VK_ERROR_INITIALIZATION_FAILED;
            goto done;
        }
        if (!objects_settled(instance))
            result = VK_ERROR_OUT_OF_HOST_MEMORY;
        else if (!(made = table->handle[index]))
            result = make_in_driver(driver, surface, &made);
        claim_drop(&claim);
    }
    if (result == VK_SUCCESS) *out = (VkSurfaceKHR)made; /* (b) */
done:
    lock_drop();
    return result;
}

/* ---- destruction ----------------------------------------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL term_vkDestroySurfaceKHR(VkInstance handle, VkSurfaceKHR surface_handle,
                                                    const VkAllocationCallbacks *allocator)
{
    struct surface *surface = (struct surface *)(uintptr_t)surface_handle;
    if (!surface) return; /* WSI-019: NULL is allowed */
    struct instance *instance = instance_of(handle);
    object_destroy(instance, OBJECT_SURFACE, &surface->object, allocator);
    lock_take();
    claims_forget(surface);
    lock_drop();
    surface_free(instance, &surface->object);
}
