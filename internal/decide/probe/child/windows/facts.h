/* facts.h: the facts of the running system, as the library reads them. Owner: facts.c. */
#ifndef PROBE_FACTS_H
#define PROBE_FACTS_H

/* Answers the messages of standard input on standard output, until there are none left; returns the exit code. */
int facts_answer(void);

#endif
