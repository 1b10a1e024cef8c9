/*
 * proto_tape.c - a protobuf message as a tape, by tables, in one pass.
 *
 * Owns:       nothing; the tape and made text are in the caller's arena.
 * Invariants: `open[depth - 1]` is the innermost open message; at most one of its fields is an open
 *             array or object (`many`), which closes when another field is kept or the message
 *             ends.
 * Not here:   the wire (proto_internal.h).
 */
#include "codec/json.h"
#include "codec/proto_internal.h"

/* An open message. */
struct frame {
    const struct mst_proto_message *message;
    const char *end;
    uint64_t seen;  /* a bit per row that was read */
    uint32_t at;    /* index of its object on the tape */
    uint32_t count; /* members so far */
    bool inside;    /* INLINE: the members go to the object around it */
    /* the open field of many values */
    const struct mst_proto_field *many;
    uint32_t many_at, many_count;
};

/* The value of a field: one or the other. */
struct value {
    uint64_t varint;
    struct mst_str bytes;
};

struct builder {
    struct mst_arena *arena;
    const char *begin, *at; /* `at` is behind the field that was read last */
    struct mst_value *tape;
    uint32_t n, cap;
    uint32_t depth;
    struct frame open[MST_PROTO_DEPTH_MAX];
    struct mst_err *err;
    mst_rc rc;
};

/* Pods have an entry per ten bytes; denser messages make the tape grow. */
enum { BYTES_PER_ENTRY = 8, ENTRIES_MIN = 16 };

static bool bad(struct builder *b, mst_rc rc, const char *what)
{
    const struct frame *f = &b->open[b->depth ? b->depth - 1 : 0];
    b->rc = mst_fail(b->err, rc, "%s, byte %zu: %s", f->message->name, (size_t)(b->at - b->begin),
                     what);
    return false;
}

/* ---- the tape ---- */

__attribute__((noinline)) static void grow(struct builder *b)
{
    struct mst_value *tape = mst_arena_alloc(b->arena, (size_t)b->cap * 2 * sizeof(*tape));
    memcpy(tape, b->tape, b->n * sizeof(*tape));
    b->tape = tape;
    b->cap *= 2;
}

static inline void push(struct builder *b, mst_value_type type, const char *p, size_t n)
{
    if (MST_UNLIKELY(b->n == b->cap))
        grow(b);
    b->tape[b->n++] =
        (struct mst_value){ .p = p, .n = (uint32_t)n, .span = 1, .type = (uint8_t)type };
}

static inline void push_key(struct builder *b, struct frame *f, const struct mst_proto_field *row)
{
    push(b, MST_STRING, row->name, row->name_n);
    f->count++;
}

static inline void close_container(struct builder *b, uint32_t at, uint32_t count)
{
    b->tape[at].n = count;
    b->tape[at].span = b->n - at;
}

static void close_many(struct builder *b, struct frame *f)
{
    close_container(b, f->many_at, f->many_count);
    if (f->many->many == MST_PROTO_MAP) {
        mst_tape_dedup(&b->tape[f->many_at], NULL);
        b->n = f->many_at + b->tape[f->many_at].span;
    }
    f->many = NULL;
}

/* ---- values ---- */

/* Words that overlap, so that no text needs a loop over its last bytes. */
static inline bool is_ascii(struct mst_str s)
{
    const uint64_t highs = UINT64_C(0x8080808080808080);
    uint64_t word, all;
    uint32_t head, tail;
    if (s.n >= sizeof(word)) {
        memcpy(&all, s.p + s.n - sizeof(all), sizeof(all));
        for (size_t i = 0; i + sizeof(word) < s.n; i += sizeof(word)) {
            memcpy(&word, s.p + i, sizeof(word));
            all |= word;
        }
    } else if (s.n >= sizeof(head)) {
        memcpy(&head, s.p, sizeof(head));
        memcpy(&tail, s.p + s.n - sizeof(tail), sizeof(tail));
        all = head | tail;
    } else if (s.n) {
        all = (unsigned char)(s.p[0] | s.p[s.n / 2] | s.p[s.n - 1]);
    } else {
        all = 0;
    }
    return !(all & highs);
}

