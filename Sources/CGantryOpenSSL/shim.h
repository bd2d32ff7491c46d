// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
#ifndef GANTRY_COPENSSL_SHIM_H
#define GANTRY_COPENSSL_SHIM_H

#if !__has_include(<openssl/sha.h>)
#error "openssl/sha.h was not found. Debian and Ubuntu: apt-get install libssl-dev. Fedora: dnf install openssl-devel."
#endif

// The functions that newer ones shall replace look for their algorithm by its name in each call: 1.2 us instead of 0.2 us for a short text.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#endif
