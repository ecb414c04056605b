/* driver.c: opens the driver libraries of a plan, reads their extension lists, and closes them.
 *
 * The core decides which drivers are used. instance/terminators.c creates the driver instances. */
#include "library/library.h"

#include <stdlib.h>
#include <string.h>

#include "gen/zwire.h"

/* ---- opening --------------------------------------------------------------------------------------------------- */

static void driver_lib_free(struct driver_lib *lib)
{
    if (lib->path != driver_direct_path) free((char *)lib->path);
    free(lib->ext);
    free(lib);
}

/* Negotiates with an opened library. NULL: rejected, or no memory (then *result says so). library: NULL if opening
 * failed; text is then the reason, which is freed. */
static struct driver_lib *open_one(struct instance *in, const struct wire_open_driver *step, struct library *library,
                                   char *text, VkResult *result)
{
    if (!library) {
        if (!text) {
            *result = VK_ERROR_OUT_OF_HOST_MEMORY;
        } else if (text_of_wrong_class(text)) { /* DRV-041: a library of the other word size is no error */
            log_text(in, LOG_INFO, text);
            log_line(in, LOG_DRIVER, "Requested ICD %s was wrong bit-type. Ignoring this JSON", step->library);
        } else { /* DRV-042: any other failure to load is an error */
            log_text(in, LOG_ERROR, text);
            log_line(in, LOG_ERROR | LOG_DRIVER,
                     "loader_icd_scan: Failed loading library associated with ICD JSON %s. Ignoring this JSON",
                     step->library);
        }
        free(text);
        return NULL;
    }
    struct driver_lib *d = calloc(1, sizeof *d);
    if (!d) {
        library_close(library);
        *result = VK_ERROR_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    d->library = library;
    d->manifest_version = step->api_version;
    /* FLS-128: right after opening, before any other use of the driver */
    if (library->closure) namespace_offer(library->handle);
    if (!driver_negotiate(in, d, step->library)) {
        /* DRV-046: this line follows the one that says why */
        log_line(in, LOG_ERROR | LOG_DRIVER,
                 "loader_icd_scan: Failed loading library associated with ICD JSON %s. Ignoring this JSON",
                 step->library);
        library_close(library);
        driver_lib_free(d);
        return NULL;
    }
    if (step->has_slash && log_heard(in)) { /* DRV-026: a warning if the loaded file is not the one in library_path */
        char *wanted = path_other_than(step->library, driver_path(d));
        if (wanted)
            log_line(in, LOG_WARN | LOG_LAYER, "Path to given binary %s was found to differ from OS loaded path %s",
                     wanted, driver_path(d));
        free(wanted);
    }
    return d;
}

static struct driver_lib *open_own(struct instance *in, const struct wire_open_driver *step, VkResult *result)
{
    char *text;
    /* A list of extensions needs the library for one call, an instance for its lifetime. */
    struct library *library = in ? library_open(step->library, &text) : library_borrow(step->library, &text);
    return open_one(in, step, library, text, result);
}

/* Opens a driver of the service. The reader is at the driver's step; it advances past the records of its files. */
static struct driver_lib *open_served(struct instance *in, const struct wire_serve_driver *step,
                                      struct wire_reader *reader, struct service *service, VkResult *result)
{
    char *text;
    struct wire_record record;
    struct wire_serve_file file;
    struct serve_file *list = calloc(step->files, sizeof *list);
    uint32_t count = 0;
    while (list && count < step->files && wire_next(reader, &record) && wire_get_serve_file(&record, &file))
        list[count++] = (struct serve_file){file.file, file.size, file.name};
    if (!list || count < step->files || !count) {
        free(list);
        *result = VK_ERROR_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    struct library *library = library_served(service, step->library, list, count, &text);
    free(list);
    const struct wire_open_driver usual = {.library = step->library, .api_version = step->api_version};
    return open_one(in, &usual, library, text, result);
}

static void append(struct driver_libs *libs, struct driver_lib *d)
{
    struct driver_lib **at = &libs->first;
    while (*at) at = &(*at)->next;
    *at = d;
    libs->count++;
}

VkResult drivers_open(struct instance *in, const struct plan *plan, const VkInstanceCreateInfo *info,
                      struct service *service, struct driver_libs **out)
{
    VkResult result = VK_SUCCESS;
    struct driver_libs *libs = calloc(1, sizeof *libs);
    if (!libs) return VK_ERROR_OUT_OF_HOST_MEMORY;
    library_look();
    struct wire_reader reader;
    struct wire_record record;
    wire_open(&reader, plan->bytes, plan->size);
    while (result == VK_SUCCESS && wire_next(&reader, &record)) {
        if (plan_speaks(&record)) {
            plan_step(in, &record);
        } else if (record.id == WIRE_DIRECT) {
            const VkDirectDriverLoadingListLUNARG *list = /* DRV-081: the first */
                info ? chain_find(info->pNext, VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_LIST_LUNARG) : NULL;
            for (uint32_t i = 0; list && list->pDrivers && i < list->driverCount && result == VK_SUCCESS; i++) {
                struct driver_lib *d = driver_direct(in, &list->pDrivers[i], i, &result);
                if (d) append(libs, d);
            }
        } else if (record.id == WIRE_OPEN_DRIVER) {
            struct wire_open_driver step;
            if (!wire_get_open_driver(&record, &step)) continue;
            struct driver_lib *d = open_own(in, &step, &result);
            if (d) append(libs, d);
        } else if (record.id == WIRE_SERVE_DRIVER) {
            struct wire_serve_driver step;
            if (!wire_get_serve_driver(&record, &step)) continue;
            struct driver_lib *d = open_served(in, &step, &reader, service, &result);
            if (d) append(libs, d);
        }
    }
    service_end(service);
    if (result != VK_SUCCESS) {
        drivers_close(in, libs);
        return result;
    }
    *out = libs;
    return VK_SUCCESS;
}

/* ---- extension lists ------------------------------------------------------------------------------------------- */

/* Reads a driver's extensions (INS-017 to 019). On failure *call says which of the two calls failed. */
static VkResult read_extensions(struct instance *in, struct driver_lib *d, uint32_t *call)
{
    free(d->ext);
    d->ext = NULL;
    d->ext_count = 0;
    *call = WIRE_CALL_COUNT;
    if (code_is_own((void *)d->enumerate_extensions)) {
        log_line(
            in, LOG_ERROR,
            "loader_add_instance_extensions: %s's vkEnumerateInstanceExtensionProperties points to the loader, this would lead to infinite recursion.",
            driver_path(d));
        return VK_SUCCESS;
    }
    VkResult result = VK_INCOMPLETE;
    for (int retries = 0; result == VK_INCOMPLETE && retries <= LIST_RETRIES_MAX; retries++) {
        uint32_t count = 0;
        *call = WIRE_CALL_COUNT;
        d->ext_count = 0;
        result = d->enumerate_extensions(NULL, &count, NULL); /* DRV-069: never a layer's name */
        if (!is_list_result(result)) return result;
        if (!count) return VK_SUCCESS;
        if (count > EXTENSIONS_MAX) {
            log_line(in, LOG_ERROR | LOG_DRIVER, EXTENSIONS_UNTRUE, "vkEnumerateInstanceExtensionProperties",
                     driver_path(d), count);
            return VK_ERROR_INITIALIZATION_FAILED;
        }
        free(d->ext);
        d->ext = array_grow(NULL, count, sizeof *d->ext);
        if (!d->ext) return VK_ERROR_OUT_OF_HOST_MEMORY;
        for (uint32_t i = 0; i < count; i++) { /* entries that the driver counts but does not write stay empty */
            d->ext[i].extensionName[0] = 0;
            d->ext[i].specVersion = 0;
        }
        uint32_t given = count;
        *call = WIRE_CALL_FILL;
        result = d->enumerate_extensions(NULL, &given, d->ext);
        if (!is_list_result(result)) return result;
        d->ext_count = given < count ? given : count;
    }
    for (uint32_t i = 0; i < d->ext_count; i++) /* FUZ-040: no name is compared past its field */
        d->ext[i].extensionName[VK_MAX_EXTENSION_NAME_SIZE - 1] = 0;
    return VK_SUCCESS;
}

VkResult drivers_facts(struct instance *in, const struct driver_libs *libs, struct facts *facts)
{
    struct wire_writer *w = facts_writer(facts);
    uint32_t index = 0;
    for (struct driver_lib *d = libs->first; d; d = d->next, index++) {
        uint32_t call;
        VkResult result = read_extensions(in, d, &call);
        const char *path =
            result == VK_SUCCESS ? NULL : driver_path(d); /* messages of the core name only failed drivers */
        wire_put_driver(w,
                        &(struct wire_driver){
                            .index = index, .usable = 1, WIRE_STR(path, path), .ext_result = result, .ext_call = call});
        for (uint32_t i = 0; i < d->ext_count; i++)
            wire_put_driver_ext(w, &(struct wire_driver_ext){.driver = index,
                                                             WIRE_STR(name, d->ext[i].extensionName),
                                                             .spec_version = d->ext[i].specVersion});
    }
    return w->failed ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

void drivers_leave_out(struct driver_libs *libs, const struct plan *plan)
{
    struct wire_reader reader;
    struct wire_record record;
    struct wire_drop_driver drop;
    struct driver_lib **at = &libs->first;
    uint32_t index = 0;
    wire_open(&reader, plan->bytes, plan->size);
    while (wire_next(&reader, &record)) {
        if (!wire_get_drop_driver(&record, &drop)) continue;
        for (; *at && index < drop.driver; index++) at = &(*at)->next;
        struct driver_lib *d = *at;
        if (!d || index != drop.driver) return; /* records are sorted and unique */
        *at = d->next;
        libs->count--;
        index++;
        library_close(d->library); /* DRV-046: a rejected library is closed at once */
        driver_lib_free(d);
    }
}

/* ---- closing --------------------------------------------------------------------------------------------------- */

void drivers_close(struct instance *in, struct driver_libs *libs)
{
    if (!libs) return;
    for (struct driver_lib *d = libs->first; d;) {
        struct driver_lib *next = d->next;
        if (d->library && log_heard(in))
            log_line(in, LOG_DEBUG | LOG_DRIVER, "Unloading driver library %s", driver_path(d));
        library_close(d->library);
        driver_lib_free(d);
        d = next;
    }
    free(libs);
}

void driver_lib_drop(struct driver_libs *libs, struct driver_lib *lib)
{
    lock_take(); /* another thread may be removing another driver of the instance */
    struct driver_lib **at = &libs->first;
    while (*at != lib) at = &(*at)->next;
    *at = lib->next;
    libs->count--;
    lock_drop();
    /* PHY-050: also closes the library if vkEnumerateInstanceExtensionProperties left it open */
    if (lib->library) library_drop_preloaded(lib->library);
    library_close(lib->library);
    driver_lib_free(lib);
}
