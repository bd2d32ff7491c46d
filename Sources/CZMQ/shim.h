// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
#ifndef GANTRY_CZMQ_SHIM_H
#define GANTRY_CZMQ_SHIM_H

#if !__has_include(<zmq.h>)
#error "zmq.h was not found. Debian and Ubuntu: apt-get install libzmq3-dev. Fedora: dnf install zeromq-devel."
#endif

#include <zmq.h>
#include <pthread.h>
#include <time.h>

#if ZMQ_VERSION < ZMQ_MAKE_VERSION(4, 3, 4)
#error "libzmq 4.3.4 or newer is needed (older versions have known security faults)."
#endif

// Declared by glibc for _GNU_SOURCE only, which a Swift import does not set.
extern int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *deadline);

#endif
