// The monotonic clocks show virtual time to the jobs of a lab. A deadline that code computes from
// `ContinuousClock.now` is then the same in every run. The wall clock (`Date`) is left alone.

#define _GNU_SOURCE
#include "RaceLabHooks.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <time.h>
#endif

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RACELAB_SANITIZED 1
#endif
#endif

void racelab_set_active(bool value);

#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))
PER_THREAD bool active;
PER_THREAD int64_t now;

void racelab_enter(int64_t nanoseconds) {
  active = true;
  now = nanoseconds;
  racelab_set_active(true);
}

void racelab_leave(void) {
  active = false;
  racelab_set_active(false);
}

// The sanitizer replaces this symbol itself.
#if defined(__linux__) && !defined(RACELAB_SANITIZED)

typedef int Read(clockid_t, struct timespec *);

/// Virtual time starts here, so that a moment a while ago is not negative.
static const int64_t base = 1000000;

__attribute__((weak, visibility("default"))) int clock_gettime(clockid_t clock,
                                                               struct timespec *time) {
  if (active && (clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME)) {
    time->tv_sec = base + now / 1000000000;
    time->tv_nsec = now % 1000000000;
    return 0;
  }
  static Read *original;
  Read *read = __atomic_load_n(&original, __ATOMIC_RELAXED);
  if (!read) {
    read = (Read *)dlsym(RTLD_NEXT, "clock_gettime");
    __atomic_store_n(&original, read, __ATOMIC_RELAXED);
  }
  return read(clock, time);
}

#endif
