/* configuration.c: the device configurations of a settings file, which select and order the physical devices of an
 * instance (SET-93 to SET-107).
 *
 * It does not read the settings file: the core has put the configurations into the instance's plan (SET-11). */
#include <stdlib.h>
#include <string.h>

#include "gen/zwire.h"
#include "physdev/list.h"

#define UUID_TEXT 37

struct configuration {
    const uint8_t *device_uuid, *driver_uuid; /* in the bytes of the plan, which the instance's layer list owns */
    uint32_t driver_version;
    const char *device_name, *driver_name; /* NULL: not given */
};

struct configurations {
    uint32_t count;
    struct configuration entry[];
};

VkResult configurations_read(struct instance *instance, const struct plan *plan)
{
    struct wire_reader reader;
    struct wire_record record;
    struct wire_device_configs head;
    struct wire_device_config config;
    struct configurations *list = NULL;
    uint32_t room = 0;
    wire_open(&reader, plan->bytes, plan->size);
    while (wire_next(&reader, &record)) {
        if (wire_get_device_configs(&record, &head) && !list) {
            list = array_new(sizeof *list, head.count, sizeof list->entry[0]);
            if (!list) return VK_ERROR_OUT_OF_HOST_MEMORY;
            room = head.count;
        } else if (list && list->count < room && wire_get_device_config(&record, &config) &&
                   config.device_uuid_len == VK_UUID_SIZE && config.driver_uuid_len == VK_UUID_SIZE) {
            list->entry[list->count++] = (struct configuration){.device_uuid = (const uint8_t *)config.device_uuid,
                                                                .driver_uuid = (const uint8_t *)config.driver_uuid,
                                                                .driver_version = config.driver_version,
                                                                .device_name = config.device_name,
                                                                .driver_name = config.driver_name};
        }
    }
    instance->configurations = list;
    return VK_SUCCESS;
}

void configurations_free(struct instance *instance)
{
    free(instance->configurations);
}

/* ---- identity of a device -------------------------------------------------------------------------------------- */

struct identity {
    bool comparable; /* the device is of version 1.1, and the driver can return its UUIDs (SET-94) */
    bool visible;
    VkPhysicalDeviceProperties properties;
    uint8_t device_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE];
    char driver_name[VK_MAX_DRIVER_NAME_SIZE]; /* empty: the driver does not return it (SET-101) */
};

static bool names_its_driver(const struct physdev *device, uint32_t version)
{
    if (version_reaches(version, 2)) return true;
    PFN_vkEnumerateDeviceExtensionProperties list = driver_fn(device->driver, vkEnumerateDeviceExtensionProperties);
    uint32_t count;
    VkExtensionProperties *ext;
    if (!list || !is_list_result(device_extensions(device->driver, list, driver_physdev(device), NULL, &count, &ext)))
        return false;
    bool found = extension_listed(ext, count, "VK_KHR_driver_properties");
    free(ext);
    return found;
}

/* Reads what configurations may match. name: also the driver's name. */
static void identify(const struct physdev *device, bool name, struct identity *out)
{
    VkPhysicalDevice handle = driver_physdev(device);
    driver_fn(device->driver, vkGetPhysicalDeviceProperties)(handle, &out->properties);
    out->properties.deviceName[sizeof out->properties.deviceName - 1] = 0;
    PFN_vkGetPhysicalDeviceProperties2 ask = driver_fn(device->driver, vkGetPhysicalDeviceProperties2);
    if (!ask) ask = driver_fn(device->driver, vkGetPhysicalDeviceProperties2KHR);
    out->comparable = ask && version_reaches(out->properties.apiVersion, 1);
    if (!out->comparable) return;
    name = name && names_its_driver(device, out->properties.apiVersion);
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
                                       .pNext = name ? &driver : NULL};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
    ask(handle, &properties);
    memcpy(out->device_uuid, id.deviceUUID, VK_UUID_SIZE);
    memcpy(out->driver_uuid, id.driverUUID, VK_UUID_SIZE);
    memcpy(out->driver_name, driver.driverName, sizeof out->driver_name);
    out->driver_name[sizeof out->driver_name - 1] = 0;
}

/* How well a device matches a configuration, from best to worst (SET-94, SET-95). */
enum likeness { LIKE_ALL, LIKE_BOTH_UUIDS, LIKE_DEVICE_UUID, LIKE_NAME, LIKE_NONE };

