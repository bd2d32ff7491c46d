//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What jobs and views take in bytes beside their records, each kind with a bound of its own: counts alone bound nothing where one job may
/// carry 64 KiB, and a journal that is larger than the memory could never be read again.
struct StoredBytes: Equatable {
    /// What jobs that have not ended carry: arguments, and all that was asked of feeds.
    var queued = 0
    /// Arguments and results of jobs that succeeded or were cancelled.
    var ended = 0
    /// Failures, and arguments and items of jobs that failed: they can be repeated.
    var failed = 0
    /// Details in views.
    var details = 0
}

extension Detail {
    /// Bytes that it holds itself.
    var byteCount: Int {
        switch self {
        case .idle, .loading, .stored: 0
        case .loaded(let bytes): bytes.count
        case .failed(let failure): failure.roughByteCount
        }
    }
}