__attribute__((noinline)) static struct mst_str clean(struct mst_arena *arena, struct mst_str s)
{
    const char *p = s.p, *end = s.p + s.n;
    while (p < end) {
        uint32_t n = mst_utf8_len(p, end);
        if (n == 0)
            break;
        p += n;
    }
    if (p == end)
        return s;
    MST_AUTO(mst_buf) buf = { 0 };
    mst_utf8_clean(s, &buf);
    return mst_arena_str(arena, mst_buf_span(&buf));
}

static inline struct mst_str text_of(struct builder *b, struct mst_str s)
{
    return MST_LIKELY(is_ascii(s)) ? s : clean(b->arena, s);
}

static void push_int(struct builder *b, int64_t value)
{
    enum { DIGITS_MAX = 20 };
    static const char small[] = "0123456789";
    if (value >= 0 && value <= 9) {
        push(b, MST_NUMBER, &small[value], 1);
        return;
    }
    char *end = (char *)mst_arena_alloc(b->arena, DIGITS_MAX) + DIGITS_MAX, *p = end;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    for (; rest; rest /= 10)
        *--p = (char)('0' + rest % 10);
    if (value < 0)
        *--p = '-';
    push(b, MST_NUMBER, p, (size_t)(end - p));
}

/* What a small message holds: its varints and its last text, by field number. */
struct small {
    uint64_t number[4];
    struct mst_str text[4];
};

static bool read_small(struct builder *b, struct mst_str bytes, struct small *out)
{
    struct mst_proto in = mst_proto_of(bytes);
    *out = (struct small){ 0 };
    while (mst_proto_read(&in)) {
        if (in.number >= MST_COUNT(out->number))
            continue;
        if (in.type == MST_WIRE_VARINT)
            out->number[in.number] = in.varint;
        else if (in.type == MST_WIRE_BYTES)
            out->text[in.number] = in.bytes;
    }
    return !in.bad || bad(b, MST_EDECODE, in.bad);
}

/*
 * Takes the text of field `number` off the front of a message, if it is there and shorter than 128
 * bytes: what is written for an amount or an entry of a map, without the detour of read_small.
 */
static inline bool take_text(struct mst_str *message, uint32_t number, struct mst_str *out)
{
    const unsigned char *p = (const unsigned char *)message->p;
    if (message->n < 2 || p[0] != (number << 3 | MST_WIRE_BYTES) || p[1] >= 0x80 ||
        p[1] > message->n - 2)
        return false;
    *out = (struct mst_str){ message->p + 2, p[1] };
    message->p += 2 + out->n;
    message->n -= 2 + out->n;
    return true;
}

static char *put_two(char *p, int64_t value, char behind)
{
    p[0] = (char)('0' + value / 10);
    p[1] = (char)('0' + value % 10);
    p[2] = behind;
    return p + 3;
}

/* Seconds since 1970 as "2006-01-02T15:04:05Z"; the fraction does not count, as in Go's Time. */
static bool push_time(struct builder *b, int64_t unix_s)
{
    enum { TEXT_BYTES = 20 };
    const int64_t first = -62167219200, last = 253402300799; /* the years 0 to 9999 */
    if (unix_s < first || unix_s > last)
        return bad(b, MST_EDECODE, "a time outside of the years 0 to 9999");
    int64_t days = (unix_s - first) / 86400, second = (unix_s - first) % 86400;
    /* Years begin in March, so that the leap day is the last; counted from 400 years before. */
    days += 146097 - 60;
    int64_t era = days / 146097, in_era = days % 146097;
    int64_t year_of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t day = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month = (5 * day + 2) / 153;
    int64_t year = year_of_era + (era - 1) * 400 + (month >= 10);
    char *text = mst_arena_alloc(b->arena, TEXT_BYTES + 1), *p = text;
    *p++ = (char)('0' + year / 1000);
    *p++ = (char)('0' + year / 100 % 10);
    p = put_two(p, year % 100, '-');
    p = put_two(p, month < 10 ? month + 3 : month - 9, '-');
    p = put_two(p, day - (153 * month + 2) / 5 + 1, 'T');
    p = put_two(p, second / 3600, ':');
    p = put_two(p, second / 60 % 60, ':');
    put_two(p, second % 60, 'Z');
    push(b, MST_STRING, text, TEXT_BYTES);
    return true;
}

