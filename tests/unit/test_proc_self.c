/* What is read from /proc: whole, in parts, damaged, and the real one. */
#include "daemon/proc_self.h"

#include "proc_fake.h"
#include "tap.h"

static struct mst_proc_self read_fake(const struct proc_fake *fake)
{
    struct mst_proc_self self;
    mst_proc_self_read(fake->root, &self);
    return self;
}

static void test_whole(struct mst_test *t)
{
    struct proc_fake fake;
    proc_fake_init(&fake);
    const struct mst_proc_self self = read_fake(&fake);
    t_ok(t, self.has_stat && self.has_start && self.has_files && self.has_limits);
    t_ok(t, self.cpu_s == 12.5 + 3.25);
    t_ok(t, self.virtual_bytes == 123456789);
    t_ok(t, self.resident_bytes == 1000.0 * (double)sysconf(_SC_PAGESIZE));
    t_ok(t, self.start_unix_s == 1700000000 + 42.5);
    t_ok(t, self.files == 2); /* of three, less the one that is opened to look */
    t_ok(t, self.files_max == 1024);
    t_ok(t, self.virtual_max == 18446744073709551616.0);
    t_ok(t, self.has_network && self.received_bytes == 5000000000.0 && self.sent_bytes == 77);
    proc_fake_done(&fake);
}

static void test_parts(struct mst_test *t)
{
    struct proc_fake fake;
    proc_fake_init(&fake);
    proc_fake_write(&fake, "stat", "cpu 1 2 3\n");
    proc_fake_write(&fake, "self/limits", "Limit  Soft Limit\nMax open files  1024  2048 files\n");
    const struct mst_proc_self self = read_fake(&fake);
    t_ok(t, self.has_stat && !self.has_start && self.has_files);
    t_ok(t, !self.has_limits);
    proc_fake_done(&fake);
}

static void test_damaged(struct mst_test *t)
{
    static const char *const stats[] = { "", "1", "1 (x", "1 (x)", "1 (x) S 1 2 3", ")" };
    static const char *const nets[] = {
        "",
        "IpExt: InOctets OutOctets\n",
        "IpExt: InOctets OutOctets\nIpExt: 1",
        "IpExt: InOctets OutOctets\nIpExt: 1\nTcpExt: 5\n",
        "IpExt: A B\nIpExt: 1 2\n",
        "IpExt:",
        "IpExt: \nIpExt: ",
        "IpExt: InOctetsX OutOctets\nIpExt: 1 2\n",
    };
    struct proc_fake fake;
    proc_fake_init(&fake);
    for (size_t i = 0; i < MST_COUNT(stats); i++) {
        proc_fake_write(&fake, "self/stat", stats[i]);
        t_case(t, stats[i]);
        t_ok(t, !read_fake(&fake).has_stat && !read_fake(&fake).has_start);
    }
    for (size_t i = 0; i < MST_COUNT(nets); i++) {
        proc_fake_write(&fake, "self/net/netstat", nets[i]);
        t_case(t, nets[i]);
        t_ok(t, !read_fake(&fake).has_network);
    }
    proc_fake_done(&fake);
}

static void test_nothing(struct mst_test *t)
{
    struct mst_proc_self self;
    mst_proc_self_read("/nowhere", &self);
    t_ok(t, !self.has_stat && !self.has_start && !self.has_files && !self.has_limits);
    t_ok(t, !self.has_network);
}

static void test_ours(struct mst_test *t)
{
    struct mst_proc_self self;
    mst_proc_self_read("/proc", &self);
    t_ok(t, self.has_stat && self.has_start && self.has_files && self.has_limits);
    t_ok(t, self.resident_bytes > 4096 && self.virtual_bytes > self.resident_bytes);
    t_ok(t, self.start_unix_s > 1.5e9);
    t_ok(t, self.files >= 3 && self.files_max >= self.files);
}

MST_TEST_MAIN(T(test_whole), T(test_parts), T(test_damaged), T(test_nothing), T(test_ours))
