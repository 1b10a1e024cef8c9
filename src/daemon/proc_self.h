/*
 * proc_self.h - what the kernel says about this process: memory, time, files, network.
 *
 * Source: prometheus client_golang process_collector_procfsenabled.go; proc(5).
 */
#ifndef MST_PROC_SELF_H
#define MST_PROC_SELF_H

#include "base/base.h"

/* Each group is there or not: a file that cannot be read or makes no sense leaves its own out. */
struct mst_proc_self {
    bool has_stat, has_start, has_files, has_limits, has_network;
    double cpu_s;         /* user and system */
    double start_unix_s;  /* has_start */
    double virtual_bytes; /* has_stat, as the next one */
    double resident_bytes;
    double files;                      /* has_files: that are open */
    double files_max, virtual_max;     /* has_limits */
    double received_bytes, sent_bytes; /* has_network: of its network namespace */
};

/* `root` is "/proc", but for tests. */
void mst_proc_self_read(const char *root, struct mst_proc_self *out);

#endif
