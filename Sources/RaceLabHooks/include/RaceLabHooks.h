// What Swift cannot say: replacing symbols for the threads of a lab, and looking into tasks.
//
// On Linux a definition in the executable comes before that of a shared library. So the program's
// own calls of `swift_task_switch` (a hop to another executor) and the runtime's calls of
// `clock_gettime` (the clocks' now) arrive here first, and are passed on for every thread that is
// not a lab's. The definitions are weak: with a static runtime they lose, and nothing is hooked.

#pragma once

#include <stdbool.h>
#include <stddef.h>
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

/// The address of the task that runs on the calling thread, or 0. Not retained, as it would be four
/// times over by `withUnsafeCurrentTask`.
uintptr_t racelab_current_task(void);

/// Cancels a task, as its handle would. `task` is a job that is a task and still waits to be run.
void racelab_cancel(void *_Nonnull task);

// MARK: The runtime's own hooks

/// Takes a job of the global pool, by its address and kind; false leaves it to the platform.
typedef bool RaceLabTakeJob(uintptr_t job, uint8_t kind);

/// The actor that a default actor's own job belongs to: its address, or the job's where the job lies
/// inside the actor.
uintptr_t racelab_actor_of(uintptr_t job);

/// Installs the hooks for the whole process: who is asked for every job of the pool, and what stands
/// for the main actor.
void racelab_hook(RaceLabTakeJob *_Nonnull take, RaceLabExecutor main);

// MARK: Looking into tasks. A task is given by its address; it must be alive and not running.

/// Whether the functions below may be called: the runtime's layout is known.
bool racelab_can_look(void);

void racelab_retain(uintptr_t task);
void racelab_release(uintptr_t task);

/// Whether a task lies in its parent's memory, as the children of `async let` do: it cannot be
/// retained, and is gone when its scope in the parent is.
bool racelab_is_async_let(uintptr_t task);

/// Whether `parent` still holds the child of `async let` that lies at `child`, which need not be
/// there any more.
bool racelab_holds(uintptr_t parent, uintptr_t child);

/// Whether a task has returned or thrown.
bool racelab_has_ended(uintptr_t task);

/// Writes where a suspended task will go on, and where its callers will, innermost first; at most
/// `limit` addresses. Returns how many.
int racelab_frames(uintptr_t task, uintptr_t *_Nonnull frames, int limit);

/// What a task waits for.
typedef struct {
  /// 1 a task, 2 a continuation, 3 a group; 0 nothing that is known.
  int kind;
  /// Its address.
  uintptr_t on;
} RaceLabWait;

RaceLabWait racelab_waits_for(uintptr_t task);

/// The name that a task was given, or null. It lives as long as the task.
const char *_Nullable racelab_task_name(uintptr_t task);

// MARK: Names of functions

/// Where an address is: a file, and the address as that file counts. The file is null if unknown.
typedef struct {
  const char *_Nullable image;
  uintptr_t offset;
  /// It is the program's own file.
  bool isProgram;
} RaceLabCode;

RaceLabCode racelab_code(uintptr_t address);

/// The symbols of a file; they stay readable as long as the process lives.
typedef struct {
  const void *_Nullable symbols;
  size_t count;
  const char *_Nullable names;
  size_t namesSize;
} RaceLabImage;

RaceLabImage racelab_open_image(const char *_Nonnull path);

/// The mangled name of the function at an offset, or null.
const char *_Nullable racelab_name(const RaceLabImage *_Nonnull image, uintptr_t offset);

// MARK: Streams

/// A value goes into a standard stream, or its end is declared. `storage` is the stream's object.
typedef void RaceLabStreamEvent(uintptr_t storage, bool isEnd);

/// Says who is told, on every thread; null for nobody.
void racelab_watch_streams(RaceLabStreamEvent *_Nullable event);

/// The program's own code cancels a task, by its address, or the tasks of a group: 0.
typedef void RaceLabCancelEvent(uintptr_t task);

/// Says who is told, on every thread; null for nobody.
void racelab_watch_cancels(RaceLabCancelEvent *_Nullable event);

/// The program's own code starts a task in place (`Task.immediate`): its address.
typedef void RaceLabStartEvent(uintptr_t task);

/// Says who is told, on every thread; null for nobody.
void racelab_watch_starts(RaceLabStartEvent *_Nullable event);
