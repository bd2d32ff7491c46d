// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.

#define _GNU_SOURCE
#include "cjournal.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <sys/types.h>
#include <unistd.h>

// SQLite's file system for Unix looks for ENOSPC where a write fails, and lets its system calls be replaced by name. Only writes are: a
// sync that fails for want of room is like any other that fails, since nobody knows then what is on the disk.

static ssize_t (*plain_write)(int, const void *, size_t);
static ssize_t (*plain_write_at)(int, const void *, size_t, off_t);
static ssize_t (*plain_write_at_64)(int, const void *, size_t, off64_t);

static ssize_t judged(ssize_t written) {
    if (written < 0 && errno == EDQUOT) errno = ENOSPC;
    return written;
}

static ssize_t write_judged(int file, const void *bytes, size_t count) { return judged(plain_write(file, bytes, count)); }

static ssize_t write_at_judged(int file, const void *bytes, size_t count, off_t offset) {
    return judged(plain_write_at(file, bytes, count, offset));
}

static ssize_t write_at_64_judged(int file, const void *bytes, size_t count, off64_t offset) {
    return judged(plain_write_at_64(file, bytes, count, offset));
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int result = SQLITE_ERROR;

// Which of the calls a build of SQLite uses differs; those that it does not use are not there.
static int replace(sqlite3_vfs *vfs, const char *name, sqlite3_syscall_ptr *plain, sqlite3_syscall_ptr judged_call) {
    *plain = vfs->xGetSystemCall(vfs, name);
    return *plain == NULL ? 0 : vfs->xSetSystemCall(vfs, name, judged_call) == SQLITE_OK;
}

static void replace_all(void) {
    if (sqlite3_initialize() != SQLITE_OK) return;
    sqlite3_vfs *vfs = sqlite3_vfs_find("unix");
    if (vfs == NULL || vfs->iVersion < 3) return;
    int count = replace(vfs, "write", (sqlite3_syscall_ptr *)&plain_write, (sqlite3_syscall_ptr)write_judged);
    count += replace(vfs, "pwrite", (sqlite3_syscall_ptr *)&plain_write_at, (sqlite3_syscall_ptr)write_at_judged);
    count += replace(vfs, "pwrite64", (sqlite3_syscall_ptr *)&plain_write_at_64, (sqlite3_syscall_ptr)write_at_64_judged);
    result = count > 0 ? SQLITE_OK : SQLITE_ERROR;
}

int gantry_journal_take_quota_for_full(void) {
    int code = pthread_once(&once, replace_all);
    return code == 0 ? result : SQLITE_ERROR;
}
