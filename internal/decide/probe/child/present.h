/* present.h: see present.c. */
#ifndef PROBE_PRESENT_H
#define PROBE_PRESENT_H

/* Shows frames on a headless surface, and in a window where there is an X display. */
void present(void);

#endif
