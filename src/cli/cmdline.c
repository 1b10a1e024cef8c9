/*
 * cmdline.c - a command line against the flags of its command.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "sim/clock.h"

static const struct mst_flag *by_name(const struct mst_command *command, struct mst_str name)
{
    for (uint32_t i = 0; i < command->flag_count; i++)
        if (mst_str_is(name, command->flags[i].name))
            return &command->flags[i];
    return NULL;
}

static const struct mst_flag *by_letter(const struct mst_command *command, char letter)
{
    for (uint32_t i = 0; i < command->flag_count; i++)
        if (letter && command->flags[i].letter == letter)
            return &command->flags[i];
    return NULL;
}

static void unknown_flag(const struct mst_command *command, struct mst_str name,
                         struct mst_buf *errors)
{
    MST_AUTO(mst_buf) names = { 0 };
    for (uint32_t i = 0; i < command->flag_count; i++)
        mst_buf_printf(&names, "%s|", command->flags[i].name);
    mst_buf_text(&names, "help");
    mst_buf_char(&names, 0);
    MST_AUTO(mst_buf) given = { 0 };
    mst_buf_str(&given, name);
    mst_buf_char(&given, 0);
    struct mst_str near = mst_nearest(names.p, given.p);
    mst_buf_printf(errors, "unknown flag --%.*s", MST_ARG(name));
    if (near.n)
        mst_buf_printf(errors, "; did you mean --%.*s?", MST_ARG(near));
    mst_buf_char(errors, '\n');
}

static void add_alternatives(struct mst_buf *errors, const char *alternatives, const char *value)
{
    mst_buf_text(errors, "allowed: ");
    for (const char *c = alternatives; *c; c++)
        mst_buf_text(errors, *c == '|' ? ", " : (char[]){ *c, 0 });
    struct mst_str near = mst_nearest(alternatives, value);
    if (near.n)
        mst_buf_printf(errors, "; did you mean %.*s?", MST_ARG(near));
    mst_buf_char(errors, '\n');
}

static void add_given(struct mst_args *args, const struct mst_flag *flag, const char *value,
                      struct mst_buf *errors)
{
    if (flag->values && !mst_is_alternative(flag->values, value)) {
        mst_buf_printf(errors, "flag --%s: invalid value \"%s\"; ", flag->name, value);
        add_alternatives(errors, flag->values, value);
        return;
    }
    if (!flag->repeats && mst_args_has(args, flag->name)) {
        mst_buf_printf(errors, "flag --%s: given more than once\n", flag->name);
        return;
    }
    mst_vec_push(&args->given, (struct mst_given){ .flag = flag, .value = value });
}

/* The spellings are those of Go's strconv.ParseBool. */
static void add_boolean(struct mst_args *args, const struct mst_flag *flag, const char *value,
                        struct mst_buf *errors)
{
    if (mst_is_alternative("true|True|TRUE|t|T|1", value))
        mst_vec_push(&args->given, (struct mst_given){ .flag = flag, .value = "true" });
    else if (mst_is_alternative("false|False|FALSE|f|F|0", value))
        mst_vec_push(&args->given, (struct mst_given){ .flag = flag, .value = "false" });
    else
        mst_buf_printf(errors, "flag --%s: invalid value \"%s\"; allowed: true, false\n",
                       flag->name, value);
}

/* One flag at argv[at]; returns the index of the next word. */
static int take_flag(struct mst_args *args, int argc, char *const *argv, int at,
                     struct mst_buf *errors)
{
    const char *word = argv[at], *value = NULL;
    bool is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    struct mst_str name = is_long ? (struct mst_str){ word + 2, equals ? (size_t)(equals - word - 2)
                                                                       : strlen(word + 2) }
                                  : (struct mst_str){ word + 1, 1 };
    if (mst_str_is(name, is_long ? "help" : "h")) {
        args->help = true;
        return at + 1;
    }
    const struct mst_flag *flag =
        is_long ? by_name(args->command, name) : by_letter(args->command, word[1]);
    if (!flag) {
        if (is_long)
            unknown_flag(args->command, name, errors);
        else
            mst_buf_printf(errors, "unknown flag -%c\n", word[1]);
        /* What follows is most likely its value: one complaint is enough. */
        bool value_follows = !equals && at + 1 < argc && argv[at + 1][0] != '-';
        return at + 1 + value_follows;
    }
    value = equals ? equals + 1 : !is_long && word[2] ? word + 2 : NULL;
    if (value && !is_long && value[0] == '=')
        value++; /* -v=2, as kube-scheduler takes it */
    if (flag->boolean) {
        add_boolean(args, flag, value ? value : "true", errors);
        return at + 1;
    }
    if (!flag->arg) {
        if (value)
            mst_buf_printf(errors, "flag --%s: takes no value, got \"%s\"\n", flag->name, value);
        else
            add_given(args, flag, NULL, errors);
        return at + 1;
    }
    if (!value && at + 1 < argc)
        value = argv[++at];
    if (!value)
        mst_buf_printf(errors, "flag --%s: needs a value (%s)\n", flag->name,
                       flag->values ? flag->values : flag->arg);
    else
        add_given(args, flag, value, errors);
    return at + 1;
}

