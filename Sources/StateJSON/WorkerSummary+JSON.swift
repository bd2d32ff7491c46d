//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension WorkerSummary {
    /// The shape `worker`.
    public var json: JSONValue {
        .object(
            ("id", .string(id.description)), ("name", .string(name)), ("processID", .count(UInt64(processID))),
            ("state", .string(state)), ("slots", .count(UInt64(slots))), ("slotsTaken", .count(UInt64(slotsTaken))),
            ("prefetched", .count(UInt64(prefetched))), ("loaders", .array(loaders.map { .string($0) })))
    }
}
