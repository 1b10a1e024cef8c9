/* Source: golang.org/x/net/http/httpproxy proxy_test.go, re-expressed. */
#include "client/proxy.h"
#include "tap.h"

#include <stdio.h>

static void test_proxy_of_environment(struct mst_test *t)
{
    static const struct {
        const char *server, *http, *https, *none, *want;
    } cases[] = {
        { "https://example.com:6443", NULL, NULL, NULL, "" },
        { "https://example.com:6443", "http://p:1", NULL, NULL, "" },
        { "https://example.com:6443", NULL, "http://p:1", NULL, "http://p:1" },
        { "https://example.com:6443", NULL, "p:1", NULL, "http://p:1" },
        { "https://example.com:6443", NULL, "https://p:1", NULL, "https://p:1" },
        { "https://example.com:6443", NULL, "socks5://p:1", NULL, "socks5h://p:1" },
        { "http://example.com:8080", "http://p:1", "http://q:1", NULL, "http://p:1" },
        /* this machine */
        { "https://localhost:6443", NULL, "http://p:1", NULL, "" },
        { "https://127.1.2.3:6443", NULL, "http://p:1", NULL, "" },
        { "https://[::1]:6443", NULL, "http://p:1", NULL, "" },
        /* domains */
        { "https://example.com", NULL, "p:1", "example.com", "" },
        { "https://EXAMPLE.com", NULL, "p:1", "example.COM", "" },
        { "https://a.example.com", NULL, "p:1", "example.com", "" },
        { "https://a.example.com", NULL, "p:1", ".example.com", "" },
        { "https://a.example.com", NULL, "p:1", "*.example.com", "" },
        { "https://example.com", NULL, "p:1", ".example.com", "http://p:1" },
        { "https://badexample.com", NULL, "p:1", "example.com", "http://p:1" },
        { "https://example.com", NULL, "p:1", "a.example.com", "http://p:1" },
        { "https://example.com", NULL, "p:1", "x, ,example.com ,", "" },
        { "https://example.com", NULL, "p:1", "*", "" },
        { "https://example.com", NULL, "p:1", ",,x:1,[,]:2,/,1/2,:", "http://p:1" },
        /* ports */
        { "https://example.com", NULL, "p:1", "example.com:443", "" },
        { "https://example.com:6443", NULL, "p:1", "example.com:443", "http://p:1" },
        /* addresses and networks */
        { "https://10.0.0.1:6443", NULL, "p:1", "10.0.0.1", "" },
        { "https://10.0.0.1:6443", NULL, "p:1", "10.0.0.1:6443", "" },
        { "https://10.0.0.1:6443", NULL, "p:1", "10.0.0.0/8", "" },
        { "https://11.0.0.1:6443", NULL, "p:1", "10.0.0.0/8", "http://p:1" },
        { "https://10.128.0.1:6443", NULL, "p:1", "10.0.0.0/9", "http://p:1" },
        { "https://10.0.0.1:6443", NULL, "p:1", "0.0.0.0/0", "" },
        { "https://10.0.0.1:6443", NULL, "p:1", "10.0.0.0/33", "http://p:1" },
        { "https://[fd00::1]:6443", NULL, "p:1", "fd00::/16", "" },
        { "https://[fd00::1]:6443", NULL, "p:1", "fd00::1", "" },
        { "https://[fd00::1]:6443", NULL, "p:1", "[fd00::1]:6443", "" },
        { "https://[fd00::1]:6443", NULL, "p:1", "[fd00::1]:6444", "http://p:1" },
        { "https://[fd00::1]:6443", NULL, "p:1", "10.0.0.0/8", "http://p:1" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        MST_AUTO(mst_buf) out = { 0 };
        MST_AUTO(mst_url) url = { 0 };
        char name[200];
        const struct mst_proxy_env env = { cases[i].http, cases[i].https, cases[i].none };
        snprintf(name, sizeof(name), "%s except %s", cases[i].server,
                 cases[i].none ? cases[i].none : "none");
        t_case(t, name);
        t_bool(t, mst_url_split(mst_str_of(cases[i].server), &url), true);
        mst_proxy_choose(&env, &url, MST_STR_NONE, &out);
        t_str(t, mst_buf_span(&out), cases[i].want);
    }
}

static void test_proxy_configured(struct mst_test *t)
{
    MST_AUTO(mst_buf) out = { 0 };
    MST_AUTO(mst_url) url = { 0 };
    const struct mst_proxy_env env = { NULL, "http://other:1", "*" };
    t_bool(t, mst_url_split(MST_STR("https://127.0.0.1:6443"), &url), true);
    mst_proxy_choose(&env, &url, MST_STR("socks5://p:1080"), &out);
    t_str(t, mst_buf_span(&out), "socks5h://p:1080");
}

MST_TEST_MAIN(T(test_proxy_of_environment), T(test_proxy_configured))
