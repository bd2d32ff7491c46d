//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

// The only use of Foundation in this library. What an error's localized description is, is defined there
// (`LocalizedError`, `NSError`) and cannot be asked for in any other way; any other text would differ from what
// `error.localizedDescription` prints in the rest of the same program.
public import Foundation

/// An error with an identity of its own, so that a state that holds it can be compared and hashed.
///
/// A copy equals its original. Wrapping the same error a second time gives a different value: two failures of the same kind
/// are two events. Equality and hash look at ``identity`` alone: send it along when a failure crosses a wire, and observers in different processes
/// agree on which failure they see.
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

extension HashableError {
    /// The text that `error.localizedDescription` gives in a program that imports Foundation.
    public var localizedDescription: String { error.localizedDescription }
}

extension ConcurrencyLimitError: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}

extension FetchNotOverridden: LocalizedError {
    /// The same text as ``description``.
    package var errorDescription: String? { description }
}

/// A permit could not be had, for a reason other than our own cancellation. A ``ConcurrencyLimitingLoadable`` shows it as its failure.
public struct ConcurrencyLimitError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why there was no permit. The set of codes may grow.
    package struct Code: Hashable, Sendable {
        private let name: String

        /// As many calls wait for a permit as may.
        package static let tooManyWaiting = Code(name: "tooManyWaiting")
    }

    /// Why there was no permit.
    package let code: Code
    /// How many loads may run at once.
    package let concurrencyLimit: Int
    /// How many calls may wait.
    package let waiterLimit: Int

    init(_ code: Code, concurrencyLimit: Int, waiterLimit: Int) {
        self.code = code
        self.concurrencyLimit = concurrencyLimit
        self.waiterLimit = waiterLimit
    }

    /// Names both limits and the next step.
    public var description: String {
        "\(concurrencyLimit) loads run and \(waiterLimit) wait, which is the limit: load again when some have ended"
    }
}

/// The failure of a ``BaseLoadable`` subclass that overrides neither `fetch()` nor `load()`.
package struct FetchNotOverridden: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the subclass.
    package let typeName: String

    /// Creates the error for a subclass.
    package init(typeName: String) {
        self.typeName = typeName
    }

    /// Names the subclass and what to do.
    package var description: String { "\(typeName) does not override fetch(): override it to say what is loaded" }
}
