// A file layer for SQLite that remembers what was synced: what a power cut would leave.

#ifndef MILLRACE_LOSSY_H
#define MILLRACE_LOSSY_H

/// Registers the layer under the name "lossy". At each sync of a file its content is copied to
/// `<path>.synced`; a deletion deletes the copy. Returns 0, or an SQLite error code.
int lossy_register(void);

#endif
