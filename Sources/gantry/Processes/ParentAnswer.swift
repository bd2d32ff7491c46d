//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Synchronization

/// Whether this process now ends with its parent, as the thread found out that asked.
final class ParentAnswer: Sendable {
    private let result = Mutex<Result<Bool, any Error>>(.success(false))

    /// False: the parent has already gone, or nothing was found out.
    var isTied: Bool {
        get throws { try result.withLock { try $0.get() } }
    }

    func set(_ result: Result<Bool, any Error>) { self.result.withLock { $0 = result } }
}
