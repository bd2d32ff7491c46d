// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//
// System calls that Swift does not see or sees badly. Unless said otherwise a function returns 0 or more on success and
// the negated errno on failure, and repeats the call when a signal interrupts it.
#ifndef GANTRY_CPLATFORM_H
#define GANTRY_CPLATFORM_H

#include <stddef.h>
#include <stdint.h>

// clock.c
enum { gantry_clock_monotonic = 0, gantry_clock_boot = 1, gantry_clock_wall = 2, gantry_clock_thread = 3 };
int64_t gantry_clock_nanoseconds(int which);
void gantry_pause(int64_t milliseconds);
int gantry_random(uint64_t *value);
int gantry_kill_timer_create(int64_t *timer);
int gantry_kill_timer_set(int64_t timer, int64_t nanoseconds, int is_absolute);
int gantry_kill_timer_delete(int64_t timer);

// events.c
int gantry_eventfd(void);
int gantry_eventfd_signal(int descriptor);
int gantry_eventfd_drain(int descriptor);
int gantry_wait_ready(int descriptor, int for_writing, int64_t milliseconds);
// A signal that somebody took, and when its handler ran, in nanoseconds of the monotonic clock.
struct gantry_signal {
    int64_t nanoseconds;
    int32_t number;
};
// Makes the pipe for taken signals, once in a process; returns the end to read from.
int gantry_signals_open(void);
int gantry_signal_take(int number);
// Gives a signal back to whoever had it before it was taken.
int gantry_signal_leave(int number);
// Leaves a signal to the system.
int gantry_signal_reset(int number);
// Waits for the next record. 1: there it is.
int gantry_signal_next(int reader, struct gantry_signal *record);
int gantry_ignore_sigpipe(void);
// Gives 0, 1 and 2 something that cannot be read or written, where they are closed.
int gantry_fill_standard(void);
// A set of descriptors of processes, itself a descriptor that is readable while one of them has ended.
int gantry_exits_make(void);
int gantry_exits_add(int exits, int process_descriptor, uint64_t token);
// 1: one has ended, with its token; 0: none.
int gantry_exits_next(int exits, uint64_t *token);

// files.c
struct gantry_status {
    int64_t byte_count;
    int64_t modified_nanoseconds;
    uint64_t device;
    uint64_t inode;
    uint32_t mode;
    uint32_t owner;
    uint64_t link_count;
};
int gantry_open(const char *path, int flags, uint32_t mode);
int gantry_open_beneath(int directory, const char *path, int flags, uint32_t mode);
// A file in memory that has no name, for reading and writing.
int gantry_memory_file(const char *name);
int gantry_close(int descriptor);
int gantry_make_directory(const char *path, uint32_t mode);
int gantry_make_directory_at(int directory, const char *name, uint32_t mode);
int gantry_remove_directory_at(int directory, const char *name);
int gantry_rename(int from_directory, const char *from, int to_directory, const char *to, int must_be_new);
// The same for a name that must be new, without renaming: the new name is made, which never replaces one, then the old one is removed.
int gantry_rename_by_link(int from_directory, const char *from, int to_directory, const char *to);
int gantry_unlink(int directory, const char *name);
int gantry_touch(int directory, const char *name);
int gantry_touch_descriptor(int descriptor);
int gantry_status_at(int directory, const char *name, struct gantry_status *status);
// Follows links.
int gantry_status_of_path(const char *path, struct gantry_status *status);
int gantry_status(int descriptor, struct gantry_status *status);
int gantry_set_mode(int descriptor, uint32_t mode);
void gantry_set_mask(uint32_t mask);
int64_t gantry_read(int descriptor, void *buffer, size_t count);
int64_t gantry_read_at(int descriptor, void *buffer, size_t count, int64_t offset);
int gantry_write_all(int descriptor, const void *bytes, size_t count);
int gantry_write_all_at(int descriptor, const void *bytes, size_t count, int64_t offset);
int gantry_sync(int descriptor, int data_only);
int gantry_allocate(int descriptor, int64_t byte_count);
int gantry_truncate(int descriptor, int64_t byte_count);
int gantry_forget_cached(int descriptor);
int gantry_lock(int descriptor);
int gantry_lock_shared(int descriptor);
int gantry_unlock(int descriptor);
int gantry_pipe(int32_t *read_end, int32_t *write_end);
// A listing is a handle of open, next (1: a name of at most 255 bytes, 0: end) and close.
int gantry_list_open(int directory, int64_t *listing);
int gantry_list_next(int64_t listing, char name[256]);
void gantry_list_close(int64_t listing);

// network.c
// How many bytes the address has, 4 or 16, in network order; 0: the text is none.
int gantry_ip_address(const char *text, uint8_t bytes[16]);
// The addresses of a host in the system's order, as texts in places of 46 bytes, each with its closing zero. It may block for long.
// How many it wrote; on failure the number of getaddrinfo's answer, negative.
enum { gantry_address_text_size = 46 };
int gantry_host_addresses(const char *host, char *texts, int capacity);

// process.c
struct gantry_spawn {
    const char *path;
    const char *arguments; // argument_count texts, each with its closing zero
    size_t argument_count;
    const char *environment;
    size_t environment_count;
    const char *folder; // NULL: the parent's
    int own_group;
    const int32_t *sources; // descriptor sources[i] becomes targets[i]; every other one is closed
    const int32_t *targets;
    size_t descriptor_count;
};
int gantry_spawn(const struct gantry_spawn *request, int32_t *process);
int gantry_kill(int32_t process, int signal);
// 0: none has ended; else its id, with kind 0 (exit code) or 1 (signal) and value.
int gantry_reap(int32_t process, int *kind, int32_t *value);
int gantry_process_descriptor(int32_t process);
int gantry_die_with_parent(int signal);
// The calling thread's name, which is that of the process in its first thread; cut at 15 bytes.
void gantry_set_process_name(const char *name);
int gantry_raise_descriptor_limit(int64_t *limit);
int gantry_host_name(char *name, size_t capacity);
int gantry_is_open(int descriptor);
int gantry_is_terminal(int descriptor);
int gantry_terminal_size(int descriptor, int32_t *columns, int32_t *rows);
int32_t gantry_process_id(void);
int32_t gantry_parent_id(void);
uint32_t gantry_user_id(void);
void gantry_exit_now(int code) __attribute__((noreturn));

// accept.c
uint64_t gantry_turned_away(void);

// semaphore.c
// A semaphore is a handle; none is signaled when it is made.
int64_t gantry_semaphore_make(void);
void gantry_semaphore_free(int64_t semaphore);
void gantry_semaphore_signal(int64_t semaphore);
void gantry_semaphore_wait(int64_t semaphore);
// Until so many nanoseconds of the monotonic clock. 1: there was a signal; 0: the time is over.
int gantry_semaphore_wait_until(int64_t semaphore, int64_t nanoseconds);

// thread.c
int gantry_thread_start(const char *name, size_t stack_size, void (*body)(void *), void *argument, uint64_t *thread);
int gantry_thread_join(uint64_t thread);
int gantry_thread_detach(uint64_t thread);

#endif
