/* constructed.c: a library of the program's whose constructor and destructor use Vulkan: the program's function
 * within_constructor. */
extern void within_constructor(void);

__attribute__((constructor)) static void begin(void)
{
    within_constructor();
}

__attribute__((destructor)) static void end(void)
{
    within_constructor();
}
