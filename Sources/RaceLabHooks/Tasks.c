// Looks into a task that is suspended: where it will go on, what it waits for, whether it has
// ended. The runtime has no function for it; debuggers read the same words. They are read only where
// the runtime says that its layout is the one known here, and a self-test of the lab checks that.

#include "RaceLabHooks.h"

#if defined(__linux__) && defined(__clang__) && __has_attribute(swiftcall) && __LP64__

#include <stddef.h>

extern const uint32_t _swift_concurrency_debug_internal_layout_version __attribute__((weak));
extern const size_t _swift_concurrency_debug_asyncTaskSize __attribute__((weak));

extern void *swift_retain(void *object);
extern void swift_release(void *object);

enum { flags = 4, resumeFunction = 7, resumeContext = 8, status = 12, firstRecord = 13 };
static const uintptr_t isAsyncLet = (uintptr_t)1 << 28;
static const uintptr_t isComplete = 0x2000;
static const uintptr_t hasDependency = 0x4000;

bool racelab_can_look(void) {
  return &_swift_concurrency_debug_internal_layout_version != 0 &&
         _swift_concurrency_debug_internal_layout_version == 1 &&
         &_swift_concurrency_debug_asyncTaskSize != 0 &&
         _swift_concurrency_debug_asyncTaskSize == 208;
}

static uintptr_t word(uintptr_t task, int index) {
  return __atomic_load_n((uintptr_t *)task + index, __ATOMIC_RELAXED);
}

void racelab_retain(uintptr_t task) { swift_retain((void *)task); }
void racelab_release(uintptr_t task) { swift_release((void *)task); }

bool racelab_is_async_let(uintptr_t task) { return word(task, flags) & isAsyncLet; }

bool racelab_holds(uintptr_t parent, uintptr_t child) {
  enum { childRecord = 1 };
  uintptr_t *record = (uintptr_t *)(word(parent, firstRecord) & ~(uintptr_t)7);
  for (; record != 0; record = (uintptr_t *)record[1])
    if ((record[0] & 0xff) == childRecord && record[2] == child) return true;
  return false;
}

bool racelab_has_ended(uintptr_t task) { return word(task, status) & isComplete; }

int racelab_frames(uintptr_t task, uintptr_t *frames, int limit) {
  int count = 0;
  uintptr_t frame = word(task, resumeFunction);
  uintptr_t *context = (uintptr_t *)word(task, resumeContext);
  while (count < limit && frame != 0) {
    frames[count++] = frame;
    if (context == 0 || (uintptr_t)context % sizeof(uintptr_t) != 0) break;
    frame = context[1];
    context = (uintptr_t *)context[0];
  }
  return count;
}

RaceLabWait racelab_waits_for(uintptr_t task) {
  RaceLabWait wait = {0, 0};
  if (!(word(task, status) & hasDependency)) return wait;
  // The record of what it waits for is the last that was added, while it waits.
  uintptr_t *record = (uintptr_t *)(word(task, firstRecord) & ~(uintptr_t)7);
  if (record == 0 || record[5] != task) return wait;
  wait.kind = (int)record[4];
  wait.on = record[2];
  return wait;
}

const char *racelab_task_name(uintptr_t task) {
  enum { nameRecord = 6 };
  uintptr_t *record = (uintptr_t *)(word(task, firstRecord) & ~(uintptr_t)7);
  for (; record != 0; record = (uintptr_t *)record[1])
    if ((record[0] & 0xff) == nameRecord) return (const char *)record[2];
  return 0;
}

#else

bool racelab_can_look(void) { return false; }
void racelab_retain(uintptr_t task) { (void)task; }
void racelab_release(uintptr_t task) { (void)task; }
bool racelab_is_async_let(uintptr_t task) { (void)task; return false; }
bool racelab_holds(uintptr_t parent, uintptr_t child) { (void)parent, (void)child; return false; }
bool racelab_has_ended(uintptr_t task) { (void)task; return false; }
int racelab_frames(uintptr_t task, uintptr_t *frames, int limit) {
  (void)task, (void)frames, (void)limit;
  return 0;
}
RaceLabWait racelab_waits_for(uintptr_t task) {
  (void)task;
  return (RaceLabWait){0, 0};
}
const char *racelab_task_name(uintptr_t task) {
  (void)task;
  return 0;
}

#endif
