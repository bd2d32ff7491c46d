//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Why bytes are not the JSON that was expected; without the name of where they came from.
struct JSONFault: Error, Hashable, Sendable {
    /// What is wrong and where, a part of a sentence.
    var text: String

    /// What a source may send.
    static let accepted = "a JSON array of objects with unique ids"
}
