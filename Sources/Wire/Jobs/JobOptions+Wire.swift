//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import WireMessages

extension WireJobOptions: Mapped {
    init(_ value: JobOptions) {
        self.init()
        if value.priority != JobPriority.usual { priority = UInt32(value.priority) }
        tags = value.tags
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobOptions {
        var options = JobOptions(tags: tags)
        // What is beyond a byte is no priority either.
        if hasPriority { options.priority = UInt8(exactly: priority) ?? .max }
        if let fault = options.fault { throw CodecError(what: "a job's options", reason: fault) }
        return options
    }
}

extension WireJobTerms: Mapped {
    init(_ value: JobTerms) {
        self.init()
        client = value.client
        if let some = WireJobOptions(unusual: value.options) { options = some }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobTerms {
        JobTerms(
            client: try bounds.label(client, "a client's label"), options: hasOptions ? try options.value(within: bounds) : JobOptions())
    }
}

extension WireJobOptions {
    /// The message that says `options`; nil: they are the usual ones, which are left out.
    init?(unusual options: JobOptions) {
        guard options != JobOptions() else { return nil }
        self.init(options)
    }
}
