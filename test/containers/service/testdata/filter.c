// Starts a program under a filter of system calls: filter NUMBERS PROGRAM [ARGUMENT...]. The filter allows the numbers
// of the list, refuses those after a minus with EPERM and all others with ENOSYS, as systemd does with the calls that
// it does not know.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static struct sock_filter filter[2048];

int main(int argc, char **argv)
{
    unsigned short count = 0;

    if (argc < 3) return 2;
    filter[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (char *word = strtok(argv[1], ","); word != NULL && count < 2040; word = strtok(NULL, ",")) {
        int number = atoi(word);
        unsigned action = *word == '-' ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW;

        filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)abs(number), 0, 1);
        filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
    }
    filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
    struct sock_fprog program = {.len = count, .filter = filter};

    umask(077);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        perror("seccomp");
        return 1;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 1;
}
