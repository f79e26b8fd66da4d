// Wraps the default layer. All calls go through, but after a sync the whole file, which is small, is
// copied: the copies together are the disk after a power cut at that moment.

#include "lossy.h"

#if __has_include(<sqlite3.h>)

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  sqlite3_file base;
  char *path;
  sqlite3_file *real;
} LossyFile;

static sqlite3_vfs *wrapped;

static sqlite3_file *real_of(sqlite3_file *file) { return ((LossyFile *)file)->real; }

static int copy_file(const char *path) {
  char target[4096];
  snprintf(target, sizeof target, "%s.synced", path);
  FILE *in = fopen(path, "rb");
  if (in == NULL) return SQLITE_IOERR;
  FILE *out = fopen(target, "wb");
  if (out == NULL) {
    fclose(in);
    return SQLITE_IOERR;
  }
  char buffer[1 << 16];
  size_t count;
  while ((count = fread(buffer, 1, sizeof buffer, in)) > 0) fwrite(buffer, 1, count, out);
  fclose(in);
  fclose(out);
  return SQLITE_OK;
}

static int lossy_close(sqlite3_file *file) {
  LossyFile *lossy = (LossyFile *)file;
  int code = lossy->real->pMethods ? lossy->real->pMethods->xClose(lossy->real) : SQLITE_OK;
  free(lossy->real);
  free(lossy->path);
  return code;
}
static int lossy_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
  return real_of(file)->pMethods->xRead(real_of(file), buffer, count, offset);
}
static int lossy_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
  return real_of(file)->pMethods->xWrite(real_of(file), buffer, count, offset);
}
static int lossy_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return real_of(file)->pMethods->xTruncate(real_of(file), size);
}
static int lossy_sync(sqlite3_file *file, int flags) {
  LossyFile *lossy = (LossyFile *)file;
  int code = lossy->real->pMethods->xSync(lossy->real, flags);
  if (code == SQLITE_OK && lossy->path != NULL) code = copy_file(lossy->path);
  return code;
}
static int lossy_size(sqlite3_file *file, sqlite3_int64 *size) {
  return real_of(file)->pMethods->xFileSize(real_of(file), size);
}
static int lossy_lock(sqlite3_file *file, int level) {
  return real_of(file)->pMethods->xLock(real_of(file), level);
}
static int lossy_unlock(sqlite3_file *file, int level) {
  return real_of(file)->pMethods->xUnlock(real_of(file), level);
}
static int lossy_reserved(sqlite3_file *file, int *result) {
  return real_of(file)->pMethods->xCheckReservedLock(real_of(file), result);
}
static int lossy_control(sqlite3_file *file, int operation, void *argument) {
  return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}
static int lossy_sector(sqlite3_file *file) {
  return real_of(file)->pMethods->xSectorSize(real_of(file));
}
static int lossy_characteristics(sqlite3_file *file) {
  // Nothing is promised by this disk: SQLite has to sync whatever it needs.
  (void)file;
  return 0;
}

static const sqlite3_io_methods methods = {
    1,           lossy_close,  lossy_read,     lossy_write,   lossy_truncate,
    lossy_sync,  lossy_size,   lossy_lock,     lossy_unlock,  lossy_reserved,
    lossy_control, lossy_sector, lossy_characteristics,
    0, 0, 0, 0, 0, 0};

static int lossy_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                      int *out) {
  (void)vfs;
  LossyFile *lossy = (LossyFile *)file;
  memset(lossy, 0, sizeof *lossy);
  lossy->real = calloc(1, (size_t)wrapped->szOsFile);
  if (lossy->real == NULL) return SQLITE_NOMEM;
  int code = wrapped->xOpen(wrapped, name, lossy->real, flags, out);
  lossy->path = name ? strdup(name) : NULL;
  lossy->base.pMethods = &methods;
  return code;
}

static int lossy_delete(sqlite3_vfs *vfs, const char *name, int sync) {
  (void)vfs;
  char target[4096];
  snprintf(target, sizeof target, "%s.synced", name);
  remove(target);
  return wrapped->xDelete(wrapped, name, sync);
}

int lossy_register(void) {
  static sqlite3_vfs vfs;
  if (wrapped != NULL) return SQLITE_OK;
  wrapped = sqlite3_vfs_find(NULL);
  if (wrapped == NULL) return SQLITE_ERROR;
  vfs = *wrapped;
  vfs.zName = "lossy";
  vfs.szOsFile = sizeof(LossyFile);
  vfs.xOpen = lossy_open;
  vfs.xDelete = lossy_delete;
  return sqlite3_vfs_register(&vfs, 0);
}

#else

int lossy_register(void) { return 0; }

#endif
