// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.

#include "powercut.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { sector = 512, path_limit = 1024, image_limit = 64 };

// One change of a file that was not synced when it was made: bytes at an offset, or a new length (bytes is NULL).
typedef struct change {
    struct change *next;
    int64_t offset;
    int64_t length;
    unsigned char *bytes;
} change;

// What a file would hold after a power cut: what was synced, and the changes since.
typedef struct {
    char path[path_limit];
    int exists;  // Was it ever synced?
    unsigned char *bytes;
    int64_t length;
    change *first, **last;
} image;

typedef struct {
    sqlite3_file base;
    image *kept;
    sqlite3_file *real;
} shim_file;

static sqlite3_vfs *original;
static sqlite3_vfs shim;
static sqlite3_io_methods methods;
static image images[image_limit];
static int image_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t calls, cut_at;
static int is_cut;

// SplitMix64, https://prng.di.unimi.it/splitmix64.c
static uint64_t state;
static uint64_t next_random(void) {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void *must(void *memory) {
    if (memory == NULL) abort();
    return memory;
}

// Counts a call that changes the disk; 0: it is the one at which the power goes, or a later one.
static int goes_through(void) {
    if (is_cut) return 0;
    calls++;
    if (cut_at != 0 && calls >= cut_at) {
        is_cut = 1;
        return 0;
    }
    return 1;
}

static void forget_changes(image *kept) {
    while (kept->first != NULL) {
        change *gone = kept->first;
        kept->first = gone->next;
        free(gone->bytes);
        free(gone);
    }
    kept->last = &kept->first;
}

static void apply(image *kept, int64_t offset, const unsigned char *bytes, int64_t length) {
    if (bytes == NULL) {
        if (length > kept->length) {
            kept->bytes = must(realloc(kept->bytes, (size_t)length));
            memset(kept->bytes + kept->length, 0, (size_t)(length - kept->length));
        }
        kept->length = length;
        return;
    }
    if (offset + length > kept->length) {
        kept->bytes = must(realloc(kept->bytes, (size_t)(offset + length)));
        if (offset > kept->length) memset(kept->bytes + kept->length, 0, (size_t)(offset - kept->length));
        kept->length = offset + length;
    }
    memcpy(kept->bytes + offset, bytes, (size_t)length);
}

static void note(image *kept, int64_t offset, const void *bytes, int64_t length) {
    change *made = must(calloc(1, sizeof *made));
    made->offset = offset;
    made->length = length;
    if (bytes != NULL) {
        made->bytes = must(malloc(length > 0 ? (size_t)length : 1));
        memcpy(made->bytes, bytes, (size_t)length);
    }
    *kept->last = made;
    kept->last = &made->next;
}

static image *image_of(const char *path) {
    for (int index = 0; index < image_count; index++)
        if (strcmp(images[index].path, path) == 0) return &images[index];
    if (image_count == image_limit) abort();
    image *kept = &images[image_count++];
    memset(kept, 0, sizeof *kept);
    snprintf(kept->path, path_limit, "%s", path);
    kept->last = &kept->first;
    // What lay there before is taken for synced.
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        fseek(file, 0, SEEK_END);
        kept->length = ftell(file);
        rewind(file);
        kept->bytes = must(malloc(kept->length > 0 ? (size_t)kept->length : 1));
        if (fread(kept->bytes, 1, (size_t)kept->length, file) != (size_t)kept->length) abort();
        kept->exists = kept->length > 0;
        fclose(file);
    }
    return kept;
}

// MARK: Methods of a file

static sqlite3_file *real(sqlite3_file *file) { return ((shim_file *)file)->real; }

static int shim_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int shim_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return is_cut ? SQLITE_IOERR_READ : real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int shim_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    image *kept = ((shim_file *)file)->kept;
    pthread_mutex_lock(&lock);
    int wasCut = is_cut;
    int passes = goes_through();
    if (passes || !wasCut) note(kept, offset, bytes, count);  // The write at which the power goes may have reached the disk, torn.
    pthread_mutex_unlock(&lock);
    return passes ? real(file)->pMethods->xWrite(real(file), bytes, count, offset) : SQLITE_IOERR_WRITE;
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 length) {
    pthread_mutex_lock(&lock);
    int passes = goes_through();
    if (passes) note(((shim_file *)file)->kept, 0, NULL, length);
    pthread_mutex_unlock(&lock);
    return passes ? real(file)->pMethods->xTruncate(real(file), length) : SQLITE_IOERR_TRUNCATE;
}

static int shim_sync(sqlite3_file *file, int flags) {
    (void)flags;
    image *kept = ((shim_file *)file)->kept;
    pthread_mutex_lock(&lock);
    int passes = goes_through();
    if (passes) {
        for (change *made = kept->first; made != NULL; made = made->next) apply(kept, made->offset, made->bytes, made->length);
        forget_changes(kept);
        kept->exists = 1;
    }
    pthread_mutex_unlock(&lock);
    return passes ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *size) {
    return is_cut ? SQLITE_IOERR_FSTAT : real(file)->pMethods->xFileSize(real(file), size);
}

static int shim_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int shim_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int shim_check(sqlite3_file *file, int *result) { return real(file)->pMethods->xCheckReservedLock(real(file), result); }

static int shim_control(sqlite3_file *file, int what, void *argument) {
    // Growing or truncating behind the shim's back would not be seen.
    if (what == SQLITE_FCNTL_SIZE_HINT || what == SQLITE_FCNTL_CHUNK_SIZE) return SQLITE_NOTFOUND;
    return real(file)->pMethods->xFileControl(real(file), what, argument);
}

