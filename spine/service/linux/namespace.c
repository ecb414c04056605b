/* namespace.c: gives a driver of the service a function that opens devices, because its program may not see /dev
 * (PRO-051, PRO-052). The function opens files of the service's device tree, and other files that the program itself
 * may open.
 *
 * Drivers call it on any thread. It has no state, and the driver owns the descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/service.h"

#define DEVICES "/loader-gpu-devices"

typedef VkResult (*open_function)(const char *path, uint32_t slot);

/* Opens a file that the program sees. Returns -1 with errno. It never waits for the other end of a pipe. */
static int open_path(const char *path)
{
    const int flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int fd = open(path, O_RDWR | flags);
    if (fd < 0 && errno != ENXIO) fd = open(path, O_RDONLY | flags);
    if (fd >= 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

static bool connect_slot(const char *path, int slot)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (snprintf(at.sun_path, sizeof at.sun_path, "%s", path) >= (int)sizeof at.sun_path) return false;
    return connect(slot, (struct sockaddr *)&at, sizeof at) == 0;
}

/* Opens the file for a slot. Returns -1 on failure with the reason in *why, or with *done set if the slot is now
 * connected to a socket. */
static int open_what(const char *path, int slot, bool *done, const char **why)
{
    const size_t length = strlen(DEVICES);
    int fd;
    *why = "the driver service gives no such device";
    if (strncmp(path, DEVICES, length) == 0) { /* FLS-129: the service's directory of devices, and files below it */
        if (path[length] == '\0') return service_device("");
        if (path[length] == '/') return service_device(path + length + 1);
        return -1;
    }
    fd = open_path(path);
    *done = fd < 0 && errno == ENXIO && connect_slot(path, slot);
    *why = fd < 0 ? strerror(errno) : NULL;
    return fd;
}

/* Replaces the driver's descriptor slot by a descriptor of the file at the path; for a socket, by a connection to it.
 */
static VkResult open_in_namespace(const char *path, uint32_t slot)
{
    const char *why = "its descriptor is none";
    bool done = false;
    int fd = -1, cancel = cancel_off();
    if (slot <= INT32_MAX && fcntl((int)slot, F_GETFD) >= 0) fd = open_what(path, (int)slot, &done, &why);
    if (fd >= 0) {
        done = dup3(fd, (int)slot, O_CLOEXEC) >= 0;
        close(fd);
    }
    cancel_on(cancel);
    if (done) return VK_SUCCESS;
    log_line(NULL, LOG_WARN | LOG_DRIVER, "A driver of the driver service cannot open %s: %s", path, why);
    return VK_ERROR_INITIALIZATION_FAILED;
}

void namespace_offer(void *handle)
{
    VkResult (*take)(open_function) = gate_dlsym(handle, "vk_icdInitializeOpenInNamespaceCallback");
    if (take && !code_is_own((void *)take)) take(open_in_namespace);
}
