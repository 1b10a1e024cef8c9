/*
 * names.h - the syntax of names: DNS labels and subdomains, label keys and values, ports.
 *
 * Source: kubernetes v1.37 apimachinery pkg/api/validate/content and pkg/util/validation.
 */
#ifndef MST_NAMES_H
#define MST_NAMES_H

#include "base/base.h"

typedef enum {
    MST_NAME_LABEL,     /* DNS-1123 label */
    MST_NAME_SUBDOMAIN, /* DNS-1123 subdomain */
    MST_NAME_LABEL_KEY, /* [subdomain/]name; also called a qualified name */
    MST_NAME_LABEL_VALUE,
    MST_NAME_PORT, /* of a container port */
    MST_NAME_PATH_SEGMENT,
} mst_name_rule;

/* The same rule is worded differently by upstream's hand-written and its generated validation. */
typedef enum { MST_LENGTH_IN_CHARACTERS, MST_LENGTH_IN_BYTES } mst_length_word;

enum { MST_NAME_TEXTS_MAX = 5 };
struct mst_name_texts {
    const char *v[MST_NAME_TEXTS_MAX];
    uint32_t n;
};

/* What is wrong with `text`, in upstream's words and order; nothing when it is fine. */
struct mst_name_texts mst_name_check(mst_name_rule rule, mst_length_word word, struct mst_str text);
static inline bool mst_name_ok(mst_name_rule rule, struct mst_str text)
{
    return mst_name_check(rule, MST_LENGTH_IN_BYTES, text).n == 0;
}

/* A resource that is neither Kubernetes' own nor a quota name, e.g. "nvidia.com/gpu". */
bool mst_name_is_extended(struct mst_str resource);

#endif