static bool push_text(struct builder *b, struct mst_str s)
{
    s = text_of(b, s);
    push(b, MST_STRING, s.p, s.n);
    return true;
}

/* A value that is a message on the wire and a scalar in JSON. */
static bool push_small(struct builder *b, mst_proto_shape shape, struct mst_str bytes)
{
    const int64_t zero_time = -62135596800; /* of Go: null in JSON */
    struct small small;
    struct mst_str rest = bytes, text;
    if (shape == MST_PROTO_AMOUNT && take_text(&rest, 1, &text) && !rest.n)
        return push_text(b, text);
    if (!read_small(b, bytes, &small))
        return false;
    if (shape == MST_PROTO_AMOUNT)
        return push_text(b, small.text[1].p ? small.text[1] : MST_STR("0"));
    if (shape == MST_PROTO_INT_OR_STR && small.number[1] == 1)
        return push_text(b, small.text[3].p ? small.text[3] : MST_STR(""));
    if (shape == MST_PROTO_INT_OR_STR)
        push_int(b, (int32_t)(uint32_t)small.number[2]);
    else if (bytes.n == 0 || (int64_t)small.number[1] == zero_time)
        push(b, MST_NULL, NULL, 0);
    else
        return push_time(b, (int64_t)small.number[1]);
    return true;
}

/* A value that is no message: of a field, or of an element. */
static inline bool push_value(struct builder *b, const struct mst_proto_field *row,
                              const struct value *value)
{
    switch ((mst_proto_shape)row->shape) {
    case MST_PROTO_STRING: return push_text(b, value->bytes);
    case MST_PROTO_BOOL: push(b, value->varint ? MST_TRUE : MST_FALSE, NULL, 0); return true;
    case MST_PROTO_INT32: push_int(b, (int32_t)(uint32_t)value->varint); return true;
    case MST_PROTO_INT64: push_int(b, (int64_t)value->varint); return true;
    case MST_PROTO_AMOUNT:
    case MST_PROTO_TIME:
    case MST_PROTO_INT_OR_STR: return push_small(b, (mst_proto_shape)row->shape, value->bytes);
    case MST_PROTO_MESSAGE:
    case MST_PROTO_INLINE: break;
    }
    mst_assert(!"a message is opened, not pushed");
    return false;
}

/* An entry of a map: its value is a string or a small message. */
static bool push_entry(struct builder *b, const struct mst_proto_field *row, struct mst_str bytes)
{
    struct mst_str rest = bytes, key, value;
    if (!take_text(&rest, 1, &key) || !take_text(&rest, 2, &value) || rest.n) {
        struct small entry;
        if (!read_small(b, bytes, &entry))
            return false;
        key = entry.text[1].p ? entry.text[1] : MST_STR("");
        value = entry.text[2].p ? entry.text[2] : MST_STR("");
    }
    (void)push_text(b, key);
    return row->shape == MST_PROTO_STRING ? push_text(b, value)
                                          : push_small(b, (mst_proto_shape)row->shape, value);
}

/* ---- messages ---- */

static bool open_message(struct builder *b, const struct mst_proto_message *message,
                         struct mst_str bytes, bool inside)
{
    if (MST_UNLIKELY(b->depth == MST_PROTO_DEPTH_MAX))
        return bad(b, MST_ELIMIT, "messages are nested too deep");
    struct frame *f = &b->open[b->depth++];
    f->message = message;
    f->end = bytes.p + bytes.n;
    f->seen = 0;
    f->at = b->n;
    f->count = 0;
    f->inside = inside;
    f->many = NULL;
    if (!inside)
        push(b, MST_OBJECT, NULL, 0);
    b->at = bytes.p;
    return true;
}

static void close_message(struct builder *b)
{
    struct frame *f = &b->open[--b->depth];
    if (f->many)
        close_many(b, f);
    if (f->inside)
        b->open[b->depth - 1].count += f->count; /* the root is not inside anything */
    else
        close_container(b, f->at, f->count);
}

static inline mst_wire_type wire_of(const struct mst_proto_field *row)
{
    return row->many != MST_PROTO_MAP && row->shape >= MST_PROTO_BOOL &&
                   row->shape <= MST_PROTO_INT64
               ? MST_WIRE_VARINT
               : MST_WIRE_BYTES;
}

