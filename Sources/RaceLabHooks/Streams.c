// What the program's own code does on a lab's thread to standard streams (values yielded, ends
// declared) and to tasks (cancelled, started in place) is told to the lab first. Calls that the library
// makes itself do not come by.

#define _GNU_SOURCE
#include "RaceLabHooks.h"

static RaceLabStreamEvent *tell;

void racelab_watch_streams(RaceLabStreamEvent *event) {
  __atomic_store_n(&tell, event, __ATOMIC_RELEASE);
}

static RaceLabCancelEvent *tellCancel;

void racelab_watch_cancels(RaceLabCancelEvent *event) {
  __atomic_store_n(&tellCancel, event, __ATOMIC_RELEASE);
}

static RaceLabStartEvent *tellStart;

void racelab_watch_starts(RaceLabStartEvent *event) {
  __atomic_store_n(&tellStart, event, __ATOMIC_RELEASE);
}

#if defined(__linux__) && defined(__clang__) && __has_attribute(swiftcall)

#include <dlfcn.h>

#ifndef RTLD_NEXT
#define RTLD_NEXT ((void *)-1l)
#endif

#define SWIFT __attribute__((swiftcall))
#define RESULT __attribute__((swift_indirect_result))
#define SELF __attribute__((swift_context))

/// The shape of all these calls: a value and a type go in by pointer, a result comes out by one,
/// and the continuation holds nothing but its stream's storage. Who has less does not look at it.
typedef SWIFT void Call(RESULT void *result, void *value, void *type, SELF uintptr_t *self);

#define HOOK(function, symbol, isEnd)                                                              \
  SWIFT __attribute__((weak, visibility("default"))) void function(                                \
      RESULT void *result, void *value, void *type, SELF uintptr_t *self) __asm__(symbol);         \
  SWIFT void function(RESULT void *result, void *value, void *type, SELF uintptr_t *self) {        \
    static Call *original;                                                                         \
    Call *call = __atomic_load_n(&original, __ATOMIC_RELAXED);                                     \
    if (!call) {                                                                                   \
      call = (Call *)dlsym(RTLD_NEXT, symbol);                                                     \
      __atomic_store_n(&original, call, __ATOMIC_RELAXED);                                         \
    }                                                                                              \
    RaceLabStreamEvent *event = __atomic_load_n(&tell, __ATOMIC_ACQUIRE);                          \
    if (event) event(*self, isEnd);                                                                \
    call(result, value, type, self);                                                               \
  }

HOOK(yield, "$sScS12ContinuationV5yieldyAB11YieldResultOyx__GxnF", false)
HOOK(yieldWith, "$sScS12ContinuationV5yield4withAB11YieldResultOyx__Gs0E0Oyxs5NeverOG_tF", false)
HOOK(yieldNothing, "$sScS12ContinuationV5yieldAB11YieldResultOyyt__GyytRszlF", false)
HOOK(finish, "$sScS12ContinuationV6finishyyF", true)
HOOK(yieldThrowing, "$sScs12ContinuationV5yieldyAB11YieldResultOyxq___GxnF", false)
HOOK(yieldNothingThrowing, "$sScs12ContinuationV5yieldAB11YieldResultOyytq___GyytRszrlF", false)
HOOK(finishThrowing, "$sScs12ContinuationV6finish8throwingyq_Sgn_tF", true)

/// A task or a group is cancelled: it comes as the first argument, and nothing else is looked at.
typedef SWIFT void Cancel(void *subject);

#define CANCEL_HOOK(function, symbol, isTask)                                                      \
  SWIFT __attribute__((weak, visibility("default"))) void function(void *subject) __asm__(symbol); \
  SWIFT void function(void *subject) {                                                             \
    static Cancel *original;                                                                       \
    Cancel *call = __atomic_load_n(&original, __ATOMIC_RELAXED);                                   \
    if (!call) {                                                                                   \
      call = (Cancel *)dlsym(RTLD_NEXT, symbol);                                                   \
      __atomic_store_n(&original, call, __ATOMIC_RELAXED);                                         \
    }                                                                                              \
    RaceLabCancelEvent *event = __atomic_load_n(&tellCancel, __ATOMIC_ACQUIRE);                    \
    if (event) event(isTask ? (uintptr_t)subject : 0);                                             \
    call(subject);                                                                                 \
  }

CANCEL_HOOK(cancelTask, "$sScT6cancelyyF", true)
CANCEL_HOOK(cancelGroup, "$sScG9cancelAllyyF", false)
CANCEL_HOOK(cancelThrowingGroup, "$sScg9cancelAllyyF", false)
CANCEL_HOOK(cancelDiscardingGroup, "$ss19DiscardingTaskGroupV9cancelAllyyF", false)
CANCEL_HOOK(cancelThrowingDiscardingGroup, "$ss27ThrowingDiscardingTaskGroupV9cancelAllyyF", false)

/// A task is started in place, before any executor sees a job of it.
typedef SWIFT void Start(void *task, uintptr_t identity, uintptr_t implementation);

SWIFT __attribute__((weak, visibility("default"))) void
swift_task_immediate(void *task, uintptr_t identity, uintptr_t implementation) {
  static Start *original;
  Start *call = __atomic_load_n(&original, __ATOMIC_RELAXED);
  if (!call) {
    call = (Start *)dlsym(RTLD_NEXT, "swift_task_immediate");
    __atomic_store_n(&original, call, __ATOMIC_RELAXED);
  }
  RaceLabStartEvent *event = __atomic_load_n(&tellStart, __ATOMIC_ACQUIRE);
  if (event) event((uintptr_t)task);
  call(task, identity, implementation);
}

#endif
