// What a benchmark cannot ask in Swift: how often and how much memory was asked for, and where
// callgrind is to count. Only numbers cross this border.

#ifndef BENCHMARK_PROBE_H
#define BENCHMARK_PROBE_H

#include <stdint.h>

/// 1 if allocations can be counted in this process, which takes glibc and no sanitizer.
int32_t millrace_probe_counts_allocations(void);

/// Sets all counts to zero and counts from now on.
void millrace_probe_start(void);

/// Stops counting; the counts stay.
void millrace_probe_stop(void);

/// How many blocks were asked for, `realloc` included.
int64_t millrace_probe_allocations(void);

/// How many bytes were asked for.
int64_t millrace_probe_bytes(void);

/// How many bytes were taken and not given back, as the allocator rounds them.
int64_t millrace_probe_live_bytes(void);

/// 1 if callgrind can be told where to count: its header was there when this was compiled.
int32_t millrace_probe_steers_callgrind(void);

/// Under callgrind: begins to count if it does not, and stops if it does. Elsewhere: nothing.
void millrace_probe_toggle_callgrind(void);

/// Nanoseconds of processor time that the calling thread has used.
int64_t millrace_probe_thread_time(void);

#endif
