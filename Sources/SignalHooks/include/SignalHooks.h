// Signals that want the process to end: caught, so that what has to be kept can be written first. In C,
// since what runs in a signal handler may do very little.

#ifndef MILLRACE_SIGNAL_HOOKS_H
#define MILLRACE_SIGNAL_HOOKS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Catches SIGINT, SIGTERM, SIGHUP and SIGQUIT, except those that the process was started to ignore, and
/// ignores SIGPIPE: a write then fails with EPIPE. One that comes more than two seconds after the first
/// ends the process at once.
void millrace_signals_catch(void);

/// A descriptor that can be read from the first signal on, always the same one and never to be read, or -1
/// if signals were never caught.
int32_t millrace_signals_descriptor(void);

/// Gives the signals back what they did before, once it was called as often as signals were caught.
void millrace_signals_release(void);

/// The first signal that came, or 0.
int32_t millrace_signals_caught(void);

/// What is done right before a second signal ends the process. It has to be safe in a signal handler.
void millrace_signals_last(void (*act)(void));

/// Ends the process by this signal, as if it had not been caught.
void millrace_signals_die(int32_t signal);

/// Waits until there is something to read from the descriptor, or its end; with -1 for a signal only. Returns 0, an errno, or -1 if
/// a signal came first.
int32_t millrace_signals_wait(int32_t descriptor);

/// Waits until some bytes (4,096 to a pipe) can be written to the descriptor, or cannot for another reason than
/// that nobody reads them. Returns 0, an errno, or -1 if they cannot be written and a signal has come.
int32_t millrace_signals_wait_to_write(int32_t descriptor);

#ifdef __cplusplus
}
#endif

#endif
