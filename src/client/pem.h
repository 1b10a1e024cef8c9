/*
 * pem.h - certificates and keys in PEM, checked before they are used, so that the error says which
 * of them is wrong.
 */
#ifndef MST_PEM_H
#define MST_PEM_H

#include "base/err.h"

/*
 * At least one certificate, and none that is damaged or cut off: libcurl refuses the whole text for
 * one (Go passes over it). What else is in the text is passed over.
 */
mst_rc mst_pem_check_authority(struct mst_str pem, struct mst_err *err) MST_WARN_UNUSED;
/* Such certificates, and the private key that belongs to the first, without a pass phrase. */
mst_rc mst_pem_check_pair(struct mst_str cert_pem, struct mst_str key_pem, struct mst_err *err)
    MST_WARN_UNUSED;

#endif
