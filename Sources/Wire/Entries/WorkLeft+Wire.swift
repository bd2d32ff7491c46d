//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

extension WireWorkLeft: Mapped {
    init(_ value: JournalEntry.WorkLeft) {
        self.init()
        since = value.since.milliseconds
        work =
            switch value.work {
            case .damage(let object): .damagedObject(Data(object.bytes))
            case .loss(let lost): .lostWorker(WireLostWorker(lost))
            case .reset(let key, let label): .feedReset(WireFeedReset(of: key, by: label))
            }
        cursor =
            switch value.cursor {
            case .feed(let key): .nextFeed(key.text)
            case .job(let job): .nextJob(job.rawValue)
            case nil: nil
            }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.WorkLeft {
        let work: JournalEntry.WorkLeft.Work =
            switch self.work {
            case .damagedObject(let object): .damage(try bounds.digest(object))
            case .lostWorker(let lost): .loss(try lost.value(within: bounds))
            case .feedReset(let reset): .reset(try bounds.feed(reset.feed), by: reset.by)
            case nil: throw bounds.unknownKind("work that is left")
            }
        let cursor: JournalEntry.WorkLeft.Cursor? =
            switch self.cursor {
            case .nextFeed(let key): .feed(try bounds.feed(key))
            case .nextJob(let job): .job(JobID(job))
            case nil: nil
            }
        return JournalEntry.WorkLeft(work, since: WallTime(milliseconds: since), at: cursor)
    }
}

extension WireFeedReset {
    fileprivate init(of key: FeedKey, by label: String) {
        self.init()
        (feed, by) = (key.text, label)
    }
}

extension WireLostWorker: Mapped {
    init(_ value: JournalEntry.LostWorker) {
        self.init()
        (worker, cause) = (value.worker.rawValue, WireAttemptEndCause(value.cause))
        (isSuspected, isCounted) = (value.isSuspected, value.isCounted)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.LostWorker {
        JournalEntry.LostWorker(
            WorkerID(worker), try bounds.known(cause, "why jobs wait again"), isSuspected: isSuspected, isCounted: isCounted)
    }
}
