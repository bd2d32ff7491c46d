//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// An error with an identity of its own, so that a state that holds it can be compared and hashed.
///
/// A copy equals its original. Wrapping the same error a second time gives a different value: two failures of the same kind
/// are two events. Equality and hash look at ``identity`` alone.
public struct HashableError: Hashable, Sendable, CustomStringConvertible {
    /// The error as it was thrown.
    public let error: any Error & Sendable
    /// What makes this failure itself. Carry it along when a failure crosses a wire, so that all observers agree.
    public let identity: UInt128

    /// Wraps an error under a new random identity.
    public init(_ error: any Error & Sendable) {
        self.init(error, identity: UInt128.random(in: .min ... .max))
    }

    /// Wraps an error under an identity that was given elsewhere, for example by another process.
    public init(_ error: any Error & Sendable, identity: UInt128) {
        self.error = error
        self.identity = identity
    }

    /// Whether both values are the same failure; the errors themselves are not compared.
    public static func == (left: HashableError, right: HashableError) -> Bool {
        left.identity == right.identity
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }

    /// The localized description of the error.
    public var description: String { localizedDescription }

    /// Whether the wrapped error says that work was cancelled, which is no failure.
    var isCancellation: Bool { error is CancellationError }
}
