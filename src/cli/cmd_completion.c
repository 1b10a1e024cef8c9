/*
 * cmd_completion.c - muster completion: scripts for bash and zsh, made from the tables of commands.
 */
#include "cli/command.h"

/* "a|b" as "a b". */
static void add_words(struct mst_buf *out, const char *alternatives)
{
    for (const char *c = alternatives; *c; c++)
        mst_buf_char(out, *c == '|' ? ' ' : *c);
}

static void add_command_names(struct mst_buf *out)
{
    uint32_t count;
    const struct mst_command *const *commands = mst_commands(&count);
    for (uint32_t i = 0; i < count; i++)
        mst_buf_printf(out, "%s%s", i ? " " : "", commands[i]->name);
}

/* ---- bash ---- */

static void bash_flag_values(struct mst_buf *out, const struct mst_command *command)
{
    for (uint32_t i = 0; i < command->flag_count; i++) {
        const struct mst_flag *flag = &command->flags[i];
        if (!flag->arg)
            continue;
        mst_buf_printf(out, "    %s:--%s", command->name, flag->name);
        if (flag->letter)
            mst_buf_printf(out, " | %s:-%c", command->name, flag->letter);
        mst_buf_text(out, ")\n        ");
        if (flag->values) {
            mst_buf_text(out, "COMPREPLY=($(compgen -W \"");
            add_words(out, flag->values);
            mst_buf_text(out, "\" -- \"$cur\"))");
        } else if (flag->file) {
            mst_buf_text(out, "COMPREPLY=($(compgen -f -- \"$cur\"))");
        } else {
            mst_buf_text(out, "COMPREPLY=()");
        }
        mst_buf_text(out, "\n        return\n        ;;\n");
    }
    if (command->file_after)
        mst_buf_printf(out,
                       "    %s:%s)\n"
                       "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
                       "        return\n        ;;\n",
                       command->name, command->file_after);
}

static void bash_words(struct mst_buf *out, const struct mst_command *command)
{
    mst_buf_printf(out, "    %s) words=\"", command->name);
    for (uint32_t i = 0; i < command->flag_count; i++) {
        mst_buf_printf(out, "--%s ", command->flags[i].name);
        if (command->flags[i].letter)
            mst_buf_printf(out, "-%c ", command->flags[i].letter);
    }
    if (command->words) {
        add_words(out, command->words);
        mst_buf_char(out, ' ');
    }
    if (strcmp(command->name, "help") == 0) {
        add_command_names(out);
        mst_buf_char(out, ' ');
    }
    mst_buf_text(out, "--help\" ;;\n");
}

