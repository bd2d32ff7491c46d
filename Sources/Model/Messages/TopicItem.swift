//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One item of a topic: bytes as sent. Replicas keep these very bytes and never need to understand them.
public struct TopicItem: Hashable, Sendable {
    /// The item's key, unique in its topic.
    public var key: [UInt8]
    /// Its encoded value.
    public var value: [UInt8]

    /// Joins key and value.
    public init(key: [UInt8], value: [UInt8]) {
        self.key = key
        self.value = value
    }
}
