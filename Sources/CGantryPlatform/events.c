// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
#define _GNU_SOURCE
#include "CGantryPlatform.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

int gantry_eventfd(void) {
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return descriptor >= 0 ? descriptor : -errno;
}

int gantry_eventfd_signal(int descriptor) {
    const uint64_t one = 1;
    for (;;) {
        if (write(descriptor, &one, sizeof one) == (ssize_t)sizeof one) return 0;
        if (errno == EAGAIN) return 0; // The counter is at its top: the reader is signalled already.
        if (errno != EINTR) return -errno;
    }
}

int gantry_eventfd_drain(int descriptor) {
    uint64_t count;
    for (;;) {
        if (read(descriptor, &count, sizeof count) == (ssize_t)sizeof count) return 1;
        if (errno == EAGAIN) return 0;
        if (errno != EINTR) return -errno;
    }
}

int gantry_wait_ready(int descriptor, int for_writing, int64_t milliseconds) {
    struct pollfd item = {.fd = descriptor, .events = for_writing ? POLLOUT : POLLIN};
    int64_t deadline = gantry_clock_nanoseconds(gantry_clock_monotonic) + milliseconds * 1000000;
    for (;;) {
        int64_t left = (deadline - gantry_clock_nanoseconds(gantry_clock_monotonic) + 999999) / 1000000;
        int ready = poll(&item, 1, left <= 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left);
        if (ready >= 0) return ready;
        if (errno != EINTR) return -errno;
    }
}

static int make_set(const int32_t *signals, size_t count, sigset_t *set) {
    sigemptyset(set);
    for (size_t index = 0; index < count; index++) {
        if (sigaddset(set, signals[index]) != 0) return -errno;
    }
    return 0;
}

int gantry_signals_block(const int32_t *signals, size_t count) {
    sigset_t set;
    int made = make_set(signals, count, &set);
    return made != 0 ? made : -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int gantry_signalfd(const int32_t *signals, size_t count) {
    sigset_t set;
    int made = make_set(signals, count, &set);
    if (made != 0) return made;
    int descriptor = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return descriptor >= 0 ? descriptor : -errno;
}

int gantry_signalfd_next(int descriptor, int32_t *signal, int32_t *process, uint32_t *user, int32_t *status) {
    struct signalfd_siginfo info;
    for (;;) {
        ssize_t count = read(descriptor, &info, sizeof info);
        if (count == (ssize_t)sizeof info) {
            *signal = (int32_t)info.ssi_signo;
            *process = (int32_t)info.ssi_pid;
            *user = info.ssi_uid;
            *status = info.ssi_status;
            return 1;
        }
        if (count >= 0) return -EIO;
        if (errno == EAGAIN) return 0;
        if (errno != EINTR) return -errno;
    }
}

int gantry_ignore_sigpipe(void) {
    return signal(SIGPIPE, SIG_IGN) == SIG_ERR ? -errno : 0;
}

int gantry_exits_make(void) {
    int descriptor = epoll_create1(EPOLL_CLOEXEC);
    return descriptor >= 0 ? descriptor : -errno;
}

int gantry_exits_add(int exits, int process_descriptor, uint64_t token) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = token};
    return epoll_ctl(exits, EPOLL_CTL_ADD, process_descriptor, &event) == 0 ? 0 : -errno;
}

int gantry_exits_next(int exits, uint64_t *token) {
    struct epoll_event event;
    for (;;) {
        int ready = epoll_wait(exits, &event, 1, 0);
        if (ready < 0 && errno == EINTR) continue;
        if (ready < 0) return -errno;
        if (ready == 1) *token = event.data.u64;
        return ready;
    }
}
