// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
#define _GNU_SOURCE
#include "CGantryPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Splits texts that lie behind each other into the NULL-ended list that exec wants. The caller frees the list.
static char **split(const char *texts, size_t count) {
    char **list = calloc(count + 1, sizeof *list);
    for (size_t index = 0; list != NULL && index < count; index++) {
        list[index] = (char *)texts;
        texts += strlen(texts) + 1;
    }
    return list;
}

// First lifts every source above all targets, so that no source is overwritten before it is read; then puts each in its
// place and closes what is left over.
static int add_descriptors(posix_spawn_file_actions_t *actions, const struct gantry_spawn *request) {
    int highest = 2;
    for (size_t index = 0; index < request->descriptor_count; index++) {
        if (request->targets[index] > highest) highest = request->targets[index];
        if (request->sources[index] > highest) highest = request->sources[index];
    }
    int base = highest + 1, code = 0, last = -1;
    for (size_t index = 0; code == 0 && index < request->descriptor_count; index++) {
        code = posix_spawn_file_actions_adddup2(actions, request->sources[index], base + (int)index);
    }
    for (size_t index = 0; code == 0 && index < request->descriptor_count; index++) {
        code = posix_spawn_file_actions_adddup2(actions, base + (int)index, request->targets[index]);
        if (request->targets[index] > last) last = request->targets[index];
    }
    for (int candidate = 0; code == 0 && candidate < last; candidate++) {
        int wanted = 0;
        for (size_t index = 0; index < request->descriptor_count; index++) wanted |= request->targets[index] == candidate;
        if (!wanted) code = posix_spawn_file_actions_addclose(actions, candidate);
    }
    return code != 0 ? code : posix_spawn_file_actions_addclosefrom_np(actions, last + 1);
}

static int set_attributes(posix_spawnattr_t *attributes, int own_group) {
    sigset_t all, none;
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    sigemptyset(&none);
    int code = posix_spawnattr_setsigdefault(attributes, &all);
    if (code == 0) code = posix_spawnattr_setsigmask(attributes, &none);
    if (code == 0 && own_group) code = posix_spawnattr_setpgroup(attributes, 0);
    short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (own_group ? POSIX_SPAWN_SETPGROUP : 0);
    return code != 0 ? code : posix_spawnattr_setflags(attributes, flags);
}

int gantry_spawn(const struct gantry_spawn *request, int32_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0) return -code;
    code = posix_spawnattr_init(&attributes);
    if (code != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return -code;
    }
    char **arguments = split(request->arguments, request->argument_count);
    char **environment = split(request->environment, request->environment_count);
    pid_t made = 0;
    if (arguments == NULL || environment == NULL) code = ENOMEM;
    if (code == 0) code = set_attributes(&attributes, request->own_group);
    if (code == 0 && request->folder != NULL) code = posix_spawn_file_actions_addchdir_np(&actions, request->folder);
    if (code == 0) code = add_descriptors(&actions, request);
    if (code == 0) code = posix_spawn(&made, request->path, &actions, &attributes, arguments, environment);
    free(arguments);
    free(environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    *process = made;
    return -code;
}

int gantry_kill(int32_t process, int signal) {
    return kill(process, signal) == 0 ? 0 : -errno;
}

int gantry_reap(int32_t process, int *kind, int32_t *value) {
    int status = 0;
    for (;;) {
        pid_t ended = waitpid(process, &status, WNOHANG);
        if (ended < 0 && errno == EINTR) continue;
        if (ended < 0) return -errno;
        *kind = WIFSIGNALED(status) ? 1 : 0;
        *value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
        return ended;
    }
}

int gantry_process_descriptor(int32_t process) {
    long descriptor = syscall(SYS_pidfd_open, process, 0);
    return descriptor >= 0 ? (int)descriptor : -errno;
}

int gantry_die_with_parent(int signal) {
    return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0) == 0 ? 0 : -errno;
}

void gantry_set_process_name(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

int gantry_raise_descriptor_limit(int64_t *limit) {
    struct rlimit now;
    if (getrlimit(RLIMIT_NOFILE, &now) != 0) return -errno;
    now.rlim_cur = now.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &now) != 0) return -errno;
    *limit = now.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)now.rlim_cur;
    return 0;
}

int gantry_host_name(char *name, size_t capacity) {
    if (gethostname(name, capacity) != 0) return -errno;
    name[capacity - 1] = 0;
    return 0;
}

int gantry_is_open(int descriptor) {
    return fcntl(descriptor, F_GETFD) != -1;
}

int gantry_is_terminal(int descriptor) {
    return isatty(descriptor) == 1;
}

int gantry_terminal_size(int descriptor, int32_t *columns, int32_t *rows) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return -errno;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}

int32_t gantry_process_id(void) {
    return getpid();
}

int32_t gantry_parent_id(void) {
    return getppid();
}

uint32_t gantry_user_id(void) {
    return geteuid();
}

void gantry_exit_now(int code) {
    _exit(code);
}
