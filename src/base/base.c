/*
 * base.c - what happens when an assertion fails.
 *
 * Not here: errors of the world (err.c). An assertion that fails is a bug of ours, so the process
 *           stops where it stands, with a core to look at, before it can act on a broken state.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void mst_assert_failed(const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    (void)fflush(stderr);
    abort();
}
