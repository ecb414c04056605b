/* constructed.c: a library of the program. Its constructor and destructor call the program's function
 * within_constructor, which uses Vulkan. */
extern void within_constructor(void);

__attribute__((constructor)) static void begin(void)
{
    within_constructor();
}

__attribute__((destructor)) static void end(void)
{
    within_constructor();
}
