/* lists.h: lists of parameters for registers.h. */
#ifndef VKL_LISTS_H
#define VKL_LISTS_H

#define INTEGERS_3 , intptr_t b, intptr_t c, intptr_t d
#define INTEGERS_5 INTEGERS_3, intptr_t e, intptr_t f
#define INTEGERS_7 INTEGERS_5, intptr_t g, intptr_t h
#define PASSED_3 , b, c, d
#define PASSED_5 PASSED_3, e, f
#define PASSED_7 PASSED_5, g, h
#define FLOATS_4 , double s, double t, double u, double v
#define FLOATS_8 FLOATS_4, double w, double x, double y, double z
#define FLOATED_4 , s, t, u, v
#define FLOATED_8 FLOATED_4, w, x, y, z

#endif
