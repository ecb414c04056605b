/* client.c: asks the driver service (docs/rationale.md) for drivers that fit the machine, and for their files. The core
 * calls the service only if it finds no driver. A faulty service costs an API call a bounded time, and can spoil only
 * its own drivers.
 *
 * client.c does not parse an answer's text; the core does. It waits no longer than the limits below, changes no signal
 * and leaves no descriptor open. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "gen/zwire.h"
#include "service/service.h"

#define ANSWER_MS 1000 /* milliseconds, for connecting and for the index */
#define CALL_MS 5000   /* milliseconds, for all requests of one API call */
#define REST_MS 5000   /* milliseconds, during which a late service is not asked again */
#define INDEX_MAX (1 << 20)
#define ANSWER_MAX 1024 /* bytes; kept small, because programs call on small stacks */
#define PATH_MAX_ASKED 512
#define MACHINES "/run/vkloaderd"
#define BESIDE_MAX 4 /* descriptors received with a datagram; the kernel closes more of them */

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void service_end(struct service *s)
{
    if (s->socket >= 0) close(s->socket);
    s->socket = -1;
    s->ahead_count = 0;
}

/* ---- a service that does not answer ----------------------------------------------------------------------------- */

/* The socket of a service that was late, and the time until which it is not asked again, so that a program with twenty
 * calls waits once. Guarded by the lock. */
static struct {
    char place[sizeof((struct service *)0)->place];
    int64_t until;
} late;

static void note_late(const struct service *s)
{
    int64_t until = now() + REST_MS;
    lock_take();
    memcpy(late.place, s->place, sizeof late.place);
    late.until = until;
    lock_drop();
}

static bool is_resting(const struct service *s)
{
    int64_t time = now();
    lock_take();
    bool yes = time < late.until && strcmp(late.place, s->place) == 0;
    lock_drop();
    return yes;
}

/* ---- datagrams -------------------------------------------------------------------------------------------------- */

/* The descriptors of a datagram: the first one, or -1, and their number. The others are closed. */
struct descriptors {
    int fd;
    unsigned count;
};

static void take_descriptors(struct msghdr *m, struct descriptors *b)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        for (size_t at = 0; at + sizeof(int) <= c->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + at, sizeof fd);
            if (b->count++)
                close(fd);
            else
                b->fd = fd;
        }
    }
}

/* Waits until a datagram has arrived or the connection has ended. */
static enum wire_service_state await(const struct service *s)
{
    for (;;) {
        int64_t left = s->until - now();
        struct pollfd p = {.fd = s->socket, .events = POLLIN};
        int ready = poll(&p, 1, left > 0 ? (int)left : 0);
        if (ready == 0) return WIRE_SERVICE_LATE;
        if (ready > 0) return WIRE_SERVICE_ANSWERED;
        if (errno != EINTR) return WIRE_SERVICE_ENDED;
        if (left <= 0) return WIRE_SERVICE_LATE;
    }
}

