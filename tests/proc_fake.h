/*
 * proc_fake.h - a directory that looks like /proc, for what reads it.
 */
#ifndef MST_PROC_FAKE_H
#define MST_PROC_FAKE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

struct proc_fake {
    char root[64];
};

static const char *const proc_fake_files[] = {
    "stat", "self/stat", "self/limits", "self/fd/0", "self/fd/1", "self/fd/2", "self/net/netstat"
};
static const char *const proc_fake_dirs[] = { "self", "self/fd", "self/net" };

static inline void proc_fake_write(const struct proc_fake *fake, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", fake->root, name);
    FILE *file = fopen(path, "we");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

/*
 * 12.5 s and 3.25 s of processor time, started 42.5 s after 1700000000, 123456789 bytes, 1000
 * pages; three files; 5000000000 bytes came and 77 went.
 */
static inline void proc_fake_init(struct proc_fake *fake)
{
    char path[128];
    snprintf(fake->root, sizeof(fake->root), "/tmp/mst-proc-XXXXXX");
    if (!mkdtemp(fake->root))
        abort();
    for (size_t i = 0; i < MST_COUNT(proc_fake_dirs); i++) {
        snprintf(path, sizeof(path), "%s/%s", fake->root, proc_fake_dirs[i]);
        if (mkdir(path, 0700))
            abort();
    }
    for (size_t i = 0; i < MST_COUNT(proc_fake_files); i++)
        proc_fake_write(fake, proc_fake_files[i], "");
    proc_fake_write(fake, "stat", "cpu  1 2 3\nbtime 1700000000\nprocesses 7\n");
    proc_fake_write(fake, "self/stat",
                    "77 (a ) b) S 1 2 3 4 -1 6 7 8 9 10 1250 325 13 14 20 0 1 18 4250 123456789 "
                    "1000 18446744073709551615 1 2\n");
    proc_fake_write(fake, "self/limits",
                    "Limit                     Soft Limit           Hard Limit           Units\n"
                    "Max cpu time              unlimited            unlimited            seconds\n"
                    "Max open files            1024                 20000                files\n"
                    "Max address space         unlimited            unlimited            bytes\n");
    proc_fake_write(fake, "self/net/netstat",
                    "TcpExt: SyncookiesSent InOctets\nTcpExt: 0 9\n"
                    "IpExt: InNoRoutes InTruncatedPkts InOctets OutOctets\n"
                    "IpExt: 1 2 5000000000 77\n");
}

static inline void proc_fake_done(const struct proc_fake *fake)
{
    char path[128];
    for (size_t i = 0; i < MST_COUNT(proc_fake_files); i++) {
        snprintf(path, sizeof(path), "%s/%s", fake->root, proc_fake_files[i]);
        unlink(path);
    }
    for (size_t i = MST_COUNT(proc_fake_dirs); i > 0; i--) {
        snprintf(path, sizeof(path), "%s/%s", fake->root, proc_fake_dirs[i - 1]);
        rmdir(path);
    }
    rmdir(fake->root);
}

#endif
