//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension Failure {
    /// Bytes of its texts, with the place that each argument takes: what reports, pages and bounds of memory count. Whoever counts the failure
    /// as a record too adds what that takes.
    public var roughByteCount: Int { arguments.reduce(text.utf8.count + placesByteCount) { $0 + $1.utf8.count } }

    /// Bytes of the places of its arguments: what they take in memory beside their texts, and no less than beside them in a message.
    public var placesByteCount: Int { arguments.count * MemoryLayout<String>.stride }
}
