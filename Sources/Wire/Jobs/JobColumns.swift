//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import SwiftProtobuf
import WireMessages

/// A message that has the arguments of jobs as a column, with their options beside it: jobs travel and are kept in the same form.
protocol JobColumns: SwiftProtobuf.Message {
    /// The different options of the jobs; none: all have the usual ones.
    var options: [WireJobOptions] { get set }
    /// Which of them each job has; none: all have the first.
    var optionIndexes: [UInt32] { get set }
    /// Byte count of each argument.
    var lengths: [UInt32] { get set }
    /// The arguments one behind the other.
    var arguments: Data { get set }
}

extension JobColumns {
    /// Writes both.
    mutating func write(_ arguments: PackedBytes, _ options: JobOptionsColumn) {
        self.options = options.distinct.map(WireJobOptions.init)
        optionIndexes = options.indexes
        lengths = arguments.lengths
        self.arguments = Data(arguments.bytes)
    }

    /// What both say.
    func columns(within bounds: Bounds) throws(CodecError) -> (arguments: PackedBytes, options: JobOptionsColumn) {
        try bounds.rows(lengths.count, "submitted jobs")
        let packed = try bounds.packed(lengths, arguments, "arguments of submitted jobs")
        return (packed, try jobOptions(within: bounds))
    }

    private func jobOptions(within bounds: Bounds) throws(CodecError) -> JobOptionsColumn {
        let what = "options of submitted jobs"
        guard options.count <= MessageBounds.distinctOptions else {
            let reason = "\(options.count) different ones is over the limit of \(MessageBounds.distinctOptions)"
            throw CodecError(what: what, reason: reason, code: .tooLarge)
        }
        try bounds.indexes(optionIndexes, below: options.count, what: what)
        let column = JobOptionsColumn(distinct: try bounds.values(options, what), indexes: optionIndexes)
        if let fault = column?.fault(ofJobs: lengths.count) { throw CodecError(what: what, reason: fault) }
        return column ?? JobOptionsColumn()
    }
}
