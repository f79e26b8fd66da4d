// Every hop to a default actor, and from one to the pool, becomes a job of its own. The runtime
// itself would run an uncontended hop inline, without asking any executor, so that nothing could
// ever happen between two calls of an idle actor.
//
// A hop to an actor is made in two stages. First the task is enqueued on the lab's stage executor,
// with a small record that says where it wants to go. When the lab picks that job, the record is
// taken, and the runtime's own switch does the rest. A hop to the pool goes to an executor of the
// lab's that stands for it: on the generic one, the runtime would again not ask.

#include "RaceLabHooks.h"

#if defined(__linux__) && defined(__clang__) && __has_attribute(swiftasynccall)
#define RACELAB_HOOKED 1
#endif

// Read at every hop of the process: without the model each read is a call.
#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))
PER_THREAD bool active;
PER_THREAD uintptr_t target;
PER_THREAD uint64_t hops;

uintptr_t racelab_take_target(void) {
  uintptr_t result = target;
  target = 0;
  return result;
}

uint64_t racelab_hops(void) { return hops; }

void racelab_set_active(bool value) { active = value; }

#if RACELAB_HOOKED

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#ifndef RTLD_NEXT
#define RTLD_NEXT ((void *)-1l)
#endif

/// A call in the last place of such a function is a jump, whatever the optimization.
#define ASYNC __attribute__((swiftasynccall))
#define CONTEXT __attribute__((swift_async_context))
#define SWIFT __attribute__((swiftcall))
#define WEAK __attribute__((weak, visibility("default")))

typedef ASYNC void Resume(CONTEXT void *context);
typedef ASYNC void Switch(CONTEXT void *context, Resume *resume, uintptr_t identity,
                          uintptr_t implementation);

SWIFT extern RaceLabExecutor swift_task_getCurrentExecutor(void);
SWIFT extern RaceLabExecutor swift_task_getPreferredTaskExecutor(void);
SWIFT extern void *swift_task_alloc(size_t size);
SWIFT extern void swift_task_dealloc(void *pointer);

/// Where a task wants to go. Laid out like a context, since the runtime passes it as one.
typedef struct {
  void *parent;
  void *resumeParent;
  void *context;
  Resume *resume;
  uintptr_t identity;
} Hop;

static Switch *original;
static RaceLabExecutor pool;
static RaceLabExecutor stage;

__attribute__((constructor)) static void find(void) {
  original = (Switch *)dlsym(RTLD_NEXT, "swift_task_switch");
}

void racelab_install(RaceLabExecutor forPool, RaceLabExecutor forStage) {
  pool = forPool;
  stage = forStage;
}

static ASYNC void arrive(CONTEXT void *context) {
  Hop *hop = context;
  void *next = hop->context;
  Resume *resume = hop->resume;
  uintptr_t identity = hop->identity;
  swift_task_dealloc(hop);
  if (identity == 0) return resume(next);
  return original(next, resume, identity, 0);
}

WEAK ASYNC void swift_task_switch(CONTEXT void *context, Resume *resume, uintptr_t identity,
                                  uintptr_t implementation) {
  // Anything but a default actor or the pool is an executor that is asked anyway.
  if (!active || implementation != 0 || pool.identity == 0)
    return original(context, resume, identity, implementation);
  RaceLabExecutor current = swift_task_getCurrentExecutor();
  bool onPool = current.identity == 0 || current.identity == pool.identity;
  if (identity == current.identity || (identity == 0 && onPool))
    return resume(context);
  // A task that was given an executor of its own goes there.
  if (identity == 0 && swift_task_getPreferredTaskExecutor().identity != 0)
    return original(context, resume, identity, implementation);
  Hop *hop = swift_task_alloc(sizeof(Hop));
  // For those who look for the place at which the task will go on.
  hop->parent = context;
  hop->resumeParent = (void *)resume;
  hop->context = context;
  hop->resume = resume;
  hop->identity = identity;
  target = identity;
  hops += 1;
  RaceLabExecutor first = identity == 0 ? pool : stage;
  return original(hop, arrive, first.identity, first.implementation);
}

SWIFT extern void swift_task_cancel(void *task);

void racelab_cancel(void *task) { swift_task_cancel(task); }

#else

void racelab_cancel(void *task) { (void)task; }

void racelab_install(RaceLabExecutor forPool, RaceLabExecutor forStage) {
  (void)forPool;
  (void)forStage;
}

#endif
