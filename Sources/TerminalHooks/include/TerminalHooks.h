// The terminal of the process: raw input, the alternate screen, and signals that must not leave it
// behind like that. In C, since what runs in a signal handler may do very little.

#ifndef MILLRACE_TERMINAL_HOOKS_H
#define MILLRACE_TERMINAL_HOOKS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What `millrace_terminal_wait` returns, added up.
enum {
  MILLRACE_TERMINAL_INPUT = 1,
  MILLRACE_TERMINAL_RESIZED = 2,
  /// A signal wants the process to end, or the input is closed.
  MILLRACE_TERMINAL_ENDED = 4,
};

/// Enters raw mode and the alternate screen, hides the cursor, and catches signals of faults. From here on
/// the terminal is restored however the process ends, SIGKILL excepted; with what wants it to end caught as
/// in SignalHooks.h. Returns 0, or an errno.
int32_t millrace_terminal_enter(void);

/// Restores the terminal and the signals of faults. A second time it does nothing.
void millrace_terminal_leave(void);

/// Restores the terminal, stops the process as Ctrl-Z does, and enters again once it goes on.
int32_t millrace_terminal_suspend(void);

/// Waits for input or a signal, for so many milliseconds at most; for ever if below 0.
int32_t millrace_terminal_wait(int32_t milliseconds);

/// Reads what is there, up to `count` bytes. Returns how many, 0 at the end, or -1.
int64_t millrace_terminal_read(uint8_t *bytes, int64_t count);

/// Writes all of it. Returns 0, or an errno.
int32_t millrace_terminal_write(const uint8_t *bytes, int64_t count);

/// The size in characters; 0 where the terminal does not tell.
void millrace_terminal_size(int32_t *columns, int32_t *rows);

/// Whether input and output are terminals: 1 and 2, added up.
int32_t millrace_terminal_kind(void);

#ifdef __cplusplus
}
#endif

#endif