/* One more value of an array or of a map, which opens with its first. */
static bool add_to_many(struct builder *b, struct frame *f, const struct mst_proto_field *row,
                        const struct value *value)
{
    if (f->many != row) {
        push_key(b, f, row);
        f->many = row;
        f->many_at = b->n;
        f->many_count = 0;
        push(b, row->many == MST_PROTO_LIST ? MST_ARRAY : MST_OBJECT, NULL, 0);
    }
    f->many_count++;
    if (row->many == MST_PROTO_MAP)
        return push_entry(b, row, value->bytes);
    if (row->shape == MST_PROTO_MESSAGE)
        return open_message(b, row->sub, value->bytes, false);
    return push_value(b, row, value);
}

/* `value` has the text's length 0 for a number, and number 0 for a text. */
static inline bool add_field(struct builder *b, struct frame *f, const struct mst_proto_field *row,
                             const struct value *value)
{
    uint64_t bit = UINT64_C(1) << (row - f->message->rows);
    if (f->many == row)
        return add_to_many(b, f, row, value);
    if (MST_UNLIKELY(f->seen & bit))
        return bad(b, MST_EDECODE, "a field that was there before");
    f->seen |= bit;
    if (f->many)
        close_many(b, f);
    if (row->many != MST_PROTO_ONE)
        return add_to_many(b, f, row, value);
    if (row->omit_zero && !(value->varint | value->bytes.n))
        return true;
    if (row->shape == MST_PROTO_INLINE)
        return open_message(b, row->sub, value->bytes, true);
    push_key(b, f, row);
    if (row->shape == MST_PROTO_MESSAGE)
        return open_message(b, row->sub, value->bytes, false);
    return push_value(b, row, value);
}

static inline const struct mst_proto_field *row_of(const struct frame *f, uint32_t number)
{
    if (number >= f->message->row_count)
        return NULL;
    const struct mst_proto_field *row = &f->message->rows[number];
    return row->name ? row : NULL;
}

/* Reads fields of the innermost message up to its end, or to where another message opens. */
static bool read_fields(struct builder *b)
{
    struct frame *f = &b->open[b->depth - 1];
    const uint32_t depth = b->depth;
    struct mst_proto in = { .at = b->at, .end = f->end };
    while (mst_proto_read(&in)) {
        const struct mst_proto_field *row = row_of(f, in.number);
        if (!row)
            continue;
        const bool text = in.type == MST_WIRE_BYTES;
        const struct value value = { text ? 0 : in.varint, text ? in.bytes : MST_STR("") };
        b->at = in.at;
        if (MST_UNLIKELY(in.type != wire_of(row)))
            return bad(b, MST_EDECODE, "a value of the wrong type");
        if (MST_UNLIKELY(!add_field(b, f, row, &value)))
            return false;
        if (b->depth != depth)
            return true;
    }
    b->at = in.at;
    if (MST_UNLIKELY(in.bad))
        return bad(b, MST_EDECODE, in.bad);
    close_message(b);
    return true;
}

mst_rc mst_proto_tape(const struct mst_proto_message *message, struct mst_str bytes,
                      const struct mst_proto_member *first, uint32_t first_count,
                      struct mst_arena *arena, const struct mst_value **out, struct mst_err *err)
{
    if (bytes.n > MST_DOCUMENT_BYTES_MAX)
        return mst_fail(err, MST_ELIMIT, "%s: the message is larger than %zu MiB", message->name,
                        MST_DOCUMENT_BYTES_MAX >> 20);
    if (!bytes.p)
        bytes = MST_STR("");
    struct builder b;
    b.arena = arena;
    b.begin = bytes.p;
    b.n = b.depth = 0;
    b.cap = (uint32_t)(bytes.n / BYTES_PER_ENTRY) + ENTRIES_MIN + 2 * first_count;
    b.tape = mst_arena_alloc(arena, b.cap * sizeof(*b.tape));
    b.err = err;
    b.rc = MST_OK;
    (void)open_message(&b, message, bytes, false); /* the first always fits */
    for (uint32_t i = 0; i < first_count; i++) {
        push(&b, MST_STRING, first[i].key, strlen(first[i].key));
        (void)push_text(&b, first[i].value);
        b.open[0].count++;
    }
    while (b.depth)
        if (!read_fields(&b))
            return b.rc;
    *out = b.tape;
    return MST_OK;
}
