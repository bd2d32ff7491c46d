//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// Runs a blocking script on a thread of its own, so that no thread of Swift's tasks is held.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        do {
            _ = try startThread(name: "script") { continuation.resume(with: Result { try body() }) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
