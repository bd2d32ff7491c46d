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

extension Bounds {
    /// The options of `count` jobs beside their columns.
    func options(
        _ distinct: [WireJobOptions], _ indexes: [UInt32], ofJobs count: Int, _ what: String
    ) throws(CodecError) -> JobOptionsColumn {
        guard distinct.count <= MessageBounds.distinctOptions else {
            let reason = "\(distinct.count) different ones is over the limit of \(MessageBounds.distinctOptions)"
            throw CodecError(what: what, reason: reason, code: .tooLarge)
        }
        try self.indexes(indexes, below: distinct.count, what: what)
        let column = JobOptionsColumn(distinct: try values(distinct, what), indexes: indexes)
        if let fault = column?.fault(ofJobs: count) { throw CodecError(what: what, reason: fault) }
        return column ?? JobOptionsColumn()
    }
}
