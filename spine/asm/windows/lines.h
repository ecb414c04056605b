/* lines.h: the lines of the generated lists that Windows has, for C and the assembler. */
#define ON_LINUX(line)
#define ON_WINDOWS(line) line
#define ON_MACOS(line)

/* A symbol of the assembler that stays in its object file. */
#define LOCAL(name) .L##name
