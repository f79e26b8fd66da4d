// The runtime's own hooks, for a back end that needs nothing but them: every job that goes to the
// global pool, and the executor that stands for the main actor.

#include "RaceLabHooks.h"

// What a job is stands in its flags, behind its object header and two words of the scheduler.
static uint8_t kindOf(const void *job) { return *((const uint8_t *)job + 32); }

uintptr_t racelab_actor_of(uintptr_t job) {
  // One that lies inside its actor stands for it: the layout of actors is not known here.
  if (sizeof(void *) != 8 || kindOf((const void *)job) == 192) return job;
  // The others name it behind what every job has.
  return *(const uintptr_t *)(job + 64);
}

#if defined(__clang__) && __has_attribute(swiftcall) && (defined(__linux__) || defined(__APPLE__))

#define SWIFT __attribute__((swiftcall))

typedef SWIFT void EnqueueOriginal(void *job);
typedef SWIFT void EnqueueHook(void *job, EnqueueOriginal *original);
typedef SWIFT RaceLabExecutor MainOriginal(void);
typedef SWIFT RaceLabExecutor MainHook(MainOriginal *original);

SWIFT extern void *swift_task_getCurrent(void);

uintptr_t racelab_current_task(void) { return (uintptr_t)swift_task_getCurrent(); }

extern EnqueueHook *swift_task_enqueueGlobal_hook;
extern MainHook *swift_task_getMainExecutor_hook;

static RaceLabTakeJob *take;
static RaceLabExecutor mainExecutor;

static SWIFT void enqueue(void *job, EnqueueOriginal *original) {
  if (!take((uintptr_t)job, kindOf(job))) original(job);
}

static SWIFT RaceLabExecutor getMain(MainOriginal *original) {
  (void)original;
  return mainExecutor;
}

void racelab_hook(RaceLabTakeJob *job, RaceLabExecutor executor) {
  take = job;
  mainExecutor = executor;
  swift_task_getMainExecutor_hook = getMain;
  swift_task_enqueueGlobal_hook = enqueue;
}

#else

uintptr_t racelab_current_task(void) { return 0; }

void racelab_hook(RaceLabTakeJob *job, RaceLabExecutor executor) { (void)job, (void)executor; }

#endif
