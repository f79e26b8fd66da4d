// The system's SQLite, the calls that Swift cannot make (their last argument is a macro, or they take
// any number of them), and what the system says of a path without opening it: to close a file would
// end the locks that SQLite has on it in this process.

#ifndef MILLRACE_CSQLITE_SHIM_H
#define MILLRACE_CSQLITE_SHIM_H

#include <errno.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

/// Binds a copy of the bytes as text.
static inline int millrace_bind_text(sqlite3_stmt *statement, int index, const char *bytes,
                                     int count) {
  return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Binds a copy of the bytes as a blob; an empty one is not null.
static inline int millrace_bind_blob(sqlite3_stmt *statement, int index, const void *bytes,
                                     int count) {
  if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Says whether the log stays as it is when the connection is closed.
static inline int millrace_keep_log(sqlite3 *connection, int keep) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep, (int *)0);
}

/// The bytes of a file; -1 if there is nothing at the path, -2 if it is a folder, -3 if this process may
/// not look, -4 if it is a FIFO, a socket or a device.
static inline long long millrace_size(const char *path) {
  struct stat found;
  if (stat(path, &found) != 0) return errno == EACCES ? -3 : -1;
  if (S_ISDIR(found.st_mode)) return -2;
  return S_ISREG(found.st_mode) ? (long long)found.st_size : -4;
}

/// How many names (hard links) the file at the path has; 0 if there is none.
static inline unsigned long millrace_names(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 ? (unsigned long)found.st_nlink : 0;
}

/// A number for the file at the path that another one does not have while this one is there; 0 if there
/// is none.
static inline unsigned long long millrace_file(const char *path) {
  struct stat found;
  if (stat(path, &found) != 0) return 0;
  return (unsigned long long)found.st_ino ^ ((unsigned long long)found.st_dev << 40);
}

/// Puts into the buffer what the symbolic link at the path names, and says how many bytes; -1 if there is
/// no link. It does not end with a zero.
static inline long millrace_link(const char *path, char *buffer, unsigned long size) {
  return (long)readlink(path, buffer, size);
}

/// 1 if this process may read what is at the path, and 2 more if it may write it.
static inline int millrace_access(const char *path) {
  return (access(path, R_OK) == 0 ? 1 : 0) + (access(path, W_OK) == 0 ? 2 : 0);
}

#endif
