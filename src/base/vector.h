/*
 * vector.h - loops over columns that are compiled twice, for wider registers too.
 */
#ifndef MST_VECTOR_H
#define MST_VECTOR_H

#include "base/mem.h"

/*
 * A second clone of the function for processors with AVX2, chosen when the program is loaded. Both
 * clones compute the same: AVX2 alone brings no fused multiply-add. Sanitizers run before the
 * choice is possible, so they get one version.
 *
 * Only for static functions, whose names must not be used twice in the program: clang 14 gives the
 * choosing function a name that the linker sees, and calls from other files do not find the clones.
 */
#if defined(__x86_64__) && !defined(MST_ASAN) && !defined(__SANITIZE_THREAD__) &&                  \
    !defined(MST_NO_CLONES)
#define MST_VECTOR __attribute__((target_clones("avx2", "default")))
#else
#define MST_VECTOR __attribute__((noinline))
#endif

#endif
