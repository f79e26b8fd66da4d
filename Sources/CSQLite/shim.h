// The system's SQLite, and the two calls that Swift cannot make: their last argument is a macro.

#ifndef MILLRACE_CSQLITE_SHIM_H
#define MILLRACE_CSQLITE_SHIM_H

#include <sqlite3.h>

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

#endif
