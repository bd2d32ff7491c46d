//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A promise that was broken.
package struct Violation: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which.
    package let promise: Promise
    /// What broke it, and when.
    package let text: String

    /// One line.
    package var description: String { "\(promise.rawValue): \(text)" }
}
