/* hog.c: a library that uses SIZE bytes of the remaining static thread-local storage. */
__thread char hog[SIZE] __attribute__((tls_model("initial-exec")));
char *hog_take(void)
{
    return hog;
}
