/*
 * command.c - the list of subcommands, their help, and what they all print with.
 */
#include "cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static const struct mst_command *const commands[] = {
#define MST_COMMAND(name) &mst_command_##name,
#include "cli/commands.def"
#undef MST_COMMAND
};

const struct mst_command *const *mst_commands(uint32_t *ret_count)
{
    *ret_count = MST_COUNT(commands);
    return commands;
}

const struct mst_command *mst_command_find(const char *name)
{
    for (size_t i = 0; i < MST_COUNT(commands); i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const struct mst_command *mst_command_of_program(const char *path)
{
    return strcmp(name_of(path), "kube-scheduler") == 0 ? mst_command_find("scheduler") : NULL;
}

bool mst_program_is_plugin(const char *path)
{
    return strcmp(name_of(path), "kubectl-muster") == 0;
}

bool mst_program_completes(const char *path)
{
    return strcmp(name_of(path), "kubectl_complete-muster") == 0;
}

int mst_usage_error(const struct mst_command *command, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "muster %s: ", command->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\nmuster %s --help says more\n", command->name);
    return MST_EXIT_BAD_INPUT;
}

int mst_usage_errors(const struct mst_command *command, struct mst_str lines)
{
    while (lines.n) {
        const char *end = memchr(lines.p, '\n', lines.n);
        size_t n = end ? (size_t)(end - lines.p) : lines.n;
        fprintf(stderr, "muster %s: %.*s\n", command->name, (int)n, lines.p);
        n += end != NULL;
        lines.p += n;
        lines.n -= n;
    }
    fprintf(stderr, "muster %s --help says more\n", command->name);
    return MST_EXIT_BAD_INPUT;
}

/* ---- help ---- */

/* Text with its further lines indented as far as the first. */
static void print_indented(struct mst_buf *out, const char *text, uint32_t column)
{
    for (; *text; text++) {
        mst_buf_char(out, *text);
        if (*text == '\n')
            mst_buf_printf(out, "%*s", (int)column, "");
    }
    mst_buf_char(out, '\n');
}

static void print_flag(struct mst_buf *out, const struct mst_flag *flag)
{
    enum { COLUMN = 34 };
    size_t begin = out->n;
    if (flag->letter)
        mst_buf_printf(out, "  -%c, --%s", flag->letter, flag->name);
    else
        mst_buf_printf(out, "      --%s", flag->name);
    if (flag->arg)
        mst_buf_printf(out, " %s", flag->values ? flag->values : flag->arg);
    else if (flag->boolean)
        mst_buf_text(out, "[=true|false]");
    if (out->n - begin + 2 > COLUMN)
        mst_buf_printf(out, "\n%*s", COLUMN, "");
    else
        mst_buf_printf(out, "%*s", (int)(COLUMN - (out->n - begin)), "");
    print_indented(out, flag->help, COLUMN);
}

void mst_help_plugin(struct mst_buf *out)
{
    mst_buf_text(out, "muster says how groups of pods stand in a cluster, and why they wait.\n\n"
                      "usage: kubectl muster COMMAND [FLAG...]\n\ncommands:\n");
    for (size_t i = 0; i < MST_COUNT(commands); i++)
        if (commands[i]->plugin)
            mst_buf_printf(out, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    mst_buf_text(out,
                 "\n`kubectl muster COMMAND --help` describes one of them. They read the cluster "
                 "of the\nkubeconfig; -f FILE adds manifests to it: what if? `muster` has more "
                 "commands.\n"
                 "\nexit codes: 0 fine; 1 the system failed; 2 bad input; 3 something stays "
                 "unschedulable\n");
}

static void print_overview(struct mst_buf *out)
{
    mst_buf_text(out, "muster places groups of pods on nodes: all aboard or none.\n\n"
                      "usage: muster COMMAND [FLAG...]\n\ncommands:\n");
    for (size_t i = 0; i < MST_COUNT(commands); i++)
        mst_buf_printf(out, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    mst_buf_text(out, "\n`muster help COMMAND` or `muster COMMAND --help` describes one of them.\n"
                      "\nexit codes: 0 fine; 1 the system failed; 2 bad input; 3 something stays "
                      "unschedulable\n");
}

void mst_help_print(const struct mst_command *command, struct mst_buf *out)
{
    if (!command) {
        print_overview(out);
        return;
    }
    mst_buf_printf(out, "muster %s - %s\n\nusage: muster %s %s\n", command->name, command->summary,
                   command->name, command->usage);
    if (command->about)
        mst_buf_printf(out, "\n%s\n", command->about);
    mst_buf_text(out, "\nflags:\n");
    for (uint32_t i = 0; i < command->flag_count; i++)
        print_flag(out, &command->flags[i]);
    static const struct mst_flag help = { .name = "help", .letter = 'h', .help = "this text" };
    print_flag(out, &help);
    if (command->examples)
        mst_buf_printf(out, "\nexamples:\n%s", command->examples);
}

/* ---- alternatives ---- */

/* Walks "a|b|c". */
static bool next_alternative(const char **at, struct mst_str *out)
{
    if (!*at || !**at)
        return false;
    const char *end = strchr(*at, '|');
    *out = (struct mst_str){ *at, end ? (size_t)(end - *at) : strlen(*at) };
    *at = end ? end + 1 : *at + out->n;
    return true;
}

bool mst_is_alternative(const char *alternatives, const char *text)
{
    struct mst_str word;
    for (const char *at = alternatives; next_alternative(&at, &word);)
        if (mst_str_is(word, text))
            return true;
    return false;
}

/* How many letters to insert, drop or replace; words are short, longer ones count as far. */
static uint32_t distance(struct mst_str a, struct mst_str b)
{
    enum { WORD_MAX = 48 };
    uint32_t row[WORD_MAX + 1];
    if (a.n > WORD_MAX || b.n > WORD_MAX)
        return UINT32_MAX;
    for (uint32_t j = 0; j <= b.n; j++)
        row[j] = j;
    for (uint32_t i = 1; i <= a.n; i++) {
        uint32_t diagonal = row[0];
        row[0] = i;
        for (uint32_t j = 1; j <= b.n; j++) {
            uint32_t replace = diagonal + (a.p[i - 1] != b.p[j - 1]);
            diagonal = row[j];
            row[j] = MST_MIN(replace, MST_MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[b.n];
}

struct mst_str mst_nearest(const char *alternatives, const char *text)
{
    struct mst_str word, best = MST_STR_NONE, given = mst_str_of(text);
    uint32_t best_distance = UINT32_MAX;
    for (const char *at = alternatives; next_alternative(&at, &word);) {
        uint32_t d = distance(word, given);
        /* The beginning of a word is as good as a slip of one letter. */
        if (given.n && word.n > given.n && memcmp(word.p, given.p, given.n) == 0)
            d = 1;
        if (d < best_distance) {
            best_distance = d;
            best = word;
        }
    }
    size_t longest = MST_MAX(given.n, best.n);
    return best_distance <= 1 + longest / 5 ? best : MST_STR_NONE;
}

int mst_print(const struct mst_buf *buf)
{
    size_t n = buf->n ? fwrite(buf->p, 1, buf->n, stdout) : 0;
    if (n == buf->n && fflush(stdout) == 0)
        return MST_EXIT_OK;
    if (errno != EPIPE)
        fprintf(stderr, "muster: standard output cannot be written\n");
    return MST_EXIT_FAILED;
}
