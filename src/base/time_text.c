/*
 * time_text.c - points in time as text.
 */
#include "base/time_text.h"

#include <stdio.h>

void mst_time_print(int64_t unix_s, int32_t nanos, struct mst_buf *out)
{
    /* Days to a civil date by eras of 400 years that begin on the first of March. */
    int64_t days = unix_s / 86400, second = unix_s % 86400;
    if (second < 0) {
        second += 86400;
        days--;
    }
    int64_t z = days + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t of_era = z - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153;
    int64_t day = of_year - (153 * month + 2) / 5 + 1;
    year += era * 400;
    month += month < 10 ? 3 : -9;
    if (month <= 2)
        year++;
    mst_buf_printf(out, "%04lld-%02lld-%02lldT%02lld:%02lld:%02lld", (long long)year,
                   (long long)month, (long long)day, (long long)(second / 3600),
                   (long long)(second / 60 % 60), (long long)(second % 60));
    if (nanos) {
        char digits[16];
        int n = snprintf(digits, sizeof(digits), "%09d", (int)nanos);
        while (n > 1 && digits[n - 1] == '0')
            n--;
        mst_buf_printf(out, ".%.*s", n, digits);
    }
    mst_buf_char(out, 'Z');
}
