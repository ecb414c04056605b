/* hog.c: a library that takes SIZE bytes of the static thread-local storage that is left. */
__thread char hog[SIZE] __attribute__((tls_model("initial-exec")));
char *hog_take(void)
{
    return hog;
}