static bool same_uuid(const uint8_t *a, const uint8_t *b)
{
    return memcmp(a, b, VK_UUID_SIZE) == 0;
}

static bool matches(const struct configuration *c, const struct identity *device, enum likeness how)
{
    if (!device->comparable) return false;
    switch (how) {
    case LIKE_ALL: return device->properties.driverVersion == c->driver_version && matches(c, device, LIKE_BOTH_UUIDS);
    case LIKE_BOTH_UUIDS:
        return same_uuid(device->device_uuid, c->device_uuid) && same_uuid(device->driver_uuid, c->driver_uuid);
    case LIKE_DEVICE_UUID: return same_uuid(device->device_uuid, c->device_uuid);
    default: return c->device_name && strcmp(device->properties.deviceName, c->device_name) == 0;
    }
}

/* ---- choosing -------------------------------------------------------------------------------------------------- */

static const char *uuid_text(const uint8_t *uuid, char text[UUID_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    char *to = text;
    for (int i = 0; i < (int)VK_UUID_SIZE; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *to++ = '-';
        *to++ = digits[uuid[i] >> 4];
        *to++ = digits[uuid[i] & 15];
    }
    *to = 0;
    return text;
}

/* SET-102: a warning for each device configuration that no device matches. */
static void log_absent(struct instance *instance, const struct configuration *c)
{
#define ABSENT                                                                                                         \
    "loader_apply_settings_device_configurations: settings file contained device_configuration which does not appear in the enumerated VkPhysicalDevices. Missing VkPhysicalDevice with "
    char device[UUID_TEXT], driver[UUID_TEXT];
    uuid_text(c->device_uuid, device);
    uuid_text(c->driver_uuid, driver);
    int version = (int)c->driver_version;
    if (c->device_name && c->driver_name)
        log_line(instance, LOG_WARN,
                 ABSENT "deviceName: \"%s\", deviceUUID: %s, driverName: %s, driverUUID: %s, driverVersion: %d",
                 c->device_name, device, c->driver_name, driver, version);
    else if (c->device_name)
        log_line(instance, LOG_WARN, ABSENT "deviceName: \"%s\", deviceUUID: %s, driverUUID: %s, driverVersion: %d",
                 c->device_name, device, driver, version);
    else
        log_line(instance, LOG_WARN, ABSENT "deviceUUID: %s, driverUUID: %s, driverVersion: %d", device, driver,
                 version);
}

static VkResult none_matches(struct instance *instance)
{
    log_line(
        instance, LOG_WARN,
        "loader_apply_settings_device_configurations: None of the settings file device configurations had deviceUUID's that corresponded to enumerated VkPhysicalDevices. Returning VK_ERROR_INITIALIZATION_FAILED");
    return VK_ERROR_INITIALIZATION_FAILED; /* SET-97: when no configuration matches a device */
}

/* Returns the device for a configuration, or NULL. A device that matches exactly may already have been chosen for
 * another configuration; any other must not. A match by the device's UUID alone, or by the name, must be the only one
 * (SET-95). */
static struct identity *matching(const struct configuration *c, struct identity *identity, uint32_t count,
                                 enum likeness how)
{
    struct identity *found = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!matches(c, &identity[i], how) || (how != LIKE_ALL && identity[i].visible)) continue;
        if (how <= LIKE_BOTH_UUIDS) return &identity[i];
        if (found) return NULL;
        found = &identity[i];
    }
    return found;
}

/* The devices of an enumeration, and those chosen for the configurations. */
struct choice {
    struct identity *identity; /* of each device */
    struct identity **chosen;  /* for each configuration; NULL: none */
    uint32_t found;            /* configurations that have a device */
};

static void choice_free(struct choice *c)
{
    free(c->identity);
    free(c->chosen);
}

/* Chooses devices for the configurations and marks them visible. name: also read the drivers' names. Returns false
 * without memory. */
static bool choose(const struct configurations *list, struct physdev *const *device, uint32_t count, bool name,
                   struct choice *c)
{
    *c = (struct choice){calloc(count ? count : 1, sizeof *c->identity),
                         calloc(list->count ? list->count : 1, sizeof(struct identity *)), 0};
    if (!c->identity || !c->chosen) {
        choice_free(c);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) identify(device[i], name, &c->identity[i]);
    for (enum likeness how = LIKE_ALL; how < LIKE_NONE; how++) {
        for (uint32_t i = 0; i < list->count; i++) {
            if (c->chosen[i]) continue;
            c->chosen[i] = matching(&list->entry[i], c->identity, count, how);
            if (!c->chosen[i]) continue;
            c->chosen[i]->visible = true;
            c->found++;
        }
    }
    return true;
}

