// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
#define _GNU_SOURCE
#include "CGantryPlatform.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint64_t turned_away;

// Descriptors that connections leave to the process itself: an eighth of its limit, 32 to 1,024.
static int is_reserved(int descriptor) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
    rlim_t reserve = limit.rlim_cur / 8;
    reserve = reserve < 32 ? 32 : reserve > 1024 ? 1024 : reserve;
    return limit.rlim_cur <= reserve || (rlim_t)descriptor >= limit.rlim_cur - reserve;
}

// Stands before the C library's function of that name for every library of the process. A listener of libzmq 4.3.4 that finds no
// descriptor ends the process (ipc_listener.cpp asserts errno, and EMFILE is not in its list), and one that goes on spins. The kernel gives
// the lowest free number, so a number among the last ones says that few are left: that connection is closed at once, and the listener is told
// what it is told of one whose peer has left again. Its peer tries again later, as it does when nobody listens.
int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags) {
    int descriptor = (int)syscall(SYS_accept4, listener, address, length, flags);
    if (descriptor < 0) {
        if (errno == EMFILE) errno = ECONNABORTED;
        return -1;
    }
    if (!is_reserved(descriptor)) return descriptor;
    close(descriptor);
    atomic_fetch_add_explicit(&turned_away, 1, memory_order_relaxed);
    errno = ECONNABORTED;
    return -1;
}

uint64_t gantry_turned_away(void) { return atomic_load_explicit(&turned_away, memory_order_relaxed); }
