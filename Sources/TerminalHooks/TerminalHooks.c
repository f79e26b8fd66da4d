#include "TerminalHooks.h"

#include <SignalHooks.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// The alternate screen, and no cursor; then back, with plain colours.
static const char enter_text[] = "\033[?1049h\033[?25l\033[2J";
static const char leave_text[] = "\033[0m\033[?25h\033[?1049l";

static struct termios saved;
static volatile sig_atomic_t entered = 0;
static volatile sig_atomic_t continued = 0;
static int wake[2] = {-1, -1};

// A fault in the program: the terminal is restored, and the signal does what it does.
static const int fatal[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
enum { fatal_count = sizeof fatal / sizeof *fatal };
static struct sigaction old_fatal[fatal_count], old_winch, old_cont;

static int write_all(const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(STDOUT_FILENO, bytes, count);
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) {
        struct pollfd out = {STDOUT_FILENO, POLLOUT, 0};
        if (poll(&out, 1, 1000) > 0) continue;
      }
      return errno;
    }
    bytes += written;
    count -= (size_t)written;
  }
  return 0;
}

// Safe in a signal handler.
static void restore(void) {
  if (!entered) return;
  entered = 0;
  write_all(leave_text, sizeof leave_text - 1);
  tcsetattr(STDIN_FILENO, TCSANOW, &saved);
}

static void tell_resize(void) {
  int error = errno;
  // A full pipe wakes as well.
  ssize_t written = write(wake[1], "r", 1);
  (void)written;
  errno = error;
}

static void on_resize(int number) {
  (void)number;
  tell_resize();
}

static void on_continue(int number) {
  (void)number;
  continued = 1;
  tell_resize();
}

static void on_fatal(int number) {
  restore();
  signal(number, SIG_DFL);
  raise(number);
}

static void catch_signal(int number, void (*handler)(int), struct sigaction *old) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, old);
}

static int enter_raw(void) {
  struct termios raw = saved;
  raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
  raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
  raw.c_oflag &= ~(tcflag_t)OPOST;
  raw.c_cflag |= CS8;
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0) return errno;
  entered = 1;
  return write_all(enter_text, sizeof enter_text - 1);
}

int32_t millrace_terminal_enter(void) {
  static int registered = 0;
  if (tcgetattr(STDIN_FILENO, &saved) != 0) return errno;
  if (wake[0] < 0) {
    if (pipe(wake) != 0) return errno;
    for (int end = 0; end < 2; end++) {
      fcntl(wake[end], F_SETFL, O_NONBLOCK);
      fcntl(wake[end], F_SETFD, FD_CLOEXEC);
    }
  }
  if (!registered) registered = atexit(restore) == 0;
  millrace_signals_last(restore);
  for (int i = 0; i < fatal_count; i++) catch_signal(fatal[i], on_fatal, &old_fatal[i]);
  catch_signal(SIGWINCH, on_resize, &old_winch);
  catch_signal(SIGCONT, on_continue, &old_cont);
  return enter_raw();
}

void millrace_terminal_leave(void) {
  if (!entered) return;
  restore();
  for (int i = 0; i < fatal_count; i++) sigaction(fatal[i], &old_fatal[i], NULL);
  sigaction(SIGWINCH, &old_winch, NULL);
  sigaction(SIGCONT, &old_cont, NULL);
}

int32_t millrace_terminal_suspend(void) {
  restore();
  // Stops all of the job, as the terminal would. Another thread may take the signal, so the stop may
  // come a little later; where nobody could continue the job, it does not come.
  continued = 0;
  kill(0, SIGTSTP);
  for (int i = 0; i < 50 && !continued; i++) poll(NULL, 0, 20);
  tell_resize();
  return enter_raw();
}

int32_t millrace_terminal_wait(int32_t milliseconds) {
  struct pollfd sources[3] = {
      {STDIN_FILENO, POLLIN, 0}, {wake[0], POLLIN, 0}, {millrace_signals_descriptor(), POLLIN, 0}};
  if (poll(sources, 3, milliseconds < 0 ? -1 : milliseconds) < 0 && errno != EINTR)
    return MILLRACE_TERMINAL_ENDED;
  int32_t found = 0;
  char told[64];
  if (sources[1].revents && read(wake[0], told, sizeof told) > 0) found |= MILLRACE_TERMINAL_RESIZED;
  if (millrace_signals_caught()) found |= MILLRACE_TERMINAL_ENDED;
  if (sources[0].revents & (POLLIN | POLLHUP)) found |= MILLRACE_TERMINAL_INPUT;
  if (sources[0].revents & (POLLERR | POLLNVAL)) found |= MILLRACE_TERMINAL_ENDED;
  return found;
}

int64_t millrace_terminal_read(uint8_t *bytes, int64_t count) {
  ssize_t got = read(STDIN_FILENO, bytes, (size_t)count);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return -1;
  return got < 0 ? 0 : got;
}

int32_t millrace_terminal_write(const uint8_t *bytes, int64_t count) {
  return write_all((const char *)bytes, (size_t)count);
}

void millrace_terminal_size(int32_t *columns, int32_t *rows) {
  struct winsize size;
  memset(&size, 0, sizeof size);
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) memset(&size, 0, sizeof size);
  *columns = size.ws_col;
  *rows = size.ws_row;
}

int32_t millrace_terminal_kind(void) {
  return (isatty(STDIN_FILENO) ? 1 : 0) + (isatty(STDOUT_FILENO) ? 2 : 0);
}
