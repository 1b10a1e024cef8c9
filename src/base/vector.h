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
 */
#if defined(__x86_64__) && !defined(MST_ASAN) && !defined(__SANITIZE_THREAD__) &&                  \
    !defined(MST_NO_CLONES)
#define MST_VECTOR __attribute__((target_clones("avx2", "default")))
#else
#define MST_VECTOR __attribute__((noinline))
#endif

#endif
