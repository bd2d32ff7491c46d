// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
#define _GNU_SOURCE
#include "CGantryPlatform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RETRY(call)                                   \
    for (;;) {                                        \
        long result_ = (long)(call);                  \
        if (result_ >= 0) return result_;             \
        if (errno != EINTR) return -errno;            \
    }

int gantry_open(const char *path, int flags, uint32_t mode) {
    RETRY(open(path, flags | O_CLOEXEC, (mode_t)mode))
}

int gantry_memory_file(const char *name) {
    int descriptor = memfd_create(name, MFD_CLOEXEC);
    return descriptor >= 0 ? descriptor : -errno;
}

static int open_beneath(int directory, const char *path, int flags, uint32_t mode) {
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = (uint64_t)(uint32_t)(flags | O_CLOEXEC);
    how.mode = (flags & O_CREAT) ? mode : 0;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    RETRY(syscall(SYS_openat2, directory, path, &how, sizeof how))
}

int gantry_open_beneath(int directory, const char *path, int flags, uint32_t mode) {
    int result = open_beneath(directory, path, flags, mode);
    if (result != -EPERM) return result;
    // A filter of system calls (old seccomp profiles) says EPERM whatever is opened, and a user would look for wrong permissions. An open folder can always
    // be opened once more by its path "." alone, so there EPERM means the filter.
    int probe = open_beneath(directory, ".", O_PATH | O_DIRECTORY, 0);
    if (probe == -EPERM) return -ENOSYS;
    if (probe >= 0) close(probe);
    return result;
}

// Linux closes the descriptor even when close is interrupted, so it is never repeated.
int gantry_close(int descriptor) {
    return close(descriptor) == 0 ? 0 : -errno;
}

int gantry_make_directory(const char *path, uint32_t mode) {
    RETRY(mkdir(path, (mode_t)mode))
}

int gantry_make_directory_at(int directory, const char *name, uint32_t mode) {
    RETRY(mkdirat(directory, name, (mode_t)mode))
}

int gantry_set_mode(int descriptor, uint32_t mode) {
    RETRY(fchmod(descriptor, (mode_t)mode))
}

void gantry_set_mask(uint32_t mask) {
    umask((mode_t)mask);
}

int gantry_rename(int from_directory, const char *from, int to_directory, const char *to, int must_be_new) {
    RETRY(renameat2(from_directory, from, to_directory, to, must_be_new ? RENAME_NOREPLACE : 0))
}

int gantry_rename_by_link(int from_directory, const char *from, int to_directory, const char *to) {
    if (linkat(from_directory, from, to_directory, to, 0) != 0) return -errno;
    if (unlinkat(from_directory, from, 0) == 0) return 0;
    int code = errno;
    // With two names it would be neither here nor there; the new one was ours alone to give.
    unlinkat(to_directory, to, 0);
    return -code;
}

int gantry_unlink(int directory, const char *name) {
    RETRY(unlinkat(directory, name, 0))
}

int gantry_remove_directory_at(int directory, const char *name) {
    RETRY(unlinkat(directory, name, AT_REMOVEDIR))
}

int gantry_touch(int directory, const char *name) {
    RETRY(utimensat(directory, name, NULL, AT_SYMLINK_NOFOLLOW))
}

int gantry_touch_descriptor(int descriptor) {
    RETRY(futimens(descriptor, NULL))
}

static void fill(const struct stat *from, struct gantry_status *to) {
    to->byte_count = from->st_size;
    to->modified_nanoseconds = (int64_t)from->st_mtim.tv_sec * 1000000000 + from->st_mtim.tv_nsec;
    to->device = from->st_dev;
    to->inode = from->st_ino;
    to->mode = from->st_mode;
    to->owner = from->st_uid;
    to->link_count = from->st_nlink;
}

int gantry_status_at(int directory, const char *name, struct gantry_status *status) {
    struct stat found;
    if (fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return -errno;
    fill(&found, status);
    return 0;
}

int gantry_status_of_path(const char *path, struct gantry_status *status) {
    struct stat found;
    if (stat(path, &found) != 0) return -errno;
    fill(&found, status);
    return 0;
}

int gantry_status(int descriptor, struct gantry_status *status) {
    struct stat found;
    if (fstat(descriptor, &found) != 0) return -errno;
    fill(&found, status);
    return 0;
}

int64_t gantry_read(int descriptor, void *buffer, size_t count) {
    RETRY(read(descriptor, buffer, count))
}

int64_t gantry_read_at(int descriptor, void *buffer, size_t count, int64_t offset) {
    size_t done = 0;
    while (done < count) {
        ssize_t got = pread(descriptor, (char *)buffer + done, count - done, offset + (int64_t)done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -errno;
        if (got == 0) break;
        done += (size_t)got;
    }
    return (int64_t)done;
}

int gantry_write_all(int descriptor, const void *bytes, size_t count) {
    size_t done = 0;
    while (done < count) {
        ssize_t put = write(descriptor, (const char *)bytes + done, count - done);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return -errno;
        done += (size_t)put;
    }
    return 0;
}

int gantry_write_all_at(int descriptor, const void *bytes, size_t count, int64_t offset) {
    size_t done = 0;
    while (done < count) {
        ssize_t put = pwrite(descriptor, (const char *)bytes + done, count - done, offset + (int64_t)done);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return -errno;
        done += (size_t)put;
    }
    return 0;
}

int gantry_sync(int descriptor, int data_only) {
    RETRY(data_only ? fdatasync(descriptor) : fsync(descriptor))
}

int gantry_allocate(int descriptor, int64_t byte_count) {
    for (;;) {
        // Falls back to writing zeros where the file system cannot reserve.
        int code = posix_fallocate(descriptor, 0, byte_count);
        if (code != EINTR) return -code;
    }
}

// Unlike most calls it returns the error number itself.
int gantry_forget_cached(int descriptor) {
    return -posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
}

int gantry_truncate(int descriptor, int64_t byte_count) {
    RETRY(ftruncate(descriptor, byte_count))
}

int gantry_lock(int descriptor) {
    RETRY(flock(descriptor, LOCK_EX | LOCK_NB))
}

int gantry_unlock(int descriptor) {
    RETRY(flock(descriptor, LOCK_UN))
}

int gantry_lock_shared(int descriptor) {
    RETRY(flock(descriptor, LOCK_SH | LOCK_NB))
}

int gantry_pipe(int32_t *read_end, int32_t *write_end) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
    *read_end = ends[0];
    *write_end = ends[1];
    return 0;
}

int gantry_list_open(int directory, int64_t *listing) {
    int descriptor = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return -errno;
    DIR *stream = fdopendir(descriptor);
    if (stream == NULL) {
        int code = errno;
        close(descriptor);
        return -code;
    }
    *listing = (int64_t)(intptr_t)stream;
    return 0;
}

int gantry_list_next(int64_t listing, char name[256]) {
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir((DIR *)(intptr_t)listing);
        if (entry == NULL) return errno == 0 ? 0 : -errno;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(name, 256, "%s", entry->d_name);
        return 1;
    }
}

void gantry_list_close(int64_t listing) {
    closedir((DIR *)(intptr_t)listing);
}
