// What Swift cannot say: replacing two symbols for the threads of a lab.
//
// On Linux a definition in the executable comes before that of a shared library. So the program's
// own calls of `swift_task_switch` (a hop to another executor) and the runtime's calls of
// `clock_gettime` (the clocks' now) arrive here first, and are passed on for every thread that is
// not a lab's. The definitions are weak: with a static runtime they lose, and nothing is hooked.

#pragma once

#include <stdbool.h>
#include <stdint.h>

/// A serial executor as the runtime passes it: an object and its witness table.
typedef struct {
  uintptr_t identity;
  uintptr_t implementation;
} RaceLabExecutor;

/// Says which executor stands for the global pool in labs, and which one takes the tasks that are
/// about to hop to an actor. Called once, before any lab runs.
void racelab_install(RaceLabExecutor pool, RaceLabExecutor stage);

/// Turns the hooks on or off for the calling thread. `nanoseconds` is the virtual time that the
/// monotonic clocks show meanwhile.
void racelab_enter(int64_t nanoseconds);
void racelab_leave(void);

/// The default actor to which the task that is just being enqueued on the stage executor wants to
/// hop. Reading it resets it.
uintptr_t racelab_take_target(void);

/// Hops that were caught on the calling thread so far. For the self-test.
uint64_t racelab_hops(void);

/// Cancels a task, as its handle would. `task` is a job that is a task and still waits to be run.
void racelab_cancel(void *_Nonnull task);
