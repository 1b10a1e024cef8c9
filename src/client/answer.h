/*
 * answer.h - what an API server's refusal says: a Status object in JSON or protobuf, or just text.
 */
#ifndef MST_ANSWER_H
#define MST_ANSWER_H

#include "base/mem.h"

struct mst_answer {
    struct mst_str message; /* for people; never empty, valid UTF-8, one line */
    struct mst_str reason;  /* "NotFound"; absent when the body is no Status */
    int64_t retry_after_s;  /* of the Status' details; -1: not given */
};

/*
 * Reads the body of an answer whose HTTP status is no 2xx. Bad bodies are no error: they are what
 * there is to say.
 *
 * out      text is in `arena`.
 */
void mst_answer_read(int status, struct mst_str body, struct mst_arena *arena,
                     struct mst_answer *out);

#endif
