/* Command lines against the flags of a command: values, errors, nearest matches. */
#include "cli/command.h"

#include "tap.h"

static const struct mst_flag flags[] = {
    { .name = "filename", .letter = 'f', .arg = "FILE", .repeats = true, .help = "h" },
    { .name = "output", .letter = 'o', .arg = "FORMAT", .values = "table|wide", .help = "h" },
    { .name = "explain", .help = "h" },
    { .name = "count", .arg = "N", .help = "h" },
    { .name = "until", .arg = "DURATION", .help = "h" },
    { .name = "elect", .repeats = true, .boolean = true, .help = "h" },
};
static const struct mst_command command = {
    .name = "test",
    .summary = "s",
    .usage = "u",
    .flags = flags,
    .flag_count = MST_COUNT(flags),
    .positional_max = 1,
    .words = "bash|zsh",
};

/* Parses words separated by one blank each. */
static bool parse(const char *line, struct mst_args *args, struct mst_buf *errors, char *copy)
{
    char *words[32];
    int n = 0;
    strncpy(copy, line, 255);
    copy[255] = 0;
    for (char *at = copy; *at;) {
        words[n++] = at;
        char *blank = strchr(at, ' ');
        if (!blank)
            break;
        *blank = 0;
        at = blank + 1;
    }
    return mst_args_parse(&command, n, words, args, errors);
}

/* As Go's flags: a value only behind "=", the last one counts. */
static void test_cmdline_booleans(struct mst_test *t)
{
    static const struct {
        const char *line;
        bool ok, value;
        uint32_t words;
    } cases[] = {
        { "zsh", true, true, 1 }, /* not given: what the caller says */
        { "--elect zsh", true, true, 1 },
        { "--elect=false zsh", true, false, 1 },
        { "--elect=false --elect=T", true, true, 0 },
        { "--elect --elect=0", true, false, 0 },
        { "--elect=no", false, true, 0 },
        { "--elect=", false, true, 0 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_args args = { 0 };
        MST_AUTO(mst_buf) errors = { 0 };
        char copy[256];
        t_case(t, cases[i].line);
        t_bool(t, parse(cases[i].line, &args, &errors, copy), cases[i].ok);
        t_bool(t, mst_args_bool(&args, "elect", true), cases[i].value);
        t_int(t, args.words.n, cases[i].words);
        mst_args_done(&args);
    }
}

static void test_cmdline_letter_with_equals(struct mst_test *t)
{
    struct mst_args args = { 0 };
    MST_AUTO(mst_buf) errors = { 0 };
    char copy[256];
    t_ok(t, parse("-f=a", &args, &errors, copy));
    t_text(t, mst_args_text(&args, "filename", ""), "a");
    mst_args_done(&args);
}

static void test_cmdline_forms_of_values(struct mst_test *t)
{
    static const char *const lines[] = { "-f a --output wide zsh", "-fa -owide zsh",
                                         "--filename=a --output=wide zsh",
                                         "zsh --filename a -o wide", "-f a -o wide -- zsh" };
    for (size_t i = 0; i < MST_COUNT(lines); i++) {
        struct mst_args args = { 0 };
        MST_AUTO(mst_buf) errors = { 0 };
        char copy[256];
        t_case(t, lines[i]);
        t_ok(t, parse(lines[i], &args, &errors, copy));
        t_text(t, mst_args_text(&args, "filename", ""), "a");
        t_text(t, mst_args_text(&args, "output", ""), "wide");
        t_ok(t, !mst_args_has(&args, "explain"));
        t_int(t, args.words.n, 1);
        t_text(t, args.words.v[0], "zsh");
        mst_args_done(&args);
    }
}

static void test_cmdline_help_and_repeats(struct mst_test *t)
{
    struct mst_args args = { 0 };
    MST_AUTO(mst_buf) errors = { 0 };
    char copy[256];
    t_ok(t, parse("-f a -f b --explain -h", &args, &errors, copy));
    t_ok(t, args.help);
    t_ok(t, mst_args_has(&args, "explain"));
    t_int(t, args.given.n, 3);
    t_text(t, mst_args_text(&args, "filename", ""), "b");
    t_text(t, mst_args_text(&args, "output", "none"), "none");
    mst_args_done(&args);
}

static void test_cmdline_errors(struct mst_test *t)
{
    static const struct {
        const char *line, *want;
    } cases[] = {
        { "--outptu wide", "unknown flag --outptu; did you mean --output?\n" },
        { "--zzz", "unknown flag --zzz\n" },
        { "-x", "unknown flag -x\n" },
        { "-o tabel",
          "flag --output: invalid value \"tabel\"; allowed: table, wide; did you mean table?\n" },
        { "-o json", "flag --output: invalid value \"json\"; allowed: table, wide\n" },
        { "--output", "flag --output: needs a value (table|wide)\n" },
        { "--count", "flag --count: needs a value (N)\n" },
        { "--explain=yes", "flag --explain: takes no value, got \"yes\"\n" },
        { "-o wide -o table", "flag --output: given more than once\n" },
        { "fish", "invalid argument \"fish\"; allowed: bash, zsh\n" },
        { "bash zsh", "unexpected argument \"zsh\"; files are given with -f zsh\n" },
        { "--zzz value -o x",
          "unknown flag --zzz\nflag --output: invalid value \"x\"; allowed: table, wide\n" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_args args = { 0 };
        MST_AUTO(mst_buf) errors = { 0 };
        char copy[256];
        t_case(t, cases[i].line);
        t_ok(t, !parse(cases[i].line, &args, &errors, copy));
        t_str(t, mst_buf_span(&errors), cases[i].want);
        mst_args_done(&args);
    }
}

static void test_cmdline_numbers_and_durations(struct mst_test *t)
{
    static const struct {
        const char *line;
        bool ok;
        int64_t value;
    } cases[] = {
        { "--count 5", true, 5 },    { "--count 9", true, 9 },
        { "--count -1", false, 42 }, { "--count 10", false, 42 },
        { "--count 5x", false, 42 }, { "--count -", false, 42 },
        { "--explain", true, 42 },   { "--count 99999999999999999999", false, 42 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_args args = { 0 };
        MST_AUTO(mst_buf) errors = { 0 };
        char copy[256];
        int64_t value = 42;
        t_case(t, cases[i].line);
        t_ok(t, parse(cases[i].line, &args, &errors, copy));
        t_bool(t, mst_args_number(&args, "count", 0, 9, &value), cases[i].ok);
        t_int(t, value, cases[i].value);
        mst_args_done(&args);
    }
    struct mst_args args = { 0 };
    MST_AUTO(mst_buf) errors = { 0 };
    char copy[256];
    int64_t ns = 0;
    t_ok(t, parse("--until 1m", &args, &errors, copy));
    t_ok(t, mst_args_duration(&args, "until", &ns));
    t_int(t, ns, 60000000000);
    mst_args_done(&args);
}

MST_TEST_MAIN(T(test_cmdline_booleans), T(test_cmdline_letter_with_equals),
              T(test_cmdline_forms_of_values), T(test_cmdline_help_and_repeats),
              T(test_cmdline_errors), T(test_cmdline_numbers_and_durations))
