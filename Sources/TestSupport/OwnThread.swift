//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// Runs what blocks or takes seconds, such as reading what another process prints, on a thread of its own: tests share as few threads as
/// there are cores, and one that holds a thread holds up the others.
///
/// - Throws: what `body` throws.
public func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