static void take_word(struct mst_args *args, const char *word, struct mst_buf *errors)
{
    const char *words = args->command->words;
    if (args->words.n >= args->command->positional_max) {
        mst_buf_printf(errors, "unexpected argument \"%s\"", word);
        if (by_name(args->command, MST_STR("filename")))
            mst_buf_printf(errors, "; files are given with -f %s", word);
        mst_buf_char(errors, '\n');
    } else if (words && args->words.n == 0 && !mst_is_alternative(words, word)) {
        mst_buf_printf(errors, "invalid argument \"%s\"; ", word);
        add_alternatives(errors, words, word);
    } else {
        mst_vec_push(&args->words, word);
    }
}

bool mst_args_parse(const struct mst_command *command, int argc, char *const *argv,
                    struct mst_args *out, struct mst_buf *errors)
{
    size_t before = errors->n;
    bool flags = true;
    out->command = command;
    for (int i = 0; i < argc;) {
        const char *word = argv[i];
        if (flags && strcmp(word, "--") == 0) {
            flags = false;
            i++;
        } else if (flags && word[0] == '-' && word[1]) {
            i = take_flag(out, argc, argv, i, errors);
        } else {
            take_word(out, word, errors);
            i++;
        }
    }
    return errors->n == before;
}

void mst_args_done(struct mst_args *args)
{
    mst_vec_done(&args->given);
    mst_vec_done(&args->words);
}

static const struct mst_given *last_given(const struct mst_args *args, const char *name)
{
    mst_assert(by_name(args->command, mst_str_of(name)));
    for (uint32_t i = args->given.n; i-- > 0;)
        if (strcmp(args->given.v[i].flag->name, name) == 0)
            return &args->given.v[i];
    return NULL;
}

bool mst_args_has(const struct mst_args *args, const char *name)
{
    return last_given(args, name) != NULL;
}

const char *mst_args_text(const struct mst_args *args, const char *name, const char *otherwise)
{
    const struct mst_given *given = last_given(args, name);
    return given ? given->value : otherwise;
}

bool mst_args_bool(const struct mst_args *args, const char *name, bool otherwise)
{
    const struct mst_given *given = last_given(args, name);
    return given ? strcmp(given->value, "true") == 0 : otherwise;
}

bool mst_args_number(const struct mst_args *args, const char *name, int64_t min, int64_t max,
                     int64_t *out)
{
    const char *text = mst_args_text(args, name, NULL);
    if (!text)
        return true;
    const char *digits = text + (text[0] == '-');
    bool ok = *digits && strlen(digits) <= 18 && strspn(digits, "0123456789") == strlen(digits);
    long long value = ok ? strtoll(text, NULL, 10) : 0;
    if (ok && value >= min && value <= max) {
        *out = value;
        return true;
    }
    mst_usage_error(args->command,
                    "flag --%s: invalid value \"%s\"; a whole number from %lld to %lld is needed",
                    name, text, (long long)min, (long long)max);
    return false;
}

bool mst_args_duration(const struct mst_args *args, const char *name, int64_t *ret_ns)
{
    const char *text = mst_args_text(args, name, NULL);
    struct mst_err err;
    if (!text || mst_duration_parse(mst_str_of(text), ret_ns, &err) == MST_OK)
        return true;
    mst_usage_error(args->command, "flag --%s: invalid value %s", name, err.text);
    return false;
}
