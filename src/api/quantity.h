/*
 * quantity.h - resource.Quantity, exact: parse, compare, add, round, print.
 *
 * The value is a whole number of nano-units in 128 bits (±1.7e29 units). Larger inputs saturate.
 * Source: spec/api.md 15; kubernetes v1.37 apimachinery pkg/api/resource/quantity.go.
 */
#ifndef MST_QUANTITY_H
#define MST_QUANTITY_H

#include "base/err.h"
#include "base/mem.h"

typedef __int128 mst_nano;
typedef enum { MST_DECIMAL_SI, MST_BINARY_SI, MST_DECIMAL_EXPONENT } mst_quantity_format;

struct mst_quantity {
    mst_nano nano;
    mst_quantity_format format;
    bool saturated; /* the text was larger than we can hold */
    /* text that upstream prints as it came, else absent; points into the input */
    struct mst_str kept;
};

/* Errors carry upstream's three texts. `text` must outlive `out->kept`. */
mst_rc mst_quantity_parse(struct mst_str text, struct mst_quantity *out, struct mst_err *err)
    MST_WARN_UNUSED;
/* Canonical text (String() of upstream), at most 64 bytes, into the arena. */
struct mst_str mst_quantity_text(const struct mst_quantity *q, struct mst_arena *arena);
/* Rounded away from zero to whole units / thousandths; saturating at the limits of int64. */
int64_t mst_quantity_value(const struct mst_quantity *q);
int64_t mst_quantity_milli(const struct mst_quantity *q);
/*
 * As AsApproximateFloat64 of upstream gives it for a quantity that an API server wrote, to the last
 * bit: the digits of the text, times a power of ten.
 */
double mst_quantity_approximate(const struct mst_quantity *q);
int mst_quantity_cmp(const struct mst_quantity *a, const struct mst_quantity *b);
/* a += b. A zero `a` adopts b's format. Saturating. */
void mst_quantity_add(struct mst_quantity *a, const struct mst_quantity *b);
void mst_quantity_sub(struct mst_quantity *a, const struct mst_quantity *b);
static inline int mst_quantity_sign(const struct mst_quantity *q)
{
    return (q->nano > 0) - (q->nano < 0);
}

#endif
