#include "SignalHooks.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// What the handler shares with threads is lock-free.
static atomic_int caught = 0;
static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ending_count = sizeof ending / sizeof *ending };
static struct sigaction old[ending_count], old_pipe;
// How many catch. With what was there before, it is read and written under the lock only.
static int catching = 0;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static time_t caught_at = 0;
static void (*_Atomic last)(void) = 0;
static atomic_int told[2] = {-1, -1};

// In seconds. A closed terminal sends its signal twice, and a command passes on to its children what they
// have had from the terminal.
enum { same_wish = 2 };

static time_t now(void) {
  struct timespec time = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

static void die(int number) {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  signal(number, SIG_DFL);
  // Threads of a pool keep signals off.
  pthread_sigmask(SIG_UNBLOCK, &only, NULL);
  raise(number);
}

static void on_ending(int number) {
  int error = errno;
  if (!caught) {
    caught_at = now();
    caught = number;
    ssize_t written = write(told[1], "e", 1);
    (void)written;
  } else if (now() - caught_at > same_wish) {
    void (*act)(void) = last;
    if (act) act();
    die(number);
  }
  errno = error;
}

static int open_told(void) {
  int ends[2];
  if (told[0] >= 0) return 0;
  if (pipe(ends) != 0) return -1;
  for (int end = 0; end < 2; end++) {
    fcntl(ends[end], F_SETFL, O_NONBLOCK);
    fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    told[end] = ends[end];
  }
  return 0;
}

void millrace_signals_catch(void) {
  pthread_mutex_lock(&lock);
  if (open_told() == 0 && catching++ == 0) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_ending;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (int i = 0; i < ending_count; i++) {
      sigaction(ending[i], NULL, &old[i]);
      if (old[i].sa_handler != SIG_IGN) sigaction(ending[i], &action, NULL);
    }
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, &old_pipe);
  }
  pthread_mutex_unlock(&lock);
}

int32_t millrace_signals_descriptor(void) { return told[0]; }

void millrace_signals_release(void) {
  pthread_mutex_lock(&lock);
  if (catching > 0 && --catching == 0) {
    for (int i = 0; i < ending_count; i++) sigaction(ending[i], &old[i], NULL);
    sigaction(SIGPIPE, &old_pipe, NULL);
  }
  pthread_mutex_unlock(&lock);
}

int32_t millrace_signals_caught(void) { return caught; }

void millrace_signals_last(void (*act)(void)) { last = act; }

void millrace_signals_die(int32_t number) { die(number); }

int32_t millrace_signals_wait(int32_t descriptor) {
  while (!caught) {
    struct pollfd sources[2] = {{descriptor, POLLIN, 0}, {told[0], POLLIN, 0}};
    if (poll(sources, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (caught || sources[1].revents) break;
    // What is wrong with the descriptor is told by reading it.
    if (sources[0].revents) return 0;
  }
  return -1;
}

int32_t millrace_signals_wait_to_write(int32_t descriptor) {
  for (;;) {
    struct pollfd sources[2] = {{descriptor, POLLOUT, 0}, {told[0], POLLIN, 0}};
    if (poll(sources, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    // What is wrong with the descriptor is told by writing to it.
    if (sources[0].revents) return 0;
    if (sources[1].revents) return -1;
  }
}
