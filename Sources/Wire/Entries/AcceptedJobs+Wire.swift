//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import WireMessages

extension WireAcceptedJobs: JobColumns, Mapped {
    init(_ value: JournalEntry.AcceptedJobs) {
        self.init()
        first = value.first.rawValue
        acceptedAt = value.acceptedAt.milliseconds
        rankTime = value.rankTime
        if let some = WireSubmitter(value.submitter) { submitter = some }
        loader = value.loader
        reportsOutcomes = value.reportsOutcomes
        write(value.arguments, value.options)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.AcceptedJobs {
        let columns = try columns(within: bounds)
        return JournalEntry.AcceptedJobs(
            first: JobID(first), acceptedAt: WallTime(milliseconds: acceptedAt), rankTime: rankTime,
            submitter: hasSubmitter ? try submitter.value(within: bounds) : .front, loader: try bounds.text(loader, "a loader's name"),
            options: columns.options, reportsOutcomes: reportsOutcomes, arguments: columns.arguments)
    }
}

extension WireSubmitter {
    /// A submitter; nil: it is the front, which is written as none.
    init?(_ value: Submitter) {
        self.init()
        switch value {
        case .session(let id): session = id.rawValue
        case .schedule(let name): schedule = name
        case .parent(let job): parent = job.rawValue
        case .front: return nil
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Submitter {
        switch kind {
        case .session(let id): .session(SessionID(id))
        case .schedule(let name): .schedule(try bounds.label(name, "a schedule's name"))
        case .parent(let job): .parent(JobID(job))
        case nil: .front
        }
    }
}
