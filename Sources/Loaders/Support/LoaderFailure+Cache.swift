//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FileCache
import Model
import WorkerKit

extension LoaderFailure {
    /// A failure of the cache in the words that observers know.
    init(cache error: FileCacheError) {
        switch error.code {
        case .full: self.init(.storageFull, "the cache has no room: \(error.sentence)", retryable: true)
        case .tooLarge: self.init(.tooLarge, error.sentence)
        case .duplicateID:
            let positions = error.positions.map(String.init)
            self.init(.invalidData, error.sentence, arguments: zip(["first", "second"], positions).flatMap { [$0, $1] })
        case .invalidItem: self.init(.invalidData, error.sentence)
        case .unknownItem: self.init(.unknownItem, error.sentence)
        case .cancelled: self.init(.cancelled, error.sentence)
        default: self.init(.storageFailed, "the cache failed: \(error.sentence)", retryable: true)
        }
    }
}