/* Receives a datagram, waiting if there is none yet. text: its text. */
static enum wire_service_state receive(struct service *s, char text[ANSWER_MAX], struct descriptors *b)
{
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(BESIDE_MAX * sizeof(int))];
    } control;
    struct iovec part = {.iov_base = text, .iov_len = ANSWER_MAX - 1};
    struct msghdr m;
    ssize_t size;
    for (bool waited = false;; waited = true) {
        m = (struct msghdr){
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        size = recvmsg(s->socket, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (size >= 0) break;
        if (waited || (errno != EAGAIN && errno != EWOULDBLOCK)) return WIRE_SERVICE_ENDED;
        enum wire_service_state state = await(s);
        if (state != WIRE_SERVICE_ANSWERED) return state;
    }
    take_descriptors(&m, b);
    if (size == 0 && b->count == 0) return WIRE_SERVICE_ENDED;
    text[size] = '\0';
    return m.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || b->count > 1 ? WIRE_SERVICE_BREACH : WIRE_SERVICE_ANSWERED;
}

static bool send_request(struct service *s, const char *request)
{
    ssize_t length = (ssize_t)strlen(request);
    return send(s->socket, request, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT) == length;
}

/* Waits for the answer to a request, if it was sent. *fd: the answer's descriptor, or -1. A failure ends the
 * connection. */
static enum wire_service_state take(struct service *s, bool sent, char text[ANSWER_MAX], int *fd)
{
    struct descriptors b = {.fd = -1};
    enum wire_service_state state = sent ? receive(s, text, &b) : WIRE_SERVICE_ENDED;
    if (state == WIRE_SERVICE_LATE) note_late(s);
    if (state != WIRE_SERVICE_ANSWERED) {
        if (b.fd >= 0) close(b.fd);
        b.fd = -1;
        service_end(s);
    }
    *fd = b.fd;
    return state;
}

static enum wire_service_state exchange(struct service *s, const char *request, char text[ANSWER_MAX], int *fd)
{
    return take(s, send_request(s, request), text, fd);
}

/* ---- connecting ------------------------------------------------------------------------------------------------- */

static enum wire_service_state state_of_error(int error)
{
    switch (error) {
    case EAGAIN: return WIRE_SERVICE_LATE; /* the queue of connections is full */
    case EACCES:
    case EPERM: return WIRE_SERVICE_FORBIDDEN;
    case EPROTOTYPE: return WIRE_SERVICE_BREACH;
    default: return WIRE_SERVICE_NONE;
    }
}

/* Resolves the links in the socket's path, so that owner_counts checks the path that is connected to. Returns false,
 * with errno, if the path leads to no file. The room for realpath is allocated here, because programs may have a
 * realpath of another library that requires it. */
static bool real_path(const struct service *s, struct sockaddr_un *out)
{
    char *room = malloc(PATH_MAX), *real = room ? realpath(s->place, room) : NULL;
    int error = errno;
    bool fits = real && strlen(real) < sizeof out->sun_path;
    if (fits) memcpy(out->sun_path, real, strlen(real) + 1);
    free(room);
    errno = real ? ENAMETOOLONG : error;
    return fits;
}

/* Connects to the socket in a directory. */
static enum wire_service_state connect_in(struct service *s, const char *directory, const char *below)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int length = snprintf(s->place, sizeof s->place, "%s%s/loader.sock", directory, below);
    if (directory[0] != '/' || length >= (int)sizeof s->place) return WIRE_SERVICE_NONE;
    if (is_resting(s)) return WIRE_SERVICE_RESTING;
    if (!real_path(s, &at)) return state_of_error(errno);
    s->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->socket < 0) return WIRE_SERVICE_NONE;
    bool there = connect(s->socket, (struct sockaddr *)&at, sizeof at) == 0;
    enum wire_service_state state = there ? WIRE_SERVICE_ANSWERED : state_of_error(errno);
    /* PRO-008: the library opens files through /proc/self/fd, and accepts a service by the owners of its path */
    if (there && access("/proc/self/fd", F_OK) != 0)
        state = WIRE_SERVICE_NO_PROC;
    else if (there && !owner_counts(at.sun_path))
        state = WIRE_SERVICE_FOREIGN;
    if (state != WIRE_SERVICE_ANSWERED) service_end(s);
    return state;
}

/* Connects to the service in the directory of VKLOADERD_DIR. Without the variable: to the machine's service, or else to
 * the user's. */
static enum wire_service_state connect_service(struct service *s)
{
    char *block; /* env_read makes no copy on this system */
    service_end(s);
    /* PRO-008: such a program loads only the system's libraries */
    if (process_elevated()) return WIRE_SERVICE_NONE;
    const char *told = env_read(VARIABLE_VKLOADERD_DIR, &block);
    s->until = now() + ANSWER_MS;
    if (told && *told) return connect_in(s, told, "");
    enum wire_service_state state = connect_in(s, MACHINES, "");
    const char *own = NULL;
    if (state == WIRE_SERVICE_NONE || state == WIRE_SERVICE_FOREIGN) own = env_read(VARIABLE_XDG_RUNTIME_DIR, &block);
    if (!own) return state;
    enum wire_service_state instead = connect_in(s, own, "/vkloaderd");
    if (instead != WIRE_SERVICE_NONE || state == WIRE_SERVICE_NONE) return instead;
    snprintf(s->place, sizeof s->place, MACHINES "/loader.sock");
    return state; /* otherwise the rejection of the first service would not be reported */
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

/* Returns the text of a sealed memory file, for free(). NULL: the file could change or block a read, or (with *memory
 * set) no memory. */
static char *read_sealed(int fd, uint32_t *size, bool *memory)
{
    const int wanted = F_SEAL_SHRINK | F_SEAL_WRITE;
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & wanted) != wanted || fstat(fd, &st) != 0 || st.st_size < 0 || st.st_size > INDEX_MAX)
        return NULL;
    char *text = malloc((size_t)st.st_size + 1);
    if (!text) {
        *memory = true;
        return NULL;
    }
    size_t got = 0;
    while (got < (size_t)st.st_size) {
        ssize_t more = pread(fd, text + got, (size_t)st.st_size - got, (off_t)got);
        if (more <= 0) {
            free(text);
            return NULL;
        }
        got += (size_t)more;
    }
    *size = (uint32_t)got;
    return text;
}

