// A thread without the rights of the superuser, for tests of what permissions forbid.

#ifndef MILLRACE_ORDINARY_H
#define MILLRACE_ORDINARY_H

/// Makes the calling thread, and no other, one of this user and of no group but that of the same
/// number; it cannot go back. Returns 0, or an error number where it cannot be done.
int ordinary_become(unsigned id);

#endif
