/*
 * proxy.c - which proxy leads to a server, by the kubeconfig or by the environment as Go reads it.
 */
#include "client/proxy.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

static const char *variable(const char *upper, const char *lower)
{
    const char *value = getenv(upper);
    if (!value || !*value)
        value = getenv(lower);
    return value && *value ? value : NULL;
}

struct mst_proxy_env mst_proxy_env_read(void)
{
    return (struct mst_proxy_env){ .http = variable("HTTP_PROXY", "http_proxy"),
                                   .https = variable("HTTPS_PROXY", "https_proxy"),
                                   .none = variable("NO_PROXY", "no_proxy") };
}

/* An address of 4 or 16 bytes. */
struct address {
    unsigned char bytes[16];
    uint32_t n;
};

static bool parse_address(const char *text, struct address *out)
{
    *out = (struct address){ .n = 4 };
    if (inet_pton(AF_INET, text, out->bytes) == 1)
        return true;
    out->n = 16;
    return inet_pton(AF_INET6, text, out->bytes) == 1;
}

static bool in_network(const struct address *host, const char *entry)
{
    char text[64];
    struct address network;
    const char *slash = strchr(entry, '/');
    char *end;
    if (!slash || (size_t)(slash - entry) >= sizeof(text))
        return false;
    memcpy(text, entry, (size_t)(slash - entry));
    text[slash - entry] = '\0';
    const unsigned long bits = strtoul(slash + 1, &end, 10);
    if (!parse_address(text, &network) || network.n != host->n || *end || end == slash + 1 ||
        bits > host->n * 8)
        return false;
    for (uint32_t i = 0; i < bits; i++)
        if ((host->bytes[i / 8] ^ network.bytes[i / 8]) & (0x80 >> i % 8))
            return false;
    return true;
}

/* "example.com" is it and what is below it; ".example.com" is only what is below it. */
static bool is_below(const char *host, const char *domain)
{
    if (*domain == '*')
        domain++;
    const size_t host_n = strlen(host), n = strlen(domain);
    if (*domain != '.' && strcasecmp(host, domain) == 0)
        return true;
    if (n >= host_n || strcasecmp(host + host_n - n, domain) != 0)
        return false;
    return *domain == '.' || host[host_n - n - 1] == '.';
}

/* One entry of $NO_PROXY: "*", a network, an address or a domain, the last two also with a port. */
static bool covers(char *entry, const char *host, const char *port, const struct address *address)
{
    struct address given;
    if (strcmp(entry, "*") == 0)
        return true;
    if (address->n && in_network(address, entry))
        return true;
    char *colon = strrchr(entry, ':');
    if (!parse_address(entry, &given) && colon) {
        if (strcmp(colon + 1, port) != 0)
            return false;
        *colon = '\0';
        const size_t n = strlen(entry);
        if (*entry == '[' && n > 1 && entry[n - 1] == ']') {
            entry[n - 1] = '\0';
            entry++;
        }
    }
    if (parse_address(entry, &given))
        return address->n == given.n && memcmp(address->bytes, given.bytes, given.n) == 0;
    return *entry && is_below(host, entry);
}

static bool excluded(const char *none, const char *host, const char *port)
{
    struct address address;
    char entry[256];
    if (!parse_address(host, &address))
        address.n = 0;
    for (const char *at = none; at && *at; at += strspn(at, ",")) {
        size_t n = strcspn(at, ",");
        const char *begin = at;
        at += n;
        while (n && *begin == ' ')
            begin++, n--;
        while (n && begin[n - 1] == ' ')
            n--;
        if (!n || n >= sizeof(entry))
            continue;
        memcpy(entry, begin, n);
        entry[n] = '\0';
        if (covers(entry, host, port, &address))
            return true;
    }
    return false;
}

static void add_proxy(struct mst_str url, struct mst_buf *out)
{
    if (mst_str_has_prefix(url, "socks5://")) {
        mst_buf_text(out, "socks5h://");
        mst_buf_add(out, url.p + strlen("socks5://"), url.n - strlen("socks5://"));
        return;
    }
    if (!memmem(url.p, url.n, "://", 3))
        mst_buf_text(out, "http://");
    mst_buf_str(out, url);
}

void mst_proxy_choose(const struct mst_proxy_env *env, const struct mst_url *server,
                      struct mst_str configured, struct mst_buf *out)
{
    if (configured.n) {
        add_proxy(configured, out);
        return;
    }
    const char *proxy = strcmp(server->scheme, "https") == 0 ? env->https : env->http;
    if (!proxy || mst_host_is_loopback(server->host))
        return;
    char host[256];
    size_t n = strlen(server->host);
    const bool bracketed = n > 1 && server->host[0] == '[';
    n -= bracketed ? 2 : 0;
    if (n >= sizeof(host))
        return;
    memcpy(host, server->host + bracketed, n);
    host[n] = '\0';
    if (!excluded(env->none, host, server->port))
        add_proxy(mst_str_of(proxy), out);
}