void read_service(struct wire_writer *w, struct service *s)
{
    struct wire_service r = {.status = WIRE_SERVICE_NONE};
    char answer[ANSWER_MAX];
    char *index = NULL;
    int fd = -1;
    enum wire_service_state state = connect_service(s);
    if (state == WIRE_SERVICE_ANSWERED)
        state = exchange(s, "{\"id\":1,\"method\":\"machine_drivers\",\"machine\":\"" VKL_MACHINE "\"}", answer, &fd);
    s->asked = 1;
    s->until += CALL_MS - ANSWER_MS;
    if (fd >= 0) {
        index = read_sealed(fd, &r.index_len, &w->failed);
        if (!index) state = WIRE_SERVICE_BREACH;
        r.index = index;
        close(fd);
    }
    if (state != WIRE_SERVICE_ANSWERED) service_end(s);
    r.status = state;
    if (state != WIRE_SERVICE_NONE) {
        r.place = s->place;
        r.place_len = (uint32_t)strlen(s->place);
    }
    if (state == WIRE_SERVICE_ANSWERED) {
        r.answer = answer;
        r.answer_len = (uint32_t)strlen(answer);
    }
    wire_put_service(w, &r);
    free(index);
}

static const char *state_text(enum wire_service_state state)
{
    switch (state) {
    case WIRE_SERVICE_LATE: return "the driver service does not answer in time";
    case WIRE_SERVICE_ENDED: return "the driver service ends the connection";
    default: return "what the driver service sends is not of the protocol";
    }
}

static bool is_ahead(const struct service *s, uint32_t number)
{
    for (uint32_t i = 0; i < s->ahead_count; i++)
        if (s->ahead[i] == number) return true;
    return false;
}

/* Takes the answer to the oldest request without one. */
static enum wire_service_state take_first(struct service *s, int *fd)
{
    char text[ANSWER_MAX];
    s->ahead_count--;
    memmove(s->ahead, s->ahead + 1, s->ahead_count * sizeof s->ahead[0]);
    return take(s, true, text, fd);
}

void service_ahead(struct service *s, uint32_t number)
{
    char text[64];
    if (s->socket < 0 || s->ahead_count == SERVICE_AHEAD_MAX) return;
    snprintf(text, sizeof text, "{\"id\":%u,\"method\":\"open_file\",\"file\":%u}", ++s->asked, number);
    if (send_request(s, text)) s->ahead[s->ahead_count++] = number;
}

/* Reads answers until that to request number. *fd is the file that comes with it, or -1. */
static enum wire_service_state take_file(struct service *s, uint32_t number, int *fd)
{
    enum wire_service_state state = WIRE_SERVICE_ANSWERED;
    /* makes room by dropping the answers to earlier requests */
    while (!is_ahead(s, number) && state == WIRE_SERVICE_ANSWERED) {
        uint32_t before = s->ahead_count;
        service_ahead(s, number);
        if (s->ahead_count > before) break;
        if (!before) return WIRE_SERVICE_ENDED;
        state = take_first(s, fd);
        if (*fd >= 0) close(*fd);
    }
    while (state == WIRE_SERVICE_ANSWERED) {
        bool wanted = s->ahead[0] == number;
        state = take_first(s, fd);
        if (wanted) return state;
        if (*fd >= 0) close(*fd);
    }
    *fd = -1;
    return state;
}

int service_file(struct service *s, uint32_t number, uint32_t size, struct file_identity *identity, const char **why)
{
    struct stat st;
    int fd = -1;
    enum wire_service_state state = s->socket < 0 ? WIRE_SERVICE_ENDED : take_file(s, number, &fd);
    if (state != WIRE_SERVICE_ANSWERED) {
        *why = state_text(state);
        return -1;
    }
    if (fd < 0) {
        *why = "the driver service refuses a file";
        return -1;
    }
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == (off_t)size &&
        (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY && file_identify_open(fd, identity))
        return fd;
    close(fd);
    *why = "what the driver service gives for a file is not the file that its index names";
    return -1;
}

/* Reports whether a path needs no escaping in a request. */
static bool is_plain(const char *path)
{
    size_t length = 0;
    for (; path[length]; length++)
        if ((unsigned char)path[length] <= ' ' || path[length] == '"' || path[length] == '\\') return false;
    return length <= PATH_MAX_ASKED;
}

int service_device(const char *path)
{
    struct service s = {.socket = -1};
    char text[ANSWER_MAX];
    int fd = -1;
    if (!is_plain(path) || connect_service(&s) != WIRE_SERVICE_ANSWERED) return -1;
    if (*path)
        snprintf(text, sizeof text, "{\"id\":1,\"method\":\"open_device\",\"path\":\"%s\"}", path);
    else
        snprintf(text, sizeof text, "{\"id\":1,\"method\":\"connect_device_fs\"}");
    exchange(&s, text, text, &fd);
    service_end(&s);
    return fd;
}
