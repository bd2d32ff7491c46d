//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

// The only use of Foundation in this library. What an error's localized description is, is defined there
// (`LocalizedError`, `NSError`) and cannot be asked for in any other way; any other text would differ from what
// `error.localizedDescription` prints in the rest of the same program.
public import Foundation

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
    public var errorDescription: String? { description }
}
