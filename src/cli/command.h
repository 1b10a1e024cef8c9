/*
 * command.h - what a subcommand is, and its command line once it is read.
 *
 * Adding one: a file cmd_NAME.c that defines mst_command_NAME, and a line in commands.def. Help,
 * completion and errors come from the tables here.
 */
#ifndef MST_COMMAND_H
#define MST_COMMAND_H

#include "base/mem.h"

/* The exit codes of every subcommand. */
enum {
    MST_EXIT_OK = 0,
    MST_EXIT_FAILED = 1,    /* the world: a file cannot be written, a replay differs */
    MST_EXIT_BAD_INPUT = 2, /* the command line or the manifests */
    MST_EXIT_PENDING = 3,   /* simulate, explain, status: something stays unschedulable */
};

struct mst_flag {
    const char *name;   /* without dashes */
    char letter;        /* 0: none */
    const char *arg;    /* what help calls the value; NULL: a switch */
    const char *values; /* "table|wide|json": the only ones allowed; NULL: any */
    const char *help;   /* one line, may hold newlines for more */
    bool repeats;       /* may be given more than once */
    bool file;          /* the value is a path, for completion */
    bool boolean;       /* no value, or =true or =false; the last one counts */
};

struct mst_args;

struct mst_command {
    const char *name;
    const char *summary; /* one line, lower case, no full stop */
    const char *usage;   /* what follows the name */
    const char *about;   /* paragraphs */
    const struct mst_flag *flags;
    uint32_t flag_count;
    uint32_t positional_max; /* words that are no flags */
    const char *words;       /* "bash|zsh": what the first word may be; NULL: anything */
    const char *file_after;  /* the one of them that a path follows, for completion; NULL: none */
    const char *examples;    /* lines */
    bool plugin;             /* of use to kubectl's users: shown in the help of kubectl-muster */
    int (*run)(const struct mst_args *args);
};

struct mst_given {
    const struct mst_flag *flag;
    const char *value; /* NULL for switches */
};

/* Zero-initialised is valid and empty. */
struct mst_args {
    const struct mst_command *command;
    MST_VEC(struct mst_given) given;
    MST_VEC(const char *) words;
    bool help;   /* --help or -h */
    bool plugin; /* run by kubectl, as kubectl-muster */
};

#define MST_COMMAND(name) extern const struct mst_command mst_command_##name;
#include "cli/commands.def"
#undef MST_COMMAND

/* All of them, in the order of commands.def. */
const struct mst_command *const *mst_commands(uint32_t *ret_count);
/* What a program called `path` is, if it is no muster: kube-scheduler; else NULL. */
const struct mst_command *mst_command_of_program(const char *path);
/* Under the name `path` the program is run by kubectl: as its plug-in, or to complete for it. */
bool mst_program_is_plugin(const char *path);
bool mst_program_completes(const char *path);
/* By name, or NULL. */
const struct mst_command *mst_command_find(const char *name);

/*
 * Reads argv[0..argc): flags ("--name value", "--name=value", "-n value", "-nvalue") and words in
 * any order; "--" ends the flags. Errors name the flag, the value, what is allowed and the nearest
 * match.
 */
bool mst_args_parse(const struct mst_command *command, int argc, char *const *argv,
                    struct mst_args *out, struct mst_buf *errors);
void mst_args_done(struct mst_args *args);

/* True when the flag was given; it must be one of the command's (asserted). */
bool mst_args_has(const struct mst_args *args, const char *name);
/* The last value of a boolean flag, or `otherwise`. */
bool mst_args_bool(const struct mst_args *args, const char *name, bool otherwise);
/* The last value, or `otherwise`. The flag must be one of the command's (asserted). */
const char *mst_args_text(const struct mst_args *args, const char *name, const char *otherwise);
/*
 * A whole number in [min, max]; `*out` stays when the flag was not given. False after an error was
 * printed to standard error.
 */
bool mst_args_number(const struct mst_args *args, const char *name, int64_t min, int64_t max,
                     int64_t *out);
/* A duration; as above. */
bool mst_args_duration(const struct mst_args *args, const char *name, int64_t *ret_ns);

/* "muster COMMAND: text" and a hint to --help, to standard error; returns MST_EXIT_BAD_INPUT. */
int mst_usage_error(const struct mst_command *command, const char *format, ...) MST_PRINTF(2, 3);
/* The same for lines that mst_args_parse wrote. */
int mst_usage_errors(const struct mst_command *command, struct mst_str lines);
/* The help of one command, or the overview (NULL). */
void mst_help_print(const struct mst_command *command, struct mst_buf *out);
/* The overview for kubectl's users. */
void mst_help_plugin(struct mst_buf *out);
/*
 * What may stand where the last of the words is, one line each, and the line that tells kubectl
 * what else to offer (":0" files, ":4" nothing). `words` follow the program's name.
 */
void mst_complete(int count, char *const *words, struct mst_buf *out);
/* The alternative of "a|b|c" (or NULL) nearest to `text`, absent when none is near. */
struct mst_str mst_nearest(const char *alternatives, const char *text);
bool mst_is_alternative(const char *alternatives, const char *text);

/* To standard output; MST_EXIT_FAILED with a message when it cannot be written. */
int mst_print(const struct mst_buf *buf);

#endif
