/* program.c: uses the dynamic linker and the C library of macOS, and prints the results. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mach-o/dyld.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int (*count)(void);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *thread(void *unused)
{
    (void)unused;
    printf("thread: %d\n", count());
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    return "joined";
}

static void threads(void)
{
    pthread_t t;
    void *value;
    const struct timespec moment = {.tv_nsec = 1000000};
    pthread_mutex_lock(&mutex);
    printf("wait: %d\n", pthread_cond_timedwait_relative_np(&cond, &mutex, &moment) == ETIMEDOUT);
    pthread_create(&t, NULL, thread, NULL);
    while (!ready) pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, &value);
    printf("%s\n", (const char *)value);
}

static void files(const char *directory)
{
    struct stat s;
    char path[1024];
    snprintf(path, sizeof path, "%s/file", directory);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    printf("write: %d\n", (int)write(fd, "text", 4));
    printf("stat: %d %d %o\n", fstat(fd, &s), (int)s.st_size, (unsigned)s.st_mode);
    close(fd);
    errno = 0;
    fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0640);
    printf("again: %d\n", errno == EEXIST);
    errno = 0;
    open(path, O_RDONLY | O_DIRECTORY);
    printf("directory: %d\n", errno == ENOTDIR);
    memset(path, 'x', 600);
    path[600] = 0;
    printf("long name: %d %d\n", stat(path, &s), errno == ENAMETOOLONG);
    DIR *d = opendir(directory);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') printf("entry: %s %d\n", e->d_name, e->d_type == DT_REG);
    closedir(d);
}

int main(int argc, char **argv)
{
    char path[1024];
    uint32_t size = sizeof path;
    Dl_info info;
    printf("arguments: %d %s\n", argc, argv[2]);
    printf("path: %d %s\n", _NSGetExecutablePath(path, &size), strrchr(path, '/') + 1);
    void *a = dlopen("@rpath/liblibrary.dylib", RTLD_NOW), *b = dlopen("@executable_path/liblibrary.dylib", RTLD_NOW);
    if (!a) return printf("dlopen: %s\n", dlerror()), 1;
    count = (int (*)(void))dlsym(a, "library_count");
    const char *(*word)(int) = (const char *(*)(int))dlsym(a, "library_word");
    printf("same: %d, word %s, count %d %d\n", a == b, word(1), count(), count());
    printf("dladdr: %d %s %d\n", dladdr((void *)word, &info), info.dli_sname, info.dli_saddr == (void *)word);
    printf("images: %d\n", (int)_dyld_image_count());
    threads();
    files(argv[1]);
    printf("close: %d", dlclose(b));
    printf(", still there %d\n", dlopen("@rpath/liblibrary.dylib", RTLD_NOW | RTLD_NOLOAD) == a);
    dlclose(a);
    printf("close: %d\n", dlclose(a));
    printf("gone: %d\n", dlopen("@rpath/liblibrary.dylib", RTLD_NOW | RTLD_NOLOAD) == NULL);
    return 7;
}
