// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
#define _GNU_SOURCE
#include "CGantryPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

int gantry_eventfd(void) {
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return descriptor >= 0 ? descriptor : -errno;
}

int gantry_eventfd_signal(int descriptor) {
    const uint64_t one = 1;
    for (;;) {
        if (write(descriptor, &one, sizeof one) == (ssize_t)sizeof one) return 0;
        if (errno == EAGAIN) return 0; // The counter is at its top: the reader is signaled already.
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

// Signals that are taken become records in a pipe, which lives as long as the process: a handler may run on any thread at any time.
static int signal_writer = -1;
static struct sigaction found[NSIG];

static void note_signal(int number) {
    int error = errno;
    const struct gantry_signal record = {gantry_clock_nanoseconds(gantry_clock_monotonic), number};
    // A full pipe holds thousands that nobody has read; one more says nothing new.
    ssize_t written = write(signal_writer, &record, sizeof record);
    (void)written;
    errno = error;
}

int gantry_signals_open(void) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    signal_writer = ends[1];
    return ends[0];
}

int gantry_signal_take(int number) {
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    if (number < 1 || number >= NSIG) return -EINVAL;
    return sigaction(number, &action, &found[number]) == 0 ? 0 : -errno;
}

int gantry_signal_leave(int number) {
    if (number < 1 || number >= NSIG) return -EINVAL;
    return sigaction(number, &found[number], NULL) == 0 ? 0 : -errno;
}

int gantry_signal_reset(int number) {
    return signal(number, SIG_DFL) == SIG_ERR ? -errno : 0;
}

int gantry_signal_next(int reader, struct gantry_signal *record) {
    for (;;) {
        ssize_t count = read(reader, record, sizeof *record);
        if (count == (ssize_t)sizeof *record) return 1;
        if (count >= 0) return -EIO;
        if (errno != EINTR) return -errno;
    }
}

int gantry_fill_standard(void) {
    for (int number = 0; number <= 2; number++) {
        if (fcntl(number, F_GETFD) != -1) continue;
        // The lowest free number is this one, for those below are open.
        if (open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY) < 0) return -errno;
    }
    return 0;
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
