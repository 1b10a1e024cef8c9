/*
 * curl_help.h - what our users of libcurl have in common.
 */
#ifndef MST_CURL_HELP_H
#define MST_CURL_HELP_H

#include <curl/curl.h>

#include "base/mem.h"

/* Every option is one that libcurl 7.85 knows; failing to set one is a bug or no memory. */
#define MST_CURL_SET(curl, option, value)                                                          \
    do {                                                                                           \
        const CURLcode set_code_ = curl_easy_setopt((curl), (option), (value));                    \
        mst_assert(set_code_ == CURLE_OK);                                                         \
    } while (0)

/* An option that is text; libcurl keeps its own copy. Absent text sets NULL. */
void mst_curl_set_text(CURL *curl, CURLoption option, struct mst_str text);
/* An option that is bytes; libcurl keeps its own copy. Absent bytes set NULL. */
void mst_curl_set_blob(CURL *curl, CURLoption option, struct mst_str bytes);
/*
 * Believes the authority that is given (CURLOPT_CAINFO, CURLOPT_CAINFO_BLOB) and no other, as Go
 * does: libcurl alone would go on believing the system's directory of authorities as well.
 */
void mst_curl_only_given_authority(CURL *curl);
/* Appends a line; `list` may start as NULL. */
void mst_curl_add_line(struct curl_slist **list, struct mst_str line);

/* A URL in parts. Text is libcurl's until mst_url_done. */
struct mst_url {
    char *scheme, *host, *port, *path; /* host: as in the URL, IPv6 in brackets */
};

/* False: it is no URL of a host. */
bool mst_url_split(struct mst_str text, struct mst_url *out);
void mst_url_done(struct mst_url *url);

/* "localhost", 127.0.0.0/8 or "[::1]". */
bool mst_host_is_loopback(const char *host);

/*
 * With a server name that differs from the URL's host, the connection goes where the URL says while
 * the certificate is asked for and checked under that name: libcurl does it for a URL with the name
 * as host, a detour to the address, and a Host header of our own.
 *
 * ret_url          "https://NAME:PORT" without a path.
 * ret_connect_to   for CURLOPT_CONNECT_TO.
 * ret_header       "Host: HOST:PORT".
 */
void mst_curl_detour(const struct mst_url *url, struct mst_str server_name, struct mst_buf *ret_url,
                     struct curl_slist **ret_connect_to, struct mst_buf *ret_header);

#endif
