// Counts allocations by standing in front of glibc's allocator, which a program may do by
// defining these functions itself. While nothing is counted a call costs one more branch.

#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "BenchmarkProbe.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PROBE_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(PROBE_SANITIZED)
#define PROBE_COUNTS 1
#else
#define PROBE_COUNTS 0
#endif

#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define PROBE_STEERS 1
#endif
#endif

static atomic_bool counting;
static atomic_llong allocations, bytes, live;

int32_t millrace_probe_counts_allocations(void) { return PROBE_COUNTS; }

void millrace_probe_start(void) {
  atomic_store(&allocations, 0);
  atomic_store(&bytes, 0);
  atomic_store(&live, 0);
  atomic_store(&counting, 1);
}

void millrace_probe_stop(void) { atomic_store(&counting, 0); }
int64_t millrace_probe_allocations(void) { return atomic_load(&allocations); }
int64_t millrace_probe_bytes(void) { return atomic_load(&bytes); }
int64_t millrace_probe_live_bytes(void) { return atomic_load(&live); }

int32_t millrace_probe_steers_callgrind(void) {
#ifdef PROBE_STEERS
  return 1;
#else
  return 0;
#endif
}

void millrace_probe_toggle_callgrind(void) {
#ifdef PROBE_STEERS
  CALLGRIND_TOGGLE_COLLECT;
#endif
}

int64_t millrace_probe_thread_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

#if PROBE_COUNTS

#include <errno.h>
#include <malloc.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void *counted(void *block, size_t size) {
  if (atomic_load_explicit(&counting, memory_order_relaxed) && block) {
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, (long long)size, memory_order_relaxed);
    atomic_fetch_add_explicit(&live, (long long)malloc_usable_size(block), memory_order_relaxed);
  }
  return block;
}

static void leaves(void *block) {
  if (atomic_load_explicit(&counting, memory_order_relaxed) && block)
    atomic_fetch_sub_explicit(&live, (long long)malloc_usable_size(block), memory_order_relaxed);
}

void *malloc(size_t size) { return counted(__libc_malloc(size), size); }
void *calloc(size_t count, size_t size) {
  return counted(__libc_calloc(count, size), count * size);
}

void *realloc(void *block, size_t size) {
  leaves(block);
  return counted(__libc_realloc(block, size), size);
}

void *memalign(size_t alignment, size_t size) {
  return counted(__libc_memalign(alignment, size), size);
}
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *block = memalign(alignment, size);
  if (!block) return ENOMEM;
  *result = block;
  return 0;
}

void free(void *block) {
  leaves(block);
  __libc_free(block);
}

#endif
