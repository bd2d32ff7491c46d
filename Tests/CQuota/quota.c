// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.

#define _GNU_SOURCE
#include "cquota.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_int used_up;

static int refused(void) {
    if (!atomic_load(&used_up)) return 0;
    errno = EDQUOT;
    return 1;
}

static ssize_t write_here(int file, const void *bytes, size_t count) { return refused() ? -1 : write(file, bytes, count); }

static ssize_t write_at(int file, const void *bytes, size_t count, off_t offset) {
    return refused() ? -1 : pwrite(file, bytes, count, offset);
}

static ssize_t write_at_64(int file, const void *bytes, size_t count, off64_t offset) {
    return refused() ? -1 : pwrite64(file, bytes, count, offset);
}

static int replace(sqlite3_vfs *vfs, const char *name, sqlite3_syscall_ptr call) {
    if (vfs->xGetSystemCall(vfs, name) == NULL) return 0;
    return vfs->xSetSystemCall(vfs, name, call) == SQLITE_OK;
}

int gantry_quota_install(void) {
    if (sqlite3_initialize() != SQLITE_OK) return 0;
    sqlite3_vfs *vfs = sqlite3_vfs_find("unix");
    if (vfs == NULL || vfs->iVersion < 3) return 0;
    return replace(vfs, "write", (sqlite3_syscall_ptr)write_here) + replace(vfs, "pwrite", (sqlite3_syscall_ptr)write_at)
        + replace(vfs, "pwrite64", (sqlite3_syscall_ptr)write_at_64);
}

void gantry_quota_set(int is_used_up) { atomic_store(&used_up, is_used_up); }
