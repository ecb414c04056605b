/* needed.c: a library that a driver needs, and that no directory of the dynamic linker has. */
int needed(void);

int needed(void)
{
    return 1;
}
