/* lines.h: the lines of the generated lists that macOS has, for C and the assembler. */
#define ON_LINUX(line)
#define ON_WINDOWS(line)
#define ON_MACOS(line) line

/* A symbol of the assembler that stays in its object file. */
#define LOCAL(name) L##name
