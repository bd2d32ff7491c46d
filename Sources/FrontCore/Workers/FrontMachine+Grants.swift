//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Sends jobs that a worker holds, in messages that it can read whole.
    ///
    /// - Parameter isApart: whether each message goes in a frame of its own.
    mutating func sendGrant(_ jobs: [UInt64], worker index: Int, isApart: Bool = false, into actions: inout [FrontAction]) {
        guard let worker = state.workers[index], worker.peer != .none else { return }
        settle(worker: index, into: &actions)
        let empty = WorkerBoundMessage.Grant(attachment: worker.attachment, renewal: worker.renewal, wall: now.wall)
        var (grant, byteCount) = (empty, 0)
        for id in jobs {
            let record = state.jobs[id]
            let work = record.flags.contains(.isFeedJob) ? resolveWork(id) : nil
            let rowByteCount = WorkerBoundMessage.Grant.greatestByteCount(of: record, work)
            let isFull = byteCount + rowByteCount > settings.bounds.grantByteCount || grant.jobs.count >= settings.bounds.grantJobs
            if isFull, !grant.jobs.isEmpty {
                send(grant, to: worker.peer, isApart: isApart, into: &actions)
                (grant, byteCount) = (empty, 0)
            }
            grant.append(record, work, loader: state.loaderNames[Int(record.loader)])
            state.arena.copy(record.blob, to: &grant.arguments)
            byteCount += rowByteCount
        }
        if !grant.jobs.isEmpty { send(grant, to: worker.peer, isApart: isApart, into: &actions) }
    }

    private func send(_ grant: WorkerBoundMessage.Grant, to peer: PeerID, isApart: Bool, into actions: inout [FrontAction]) {
        actions.append(isApart ? .tellWorkerApart(peer, .grant(grant)) : .tellWorker(peer, .grant(grant)))
    }

}

// Not functions of the machine: the optimiser would copy all of it for each job.
extension WorkerBoundMessage.Grant {
    /// Bytes of two ids, three numbers and a loader's name in the columns of a grant, at most.
    private static let rowByteCount = 112

    /// No fewer bytes than a job takes in a grant as it is encoded.
    fileprivate static func greatestByteCount(of record: JobRecord, _ work: FeedWork?) -> Int {
        rowByteCount + Int(record.blob.byteCount) + (work?.greatestByteCount ?? 0)
    }

    /// Adds a job; its arguments follow.
    fileprivate mutating func append(_ record: JobRecord, _ work: FeedWork?, loader name: String) {
        if loaders.last != name, !loaders.contains(name) { loaders.append(name) }
        let nameIndex = loaders.last == name ? loaders.count - 1 : loaders.firstIndex(of: name) ?? 0
        if let work { feedWork.append(Indexed(index: UInt32(jobs.count), value: work)) }
        jobs.append(record.id)
        leases.append(record.lease)
        loaderIndexes.append(UInt32(nameIndex))
        attempts.append(record.attempts)
        lengths.append(record.blob.byteCount)
    }
}

extension FeedWork {
    /// What the fields of known size, two object references and the numbers of all fields take, at most.
    private static let fixedByteCount = 512

    /// No fewer bytes than it takes as it is encoded.
    var greatestByteCount: Int {
        let texts = key.text.utf8.count + view.utf8.count + filter.utf8.count + (itemID?.utf8.count ?? 0) + (sort?.field.utf8.count ?? 0)
        return Self.fixedByteCount + texts + settings.count + item.count
    }
}
