/*
 * replay_main.c - runs a fuzz target once over files, where there is no fuzzer.
 *
 * Arguments are files, or directories whose files are taken in order of name; a directory that does
 * not exist is empty. The empty input is always run. Prints TAP: one line per input.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned runs;
static unsigned failures;

static void report(int ok, const char *name)
{
    printf("%s %u - %s\n", ok ? "ok" : "not ok", ++runs, name);
    (void)fflush(stdout);
    failures += !ok;
}

/* The file's bytes in memory of exactly its size, so that a sanitizer sees a read past the end. */
static int run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    uint8_t *data = malloc(size ? size : 1);
    int ok = data && fread(data, 1, size, file) == size;
    (void)fclose(file);
    if (ok)
        (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
    return ok;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void run_path(const char *path)
{
    struct stat info;
    if (stat(path, &info)) {
        if (errno != ENOENT)
            report(0, path);
        return;
    }
    if (!S_ISDIR(info.st_mode)) {
        report(run_file(path, (size_t)info.st_size), path);
        return;
    }
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_visible, alphasort);
    if (count < 0)
        report(0, path);
    for (int i = 0; i < count; i++) {
        char file[4096];
        int n = snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
        if (n > 0 && n < (int)sizeof(file) && !stat(file, &info) && S_ISREG(info.st_mode))
            report(run_file(file, (size_t)info.st_size), file);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    (void)LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    report(1, "empty input");
    for (int i = 1; i < argc; i++)
        run_path(argv[i]);
    printf("1..%u\n", runs);
    return failures != 0;
}
