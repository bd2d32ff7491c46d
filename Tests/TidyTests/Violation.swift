//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One broken rule at one place.
struct Violation: Equatable, CustomStringConvertible {
    let path: String
    /// From 1.
    let line: Int
    let text: String

    var description: String { "\(path):\(line): \(text)" }
}
