/*
 * client_internal.h - what the files of the client share: the client, a request, credentials.
 */
#ifndef MST_CLIENT_INTERNAL_H
#define MST_CLIENT_INTERNAL_H

#include <curl/curl.h>
#include <event2/event.h>
#include <event2/event_struct.h>

#include "client/client.h"
#include "client/exec_plugin.h"
#include "client/rate.h"

enum {
    MST_CLIENT_RUNNING_MAX = 1000, /* requests at libcurl, without urgent ones */
    MST_CLIENT_POOL_MAX = 256,     /* requests that are kept for later ones */
};

/* ---- requests ---- */

/* Where a request is; each but CALLING is a list of the client. */
typedef enum {
    MST_REQ_FREE,
    MST_REQ_URGENT,  /* to be started, whatever the rate is */
    MST_REQ_QUEUED,  /* to be started when the rate allows it */
    MST_REQ_WAITING, /* for credentials */
    MST_REQ_RUNNING, /* at libcurl */
    MST_REQ_DOOMED,  /* cancelled while libcurl was at work: to be taken away from it */
    MST_REQ_STATES,
} mst_request_state;

/* Lines of a request's head that do not change between requests. */
struct mst_headers {
    struct mst_headers *next;
    const char *accept, *type; /* compared by address: static text; type NULL: no body */
    struct curl_slist *lines;
    uint32_t refs;
};

struct mst_request_handle {
    struct mst_client *client;
    struct mst_request_handle *prev, *next;
    mst_request_state state;
    bool stream; /* has `data`: not for the pool */
    CURL *easy;
    uint64_t tls_version;  /* of the certificates that `easy` has */
    uint64_t auth_version; /* of the credentials it was sent with */
    struct mst_headers *headers;
    struct mst_request_spec spec; /* path and body are in `url` and `upload` */
    struct mst_buf url, upload;
    size_t uploaded;
    /* the answer */
    struct mst_buf body;
    size_t header_bytes;
    uint64_t got_bytes;
    int64_t sent_ns, limited_ns; /* limited_ns: -1: the rate was not asked */
    bool seen;                   /* it was told what became of it */
    bool head_whole, retry_after, enough, too_large, idle_too_long;
    int64_t last_ns; /* when something came last */
    struct event idle;
    char error[CURL_ERROR_SIZE];
};

struct mst_request_list {
    struct mst_request_handle *first, *last;
    uint32_t count;
};

/* ---- credentials ---- */

typedef enum { MST_AUTH_READY, MST_AUTH_WAIT, MST_AUTH_FAILED } mst_auth_state;

/* Files of certificates, looked at again and again. */
struct mst_cert_files {
    struct mst_buf ca, cert, key; /* what came after the connection's; empty: nothing did */
    struct mst_buf ca_problem, pair_problem; /* why what is there now is not used; empty: it is */
    int64_t looked_ns;
    bool suspect; /* something failed that renewed files may cure: look with the next request */
};

/* What new connections are made with; absent: without. */
struct mst_tls_texts {
    struct mst_str ca, cert, key;
};

struct mst_auth {
    struct mst_buf token;     /* empty: none */
    struct mst_buf cert, key; /* of a plug-in; empty: the files' or the connection's */
    struct mst_cert_files files;
    uint64_t version;            /* grows with each change */
    uint64_t tls_version;        /* grows with each change of mst_auth_tls; from 1 */
    int64_t read_ns;             /* of the token file; 0: not read */
    int64_t expires_unix_s;      /* of a plug-in's credentials */
    bool have;                   /* a plug-in's credentials are there and were not refused */
    struct mst_exec *run;        /* of the plug-in, under way */
    struct mst_buf problem;      /* why there are none */
    struct mst_headers *headers; /* of this version */
};

struct mst_client {
    struct mst_client_options options;
    CURLM *multi;
    struct event timer, kick, rate_timer;
    struct mst_rate rate;
    struct mst_auth auth;
    struct mst_request_list lists[MST_REQ_STATES];
    uint32_t answers_due;     /* RUNNING, without streams */
    struct mst_arena scratch; /* of one reply */
    bool in_curl;             /* libcurl is at work: it must not be called */
    bool telling;             /* a `done` is at work: the client must not be freed */
    /* what follows from the connection */
    bool tls, gzip;
    struct mst_buf base_url, host_header, user_agent, proxy;
    struct curl_slist *connect_to;
};

/* ---- client.c ---- */

int64_t mst_client_now_ns(void);
/* Goes from its list to that of `state`. */
void mst_request_move(struct mst_request_handle *request, mst_request_state state);
/* Tells `seen` what became of it, once. */
void mst_request_see(struct mst_request_handle *request, int status);
/* Tells `done` and gives the request back. */
void mst_request_end(struct mst_request_handle *request, const struct mst_reply *reply);
/* Gives it back without a word. */
void mst_request_drop(struct mst_request_handle *request);
/* Those that wait for credentials go on, or fail with what `auth.problem` says. */
void mst_client_credentials(struct mst_client *client, bool have);
/* What can be started is started when the loop comes round. */
void mst_client_kick(struct mst_client *client);

/* ---- client_loop.c ---- */

void mst_loop_init(struct mst_client *client);
void mst_loop_done(struct mst_client *client);
/* Takes what is ready from libcurl and ends those requests. */
void mst_loop_collect(struct mst_client *client);

/* ---- client_transfer.c ---- */

const char *mst_method_name(mst_method method);

/* The handle with everything that does not change between requests. */
void mst_transfer_init(struct mst_request_handle *request);
void mst_transfer_start(struct mst_request_handle *request);
/* Ends a request of which libcurl says that it is over. */
void mst_transfer_finish(struct mst_request_handle *request, CURLcode code);

/* ---- client_auth.c ---- */

mst_rc mst_auth_init(struct mst_client *client, struct mst_err *err) MST_WARN_UNUSED;
void mst_auth_done(struct mst_client *client);
/* WAIT: the client is kicked when it is over. FAILED: `problem` says why. */
mst_auth_state mst_auth_ready(struct mst_client *client);
/* The server answered 401 to a request that was sent with this version. */
void mst_auth_refused(struct mst_client *client, uint64_t version);
/* The lines for such a request; give back with mst_headers_unref. */
struct mst_headers *mst_auth_headers(struct mst_client *client, const char *accept,
                                     const char *type);
void mst_headers_unref(struct mst_headers *headers);
struct mst_tls_texts mst_auth_tls(const struct mst_client *client);
/* What says who we are is new: requests from now on are of a new version. */
void mst_auth_changed(struct mst_auth *auth);

/* ---- client_files.c ---- */

void mst_cert_files_init(struct mst_client *client);
void mst_cert_files_done(struct mst_client *client);
/* Before a request is started: reads the files again if it is time to. */
void mst_cert_files_look(struct mst_client *client);
/* A request that was sent with these certificates failed, maybe for their sake. */
void mst_cert_files_suspect(struct mst_client *client, uint64_t tls_version);

#endif