static int shim_sector(sqlite3_file *file) { (void)file; return sector; }
// As on Linux: a torn write leaves the bytes around it alone; nothing is atomic, nothing is safe to append to.
static int shim_traits(sqlite3_file *file) { (void)file; return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

static int shim_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, memory);
}
static int shim_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
static void shim_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int shim_unmap(sqlite3_file *file, int remove) { return real(file)->pMethods->xShmUnmap(real(file), remove); }

// MARK: Methods of the file system

static int shim_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out) {
    (void)vfs;
    shim_file *opened = (shim_file *)file;
    file->pMethods = NULL;
    if (is_cut) return SQLITE_CANTOPEN;
    opened->real = (sqlite3_file *)(opened + 1);
    if (name != NULL) {
        pthread_mutex_lock(&lock);
        opened->kept = image_of(name);
        pthread_mutex_unlock(&lock);
    }
    int code = original->xOpen(original, name, opened->real, flags, out);
    if (code == SQLITE_OK) file->pMethods = name == NULL ? NULL : &methods;
    return name == NULL && code == SQLITE_OK ? SQLITE_CANTOPEN : code;
}

static int shim_delete(sqlite3_vfs *vfs, const char *path, int sync) {
    (void)vfs;
    pthread_mutex_lock(&lock);
    int passes = goes_through();
    if (passes) {
        image *kept = image_of(path);
        if (sync) {
            forget_changes(kept);
            kept->exists = 0;
            kept->length = 0;
        } else {
            note(kept, 0, NULL, 0);
        }
    }
    pthread_mutex_unlock(&lock);
    return passes ? original->xDelete(original, path, sync) : SQLITE_IOERR_DELETE;
}

static int shim_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs;
    return original->xAccess(original, path, flags, result);
}

static int shim_full_path(sqlite3_vfs *vfs, const char *path, int count, char *out) {
    (void)vfs;
    return original->xFullPathname(original, path, count, out);
}

int gantry_powercut_install(void) {
    if (original != NULL) return SQLITE_OK;
    original = sqlite3_vfs_find(NULL);
    if (original == NULL) return SQLITE_ERROR;
    shim = *original;
    shim.iVersion = 1;
    shim.pNext = NULL;
    shim.zName = "gantry-powercut";
    shim.szOsFile = (int)sizeof(shim_file) + original->szOsFile;
    shim.xOpen = shim_open;
    shim.xDelete = shim_delete;
    shim.xAccess = shim_access;
    shim.xFullPathname = shim_full_path;
    methods = (sqlite3_io_methods){
        .iVersion = 2, .xClose = shim_close, .xRead = shim_read, .xWrite = shim_write, .xTruncate = shim_truncate, .xSync = shim_sync,
        .xFileSize = shim_size, .xLock = shim_lock, .xUnlock = shim_unlock, .xCheckReservedLock = shim_check, .xFileControl = shim_control,
        .xSectorSize = shim_sector, .xDeviceCharacteristics = shim_traits, .xShmMap = shim_map, .xShmLock = shim_shm_lock,
        .xShmBarrier = shim_barrier, .xShmUnmap = shim_unmap};
    return sqlite3_vfs_register(&shim, 1);
}

void gantry_powercut_arm(uint64_t count) {
    pthread_mutex_lock(&lock);
    cut_at = count == 0 ? 0 : calls + count;
    pthread_mutex_unlock(&lock);
}

int gantry_powercut_is_cut(void) { return is_cut; }

uint64_t gantry_powercut_calls(void) { return calls; }

// A change reaches the disk, perhaps without its first or last sectors.
static void apply_torn(image *kept, const change *made, int torn) {
    if (made->bytes == NULL || !torn || made->length <= sector) return apply(kept, made->offset, made->bytes, made->length);
    int64_t sectors = (made->length + sector - 1) / sector;
    int64_t from = (int64_t)(next_random() % (uint64_t)sectors);
    int64_t count = 1 + (int64_t)(next_random() % (uint64_t)(sectors - from));
    int64_t begin = from * sector, end = (from + count) * sector;
    if (end > made->length) end = made->length;
    apply(kept, made->offset + begin, made->bytes + begin, end - begin);
}

static void settle_one(image *kept) {
    int style = (int)(next_random() % 4), number = 0, total = 0;
    for (change *made = kept->first; made != NULL; made = made->next) total++;
    int prefix = total == 0 ? 0 : (int)(next_random() % (uint64_t)(total + 1));
    for (change *made = kept->first; made != NULL; made = made->next, number++) {
        int isLast = made->next == NULL;
        if (style == 0) continue;
        if (style == 2 && number > prefix) continue;
        if (style == 3 && next_random() % 2 == 0) continue;
        apply_torn(kept, made, (style == 3 && next_random() % 3 == 0) || (style == 2 && number == prefix) || isLast);
        kept->exists = 1;
    }
    forget_changes(kept);
}

int gantry_powercut_settle(uint64_t seed) {
    pthread_mutex_lock(&lock);
    state = seed;
    int unsynced = 0;
    for (int index = 0; index < image_count; index++) {
        image *kept = &images[index];
        unsynced += kept->first != NULL;
        settle_one(kept);
        if (!kept->exists) {
            unlink(kept->path);
        } else {
            FILE *file = fopen(kept->path, "wb");
            if (file == NULL) abort();
            if (kept->length > 0 && fwrite(kept->bytes, 1, (size_t)kept->length, file) != (size_t)kept->length) abort();
            if (fclose(file) != 0) abort();
        }
        free(kept->bytes);
    }
    image_count = 0;
    is_cut = 0;
    cut_at = 0;
    pthread_mutex_unlock(&lock);
    return unsynced;
}
