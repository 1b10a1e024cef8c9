/*
 * proc_self.c - reads /proc/self.
 */
#include "daemon/proc_self.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    FILE_BYTES_MAX = 64 << 10,
    /* What /proc counts time in is fixed for programs, whatever the kernel's own is. */
    TICKS_PER_S = 100,
    /* Fields of stat behind the name, which may hold blanks and parentheses; from 0. */
    STAT_USER = 11,
    STAT_SYSTEM = 12,
    STAT_START = 19,
    STAT_VIRTUAL = 20,
    STAT_RESIDENT = 21,
    STAT_FIELDS = 22,
};

/* The file as text that ends in a 0; empty if it cannot be read. */
static const char *read_text(const char *root, const char *name, struct mst_buf *out)
{
    char path[512];
    char bytes[4096];
    size_t n;
    out->n = 0;
    snprintf(path, sizeof(path), "%s/%s", root, name);
    FILE *file = fopen(path, "re");
    while (file && out->n < FILE_BYTES_MAX && (n = fread(bytes, 1, sizeof(bytes), file)) > 0)
        mst_buf_add(out, bytes, n);
    if (file)
        fclose(file);
    mst_buf_char(out, '\0');
    return out->p;
}

/* When the machine started, in seconds since 1970. */
static bool read_boot(const char *root, double *out)
{
    MST_AUTO(mst_buf) text = { 0 };
    const char *line = strstr(read_text(root, "stat", &text), "\nbtime ");
    if (line)
        *out = strtod(line + sizeof("\nbtime ") - 1, NULL);
    return line && *out > 0;
}

static void read_stat(const char *root, struct mst_proc_self *out)
{
    MST_AUTO(mst_buf) text = { 0 };
    double fields[STAT_FIELDS], boot_s;
    const char *at = strrchr(read_text(root, "self/stat", &text), ')');
    uint32_t n = 0;
    /* The first one, the state, is a letter and counts as 0. */
    for (at = at ? strchr(at, ' ') : NULL; at && n < STAT_FIELDS; at = strchr(at + 1, ' '))
        fields[n++] = strtod(at + 1, NULL);
    if (n < STAT_FIELDS)
        return;
    out->has_stat = true;
    out->cpu_s = (fields[STAT_USER] + fields[STAT_SYSTEM]) / TICKS_PER_S;
    out->virtual_bytes = fields[STAT_VIRTUAL];
    out->resident_bytes = fields[STAT_RESIDENT] * (double)sysconf(_SC_PAGESIZE);
    out->has_start = read_boot(root, &boot_s);
    if (out->has_start)
        out->start_unix_s = boot_s + fields[STAT_START] / TICKS_PER_S;
}

/* Without "." and "..", and without the one that is opened to look. */
static void count_files(const char *root, struct mst_proc_self *out)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/self/fd", root);
    DIR *dir = opendir(path);
    if (!dir)
        return;
    double count = -1;
    for (const struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    out->files = count > 0 ? count : 0;
    out->has_files = true;
}

/* The first number behind the name: the soft limit. */
static bool find_limit(const char *text, const char *name, double *out)
{
    const char *line = strstr(text, name);
    if (!line)
        return false;
    line += strlen(name);
    line += strspn(line, " ");
    *out = strncmp(line, "unlimited", strlen("unlimited")) == 0 ? (double)UINT64_MAX
                                                                : strtod(line, NULL);
    return true;
}

static void read_limits(const char *root, struct mst_proc_self *out)
{
    MST_AUTO(mst_buf) text = { 0 };
    const char *limits = read_text(root, "self/limits", &text);
    out->has_limits = find_limit(limits, "Max open files", &out->files_max) &&
                      find_limit(limits, "Max address space", &out->virtual_max);
}

/* The value that stands in the second line of these where the name stands in the first. */
static bool find_column(const char *names, const char *values, const char *name, double *out)
{
    const size_t n = strlen(name);
    while (names && values && *names != '\n') {
        names++, values++;
        const bool found = strncmp(names, name, n) == 0 && (names[n] == ' ' || names[n] == '\n');
        if (found) {
            *out = strtod(values, NULL);
            return true;
        }
        names += strcspn(names, " \n");
        values = *names == ' ' ? strpbrk(values, " \n") : NULL;
        if (values && *values == '\n')
            return false;
    }
    return false;
}

static void read_network(const char *root, struct mst_proc_self *out)
{
    MST_AUTO(mst_buf) text = { 0 };
    const char *names = strstr(read_text(root, "self/net/netstat", &text), "IpExt: ");
    const char *values = names ? strstr(names + 1, "\nIpExt: ") : NULL;
    if (!values)
        return;
    names = strchr(names, ' ');
    values = strchr(values, ' ');
    out->has_network = find_column(names, values, "InOctets", &out->received_bytes) &&
                       find_column(names, values, "OutOctets", &out->sent_bytes);
}

void mst_proc_self_read(const char *root, struct mst_proc_self *out)
{
    *out = (struct mst_proc_self){ 0 };
    read_stat(root, out);
    count_files(root, out);
    read_limits(root, out);
    read_network(root, out);
}
