/*
 * log.h - structured log lines: a constant message and typed pairs, as klog text or JSON.
 *
 * The sink is the host's: the log formats, the sink writes. The time (Unix, ns) comes from the host
 * through `clock`, so the core stays free of clocks. Nothing is written above `level`.
 */
#ifndef MST_LOG_H
#define MST_LOG_H

#include "base/base.h"

typedef enum { MST_LOG_TEXT, MST_LOG_JSON } mst_log_format;
typedef enum { MST_LOG_INFO, MST_LOG_WARNING, MST_LOG_ERROR } mst_severity;

struct mst_log {
    int level;
    mst_log_format format;
    void (*write)(void *ctx, const char *line, size_t n); /* one whole line with its newline */
    int64_t (*clock)(void *ctx);                          /* Unix time in ns */
    void *ctx;
};

struct mst_log_pair {
    const char *key;
    enum { MST_PAIR_STR, MST_PAIR_INT, MST_PAIR_BOOL } type;
    struct mst_str str;
    int64_t num;
};

#define MST_KSTR(k, v) ((struct mst_log_pair){ .key = (k), .type = MST_PAIR_STR, .str = (v) })
#define MST_KINT(k, v) ((struct mst_log_pair){ .key = (k), .type = MST_PAIR_INT, .num = (v) })
#define MST_KBOOL(k, v) ((struct mst_log_pair){ .key = (k), .type = MST_PAIR_BOOL, .num = (v) })

/* A line of verbosity 0, for warnings and errors; the level is not looked at. */
void mst_log_line(const struct mst_log *log, mst_severity severity, const char *file, int line,
                  const char *message, const struct mst_log_pair *pairs, size_t pair_count);

/* An info line that says its verbosity ("v" in JSON, as upstream); the level is not looked at. */
void mst_log_info_line(const struct mst_log *log, int verbosity, const char *file, int line,
                       const char *message, const struct mst_log_pair *pairs, size_t pair_count);

/* `log` may be NULL: nothing is logged. */
#define mst_log(log_, level_, message, ...)                                                        \
    do {                                                                                           \
        const struct mst_log *l_ = (log_);                                                         \
        if (l_ && (level_) <= l_->level) {                                                         \
            const struct mst_log_pair p_[] = { { 0 }, ##__VA_ARGS__ };                             \
            mst_log_info_line(l_, (level_), __FILE__, __LINE__, (message), p_ + 1,                 \
                              MST_COUNT(p_) - 1);                                                  \
        }                                                                                          \
    } while (0)

#endif
