/*
 * curl_help.c - what our users of libcurl have in common.
 */
#include "client/curl_help.h"

static char *copy_of(struct mst_str text)
{
    char *copy = mst_calloc(text.n + 1, 1);
    if (text.n)
        memcpy(copy, text.p, text.n);
    return copy;
}

void mst_curl_set_text(CURL *curl, CURLoption option, struct mst_str text)
{
    char *copy = text.p ? copy_of(text) : NULL;
    MST_CURL_SET(curl, option, copy);
    mst_free(copy);
}

void mst_curl_set_blob(CURL *curl, CURLoption option, struct mst_str bytes)
{
    struct curl_blob blob = { .data = (void *)bytes.p, .len = bytes.n, .flags = CURL_BLOB_COPY };
    MST_CURL_SET(curl, option, bytes.n ? &blob : NULL);
}

void mst_curl_only_given_authority(CURL *curl)
{
    MST_CURL_SET(curl, CURLOPT_CAPATH, NULL);
}

void mst_curl_add_line(struct curl_slist **list, struct mst_str line)
{
    char *copy = copy_of(line);
    struct curl_slist *longer = curl_slist_append(*list, copy);
    mst_assert(longer);
    *list = longer;
    mst_free(copy);
}

bool mst_url_split(struct mst_str text, struct mst_url *out)
{
    *out = (struct mst_url){ 0 };
    CURLU *u = curl_url();
    mst_assert(u);
    char *copy = copy_of(text);
    bool ok = curl_url_set(u, CURLUPART_URL, copy, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
              curl_url_get(u, CURLUPART_SCHEME, &out->scheme, 0) == CURLUE_OK &&
              curl_url_get(u, CURLUPART_HOST, &out->host, 0) == CURLUE_OK &&
              curl_url_get(u, CURLUPART_PORT, &out->port, CURLU_DEFAULT_PORT) == CURLUE_OK &&
              curl_url_get(u, CURLUPART_PATH, &out->path, 0) == CURLUE_OK;
    mst_free(copy);
    curl_url_cleanup(u);
    return ok;
}

void mst_url_done(struct mst_url *url)
{
    curl_free(url->scheme);
    curl_free(url->host);
    curl_free(url->port);
    curl_free(url->path);
    *url = (struct mst_url){ 0 };
}

bool mst_host_is_loopback(const char *host)
{
    return strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
           strcmp(host, "[::1]") == 0;
}

void mst_curl_detour(const struct mst_url *url, struct mst_str server_name, struct mst_buf *ret_url,
                     struct curl_slist **ret_connect_to, struct mst_buf *ret_header)
{
    MST_AUTO(mst_buf) text = { 0 };
    mst_buf_printf(&text, "%.*s:%s:%s:%s", MST_ARG(server_name), url->port, url->host, url->port);
    mst_curl_add_line(ret_connect_to, mst_buf_span(&text));
    mst_buf_printf(ret_header, "Host: %s:%s", url->host, url->port);
    mst_buf_printf(ret_url, "https://%.*s:%s", MST_ARG(server_name), url->port);
}
