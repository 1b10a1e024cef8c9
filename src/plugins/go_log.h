/*
 * go_log.h - the natural logarithm, bit for bit as Go's math.Log computes it.
 *
 * The C library's log may differ in the last bit, and PodTopologySpread rounds what it multiplies
 * with it.
 * Source: spec/plugins.md 0.2; FreeBSD e_log.c (fdlibm), golang/go src/math/log.go.
 */
#ifndef MST_GO_LOG_H
#define MST_GO_LOG_H

double mst_go_log(double x);

#endif
