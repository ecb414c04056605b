/* service.c: asks the driver service (docs/decisions/022) for the drivers of its machine and for their files. It is
 * asked only where the core finds no driver; whatever it does costs a bounded time and no more than its own drivers.
 *
 * It reads nothing of what is sent but descriptors: the core does. It never waits longer than it says, changes no
 * signal and leaves no descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"
#include "core/facts.h"
#include "process/process.h"

#define ANSWER_MS 1000 /* for the connection and the index */
#define CALL_MS 5000   /* for everything of one call */
#define INDEX_MAX (1 << 20)
#define ANSWER_MAX 1024 /* programs call on small stacks */
#define BESIDE_MAX 4    /* descriptors that a datagram may have; the kernel closes more of them */

#if defined __x86_64__
#define MACHINE "x86_64"
#elif defined __i386__
#define MACHINE "i386"
#elif defined __aarch64__
#define MACHINE "aarch64"
#endif

/* The states of the wire's service record. */
enum state { ANSWERED, NONE, FOREIGN, LATE, ENDED, BREACH, FORBIDDEN };

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
}

/* ---- datagrams -------------------------------------------------------------------------------------------------- */

/* What came with a datagram: the first descriptor, -1 for none, and how many there were. */
struct beside {
    int fd;
    unsigned count;
};

static void take_descriptors(struct msghdr *m, struct beside *b)
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

/* Waits for a datagram; what it says is a text then. */
static enum state receive(struct service *s, char text[ANSWER_MAX], struct beside *b)
{
    for (;;) {
        int64_t left = s->until - now();
        struct pollfd p = {.fd = s->socket, .events = POLLIN};
        int ready = poll(&p, 1, left > 0 ? (int)left : 0);
        if (ready == 0) return LATE;
        if (ready > 0) break;
        if (errno != EINTR) return ENDED;
        if (left <= 0) return LATE;
    }
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(BESIDE_MAX * sizeof(int))];
    } control;
    struct iovec part = {.iov_base = text, .iov_len = ANSWER_MAX - 1};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t size = recvmsg(s->socket, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size < 0) return ENDED;
    take_descriptors(&m, b);
    if (size == 0 && b->count == 0) return ENDED;
    text[size] = '\0';
    return m.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || b->count > 1 ? BREACH : ANSWERED;
}

/* One request and its answer. *fd: the descriptor that came with it, -1 for none. What fails ends the connection. */
static enum state exchange(struct service *s, const char *request, char text[ANSWER_MAX], int *fd)
{
    struct beside b = {.fd = -1};
    enum state state = ENDED;
    ssize_t length = (ssize_t)strlen(request);
    if (send(s->socket, request, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT) == length) state = receive(s, text, &b);
    if (state != ANSWERED) {
        if (b.fd >= 0) close(b.fd);
        b.fd = -1;
        service_end(s);
    }
    *fd = b.fd;
    return state;
}

/* ---- connecting ------------------------------------------------------------------------------------------------- */

/* PRO-008. */
static bool trusted(int socket)
{
    struct ucred who;
    socklen_t size = sizeof who;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return false;
    return who.uid == 0 || (who.uid == geteuid() && !getauxval(AT_SECURE));
}

/* Connects to the socket in a directory. */
static enum state connect_in(struct service *s, const char *directory, const char *below, struct sockaddr_un *at)
{
    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(at->sun_path, sizeof at->sun_path, "%s%s/loader.sock", directory, below);
    if (directory[0] != '/' || length >= (int)sizeof at->sun_path) return NONE;
    s->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->socket < 0) return NONE;
    s->asked = 0;
    if (connect(s->socket, (struct sockaddr *)at, sizeof *at) == 0) {
        if (trusted(s->socket)) return ANSWERED;
        service_end(s);
        return FOREIGN;
    }
    int why = errno;
    service_end(s);
    switch (why) {
    case EAGAIN: return LATE; /* too many others wait */
    case EACCES:
    case EPERM: return FORBIDDEN;
    case EPROTOTYPE: return BREACH;
    default: return NONE;
    }
}

static enum state connect_somewhere(struct service *s, struct sockaddr_un *at)
{
    char *block; /* no copy here */
    const char *told = env_read(VARIABLE_VKLOADERD_DIR, &block);
    if (told && *told) return connect_in(s, told, "", at);
    enum state state = connect_in(s, "/run/vkloaderd", "", at);
    const char *own = state == NONE ? env_read(VARIABLE_XDG_RUNTIME_DIR, &block) : NULL;
    return own ? connect_in(s, own, "/vkloaderd", at) : state;
}

/* ---- what is asked ---------------------------------------------------------------------------------------------- */

/* The text in a file of memory, for free(); NULL: it is none that can be trusted to stay as it is and to be read
 * without waiting, or (then *memory is set) there is no memory. */
static char *read_sealed(int fd, uint32_t *size, bool *memory)
{
    const int wanted = F_SEAL_SHRINK | F_SEAL_WRITE;
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & wanted) != wanted || fstat(fd, &st) != 0 || st.st_size < 0 || st.st_size > INDEX_MAX)
        return NULL;
    char *text = malloc((size_t)st.st_size + 1);
    *memory = text == NULL;
    if (!text) return NULL;
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
    struct sockaddr_un at;
    struct wire_service r = {.status = NONE};
    char answer[ANSWER_MAX];
    char *index = NULL;
    int fd = -1;
    service_end(s);
    s->until = now() + ANSWER_MS;
    enum state state = connect_somewhere(s, &at);
    if (state == ANSWERED)
        state = exchange(s, "{\"id\":1,\"method\":\"machine_drivers\",\"machine\":\"" MACHINE "\"}", answer, &fd);
    s->asked = 1;
    s->until += CALL_MS - ANSWER_MS;
    if (fd >= 0) {
        index = read_sealed(fd, &r.index_len, &w->failed);
        if (!index) state = BREACH;
        r.index = index;
        close(fd);
    }
    if (state != ANSWERED) service_end(s);
    r.status = state;
    if (state != NONE) {
        r.place = at.sun_path;
        r.place_len = (uint32_t)strlen(at.sun_path);
    }
    if (state == ANSWERED) {
        r.answer = answer;
        r.answer_len = (uint32_t)strlen(answer);
    }
    wire_put_service(w, &r);
    free(index);
}

static const char *why_not(enum state state)
{
    switch (state) {
    case LATE: return "the driver service does not answer in time";
    case ENDED: return "the driver service ends the connection";
    default: return "what the driver service sends is not of the protocol";
    }
}

int service_file(struct service *s, uint32_t number, uint32_t size, const char **why)
{
    char text[ANSWER_MAX];
    struct stat st;
    int fd;
    *why = why_not(ENDED);
    if (s->socket < 0) return -1;
    snprintf(text, sizeof text, "{\"id\":%u,\"method\":\"open_file\",\"file\":%u}", ++s->asked, number);
    enum state state = exchange(s, text, text, &fd);
    if (state != ANSWERED) {
        *why = why_not(state);
        return -1;
    }
    if (fd < 0) {
        *why = "the driver service refuses a file";
        return -1;
    }
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == (off_t)size &&
        (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return fd;
    close(fd);
    *why = "what the driver service gives for a file is not the file that its index names";
    return -1;
}