static void print_bash(struct mst_buf *out)
{
    uint32_t count;
    const struct mst_command *const *commands = mst_commands(&count);
    mst_buf_text(out, "# bash completion for muster; made by `muster completion bash`\n\n"
                      "_muster() {\n"
                      "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                      "    local command=${COMP_WORDS[1]} words\n"
                      "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                      "        COMPREPLY=($(compgen -W \"");
    add_command_names(out);
    mst_buf_text(out, "\" -- \"$cur\"))\n        return\n    fi\n    case $command:$prev in\n");
    for (uint32_t i = 0; i < count; i++)
        bash_flag_values(out, commands[i]);
    mst_buf_text(out, "    esac\n    case $command in\n");
    for (uint32_t i = 0; i < count; i++)
        bash_words(out, commands[i]);
    mst_buf_text(out, "    esac\n"
                      "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                      "}\n\n"
                      "complete -F _muster muster\n");
}

/* ---- zsh ---- */

/* The first line of a help text, made safe for a specification in single quotes. */
static void zsh_help(struct mst_buf *out, const char *help)
{
    for (; *help && *help != '\n'; help++) {
        if (*help == '\'')
            mst_buf_text(out, "'\\''");
        else if (strchr("[]:\\", *help))
            mst_buf_printf(out, "\\%c", *help);
        else
            mst_buf_char(out, *help);
    }
}

static void zsh_value(struct mst_buf *out, const struct mst_flag *flag)
{
    if (!flag->arg)
        return;
    mst_buf_printf(out, ":%s:", flag->name);
    if (flag->values) {
        mst_buf_char(out, '(');
        add_words(out, flag->values);
        mst_buf_char(out, ')');
    } else if (flag->file) {
        mst_buf_text(out, "_files");
    }
}

static void zsh_flag(struct mst_buf *out, const struct mst_flag *flag)
{
    const char *times = flag->repeats ? "*" : "";
    mst_buf_printf(out, "            '%s--%s%s[", times, flag->name, flag->arg ? "=" : "");
    zsh_help(out, flag->help);
    mst_buf_char(out, ']');
    zsh_value(out, flag);
    mst_buf_text(out, "' \\\n");
    if (!flag->letter)
        return;
    mst_buf_printf(out, "            '%s-%c[", times, flag->letter);
    zsh_help(out, flag->help);
    mst_buf_char(out, ']');
    zsh_value(out, flag);
    mst_buf_text(out, "' \\\n");
}

static void zsh_command(struct mst_buf *out, const struct mst_command *command)
{
    mst_buf_printf(out, "    %s)\n        _arguments -s \\\n", command->name);
    for (uint32_t i = 0; i < command->flag_count; i++)
        zsh_flag(out, &command->flags[i]);
    mst_buf_text(out, "            '(- *)--help[this text]'");
    if (command->words) {
        mst_buf_text(out, " \\\n            '1:word:(");
        add_words(out, command->words);
        mst_buf_text(out, ")'");
        if (command->file_after)
            mst_buf_text(out, " \\\n            '2:file:_files'");
    } else if (strcmp(command->name, "help") == 0) {
        mst_buf_text(out, " \\\n            '1:command:(");
        add_command_names(out);
        mst_buf_text(out, ")'");
    }
    mst_buf_text(out, "\n        ;;\n");
}

static void print_zsh(struct mst_buf *out)
{
    uint32_t count;
    const struct mst_command *const *commands = mst_commands(&count);
    mst_buf_text(out, "#compdef muster\n"
                      "# zsh completion for muster; made by `muster completion zsh`\n\n"
                      "_muster() {\n"
                      "    local -a commands\n"
                      "    commands=(\n");
    for (uint32_t i = 0; i < count; i++) {
        mst_buf_printf(out, "        '%s:", commands[i]->name);
        zsh_help(out, commands[i]->summary);
        mst_buf_text(out, "'\n");
    }
    mst_buf_text(out, "    )\n"
                      "    if (( CURRENT == 2 )); then\n"
                      "        _describe command commands\n"
                      "        return\n"
                      "    fi\n"
                      "    local command=$words[2]\n"
                      "    shift words\n"
                      "    (( CURRENT-- ))\n"
                      "    case $command in\n");
    for (uint32_t i = 0; i < count; i++)
        zsh_command(out, commands[i]);
    mst_buf_text(out, "    esac\n}\n\n"
                      "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
                      "    _muster \"$@\"\n"
                      "else\n"
                      "    compdef _muster muster\n"
                      "fi\n");
}

static int run(const struct mst_args *args)
{
    MST_AUTO(mst_buf) out = { 0 };
    if (!args->words.n)
        return mst_usage_error(args->command, "which shell? allowed: bash, zsh");
    if (strcmp(args->words.v[0], "bash") == 0)
        print_bash(&out);
    else
        print_zsh(&out);
    return mst_print(&out);
}

const struct mst_command mst_command_completion = {
    .name = "completion",
    .summary = "a script that completes muster's commands and flags",
    .usage = "bash|zsh",
    .positional_max = 1,
    .words = "bash|zsh",
    .examples = "  . <(muster completion bash)\n"
                "  muster completion zsh > \"${fpath[1]}/_muster\"\n",
    .run = run,
};
