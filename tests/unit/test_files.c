/* Files, directories and standard input, in a fixed order; what cannot be read is told. */
#include "sim/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

static void put(const char *dir, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    mst_assert(file);
    fputs(text, file);
    fclose(file);
}

static void drop(const char *dir, const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    unlink(path);
}

static void test_files_directory_is_sorted(struct mst_test *t)
{
    static const char *const names[] = { "b.yaml", "a.json", "c.yml", ".hidden.yaml", "note.txt" };
    char dir[] = "/tmp/muster-files-XXXXXX";
    t_ok(t, mkdtemp(dir) != NULL);
    for (size_t i = 0; i < MST_COUNT(names); i++)
        put(dir, names[i], names[i]);
    struct mst_files files = { 0 };
    struct mst_diags diags = { 0 };
    char slashed[64];
    snprintf(slashed, sizeof(slashed), "%s/", dir);
    mst_files_add(&files, slashed, &diags);
    t_int(t, diags.error_count, 0);
    t_int(t, files.list.n, 3);
    t_str(t, files.list.v[0].text, "a.json");
    t_str(t, files.list.v[1].text, "b.yaml");
    t_str(t, files.list.v[2].text, "c.yml");
    t_ok(t, !strstr(files.list.v[0].path.p, "//"));
    mst_files_done(&files);
    mst_diags_done(&diags);
    for (size_t i = 0; i < MST_COUNT(names); i++)
        drop(dir, names[i]);
    rmdir(dir);
}

static void test_files_unreadable_are_told(struct mst_test *t)
{
    char dir[] = "/tmp/muster-files-XXXXXX";
    t_ok(t, mkdtemp(dir) != NULL);
    struct mst_files files = { 0 };
    struct mst_diags diags = { 0 };
    mst_files_add(&files, "/nonexistent/x.yaml", &diags);
    mst_files_add(&files, dir, &diags);
    t_int(t, diags.error_count, 2);
    t_int(t, files.list.n, 0);
    t_str(t, diags.list.v[0].file, "/nonexistent/x.yaml");
    t_str(t, diags.list.v[0].text, "No such file or directory");
    t_str(t, diags.list.v[1].text, "no *.yaml, *.yml or *.json in this directory");
    mst_files_done(&files);
    mst_diags_done(&diags);
    rmdir(dir);
}

static void test_files_stdin_only_once(struct mst_test *t)
{
    struct mst_files files = { 0 };
    struct mst_diags diags = { 0 };
    t_ok(t, freopen("/dev/null", "r", stdin) != NULL);
    mst_files_add(&files, "-", &diags);
    t_int(t, diags.error_count, 0);
    mst_files_add(&files, "-", &diags);
    t_int(t, diags.error_count, 1);
    t_str(t, diags.list.v[0].text, "standard input can be read only once");
    mst_files_done(&files);
    mst_diags_done(&diags);
}

MST_TEST_MAIN(T(test_files_directory_is_sorted), T(test_files_unreadable_are_told),
              T(test_files_stdin_only_once))
