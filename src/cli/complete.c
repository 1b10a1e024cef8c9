/*
 * complete.c - what may come next on a command line, for kubectl's completion.
 *
 * Source: kubernetes v1.37 kubectl pkg/cmd/plugin (plugin_completion.go): the words as arguments,
 *         the last one unfinished; answers one a line, then a directive after a colon.
 */
#include "cli/command.h"

#define DIRECTIVE_FILES ":0\n"
#define DIRECTIVE_NOTHING ":4\n"

static void offer(struct mst_buf *out, struct mst_str begun, struct mst_str word)
{
    if (word.n < begun.n || memcmp(word.p, begun.p, begun.n) != 0)
        return;
    mst_buf_str(out, word);
    mst_buf_char(out, '\n');
}

static void offer_alternatives(struct mst_buf *out, struct mst_str begun, const char *list)
{
    while (*list) {
        const size_t n = strcspn(list, "|");
        offer(out, begun, (struct mst_str){ list, n });
        list += n + (list[n] == '|');
    }
}

static void offer_commands(struct mst_buf *out, struct mst_str begun)
{
    uint32_t count;
    const struct mst_command *const *commands = mst_commands(&count);
    for (uint32_t i = 0; i < count; i++)
        if (commands[i]->plugin)
            offer(out, begun, mst_str_of(commands[i]->name));
}

static void offer_flags(struct mst_buf *out, struct mst_str begun,
                        const struct mst_command *command)
{
    for (uint32_t i = 0; i < command->flag_count; i++) {
        MST_AUTO(mst_buf) word = { 0 };
        mst_buf_printf(&word, "--%s", command->flags[i].name);
        offer(out, begun, mst_buf_span(&word));
    }
    offer(out, begun, MST_STR("--help"));
}

/* The flag whose value comes after this word, or NULL. */
static const struct mst_flag *flag_before(const struct mst_command *command, const char *word)
{
    for (uint32_t i = 0; i < command->flag_count; i++) {
        const struct mst_flag *flag = &command->flags[i];
        const bool by_letter = word[0] == '-' && word[1] && word[1] == flag->letter && !word[2];
        const bool by_name = word[0] == '-' && word[1] == '-' && strcmp(word + 2, flag->name) == 0;
        if (flag->arg && (by_letter || by_name))
            return flag;
    }
    return NULL;
}

void mst_complete(int count, char *const *words, struct mst_buf *out)
{
    const struct mst_str begun = count ? mst_str_of(words[count - 1]) : MST_STR("");
    const struct mst_command *command = count > 1 ? mst_command_find(words[0]) : NULL;
    const struct mst_flag *flag = command ? flag_before(command, words[count - 2]) : NULL;
    if (count <= 1)
        offer_commands(out, begun);
    else if (flag && flag->values)
        offer_alternatives(out, begun, flag->values);
    else if (command && !flag && begun.n && begun.p[0] == '-')
        offer_flags(out, begun, command);
    else if (command && !flag && command->words)
        offer_alternatives(out, begun, command->words);
    mst_buf_text(out, flag && flag->file ? DIRECTIVE_FILES : DIRECTIVE_NOTHING);
}