/* Warns of a configuration whose device does not match exactly, and names the members that differ. */
static void log_inexact(struct instance *instance, const struct configuration *c, const struct identity *device)
{
    if (matches(c, device, LIKE_ALL)) return;
    char text[UUID_TEXT], driver[UUID_TEXT];
    bool card = same_uuid(device->device_uuid, c->device_uuid), same = same_uuid(device->driver_uuid, c->driver_uuid);
    bool version = device->properties.driverVersion == c->driver_version;
    log_line(
        instance, LOG_WARN,
        "loader_apply_settings_device_configurations: settings file contained device_configuration which matches no VkPhysicalDevice exactly: deviceName: \"%s\", deviceUUID: %s, driverUUID: %s, driverVersion: %d. Using VkPhysicalDevice \"%s\", whose%s%s%s differs",
        c->device_name ? c->device_name : "", uuid_text(c->device_uuid, text), uuid_text(c->driver_uuid, driver),
        (int)c->driver_version, device->properties.deviceName, card ? "" : " deviceUUID", same ? "" : " driverUUID",
        version ? "" : " driverVersion");
}

VkResult configurations_devices(struct instance *instance, struct physdev *const *device, uint32_t available,
                                uint32_t *count, VkPhysicalDevice *out)
{
    const struct configurations *list = instance->configurations;
    if (!out) { /* SET-96: the smaller of the two numbers */
        *count = list->count < available ? list->count : available;
        return VK_SUCCESS;
    }
    struct choice choice;
    uint32_t written = 0;
    if (!choose(list, device, available, true, &choice)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    log_line(instance, LOG_INFO,
             "Selecting and ordering VkPhysicalDevices to match the loader settings device configurations list");
    for (uint32_t i = 0; i < list->count; i++) {
        const struct identity *match = choice.chosen[i];
        if (!match) {
            log_absent(instance, &list->entry[i]);
            continue;
        }
        log_inexact(instance, &list->entry[i], match);
        if (written == *count) continue;
        out[written] = (VkPhysicalDevice)device[match - choice.identity];
        if (*match->driver_name) /* SET-101, with the space at the end */
            log_line(instance, LOG_DEBUG, "pPhysicalDevices array index %d is set to \"%s\" (%s, version %d) ",
                     (int)written, match->properties.deviceName, match->driver_name,
                     (int)match->properties.driverVersion);
        else
            log_line(instance, LOG_DEBUG, "pPhysicalDevices array index %d is set to \"%s\" (driver version %d) ",
                     (int)written, match->properties.deviceName, (int)match->properties.driverVersion);
        written++;
    }
    for (uint32_t i = 0; i < available; i++)
        if (!choice.identity[i].visible)
            log_line(
                instance, LOG_INFO,
                "VkPhysicalDevice \"%s\" did not appear in the settings file device configurations list, so was not added to the pPhysicalDevices array",
                choice.identity[i].properties.deviceName);
    choice_free(&choice);
    if (!choice.found) return none_matches(instance);
    *count = written;
    return choice.found > written ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult configurations_groups(struct instance *instance, struct physdev *const *device, uint32_t available,
                               VkPhysicalDeviceGroupProperties *group, uint32_t *count)
{
    const struct configurations *list = instance->configurations;
    struct choice choice;
    uint32_t kept = 0;
    if (!choose(list, device, available, false, &choice)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t g = 0; choice.found && g < *count; g++) {
        bool visible = true;
        for (uint32_t m = 0; m < group[g].physicalDeviceCount && visible; m++) {
            visible = false;
            for (uint32_t i = 0; i < available && !visible; i++)
                visible = choice.identity[i].visible && (VkPhysicalDevice)device[i] == group[g].physicalDevices[m];
        }
        if (visible)
            group[kept++] = group[g];
        else
            log_line(
                instance, LOG_INFO,
                "terminator_EnumeratePhysicalDeviceGroups: Physical device group %d contains a VkPhysicalDevice which the settings file device configurations exclude, so the group was not reported.",
                (int)g); /* SET-103: a group with a hidden device is dropped */
    }
    choice_free(&choice);
    if (!choice.found) return none_matches(instance); /* SET-106: the same error as for devices */
    *count = kept;
    return VK_SUCCESS;
}
