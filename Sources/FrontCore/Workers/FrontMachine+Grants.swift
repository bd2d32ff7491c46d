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
            let work = state.jobs[id].flags.contains(.isFeedJob) ? resolveWork(id) : nil
            let rowByteCount = greatestByteCount(of: state.jobs[id], work)
            let isFull = byteCount + rowByteCount > settings.bounds.grantByteCount || grant.jobs.count >= settings.bounds.grantJobs
            if isFull, !grant.jobs.isEmpty {
                send(grant, to: worker.peer, isApart: isApart, into: &actions)
                (grant, byteCount) = (empty, 0)
            }
            append(state.jobs[id], work, to: &grant)
            byteCount += rowByteCount
        }
        if !grant.jobs.isEmpty { send(grant, to: worker.peer, isApart: isApart, into: &actions) }
    }

    private func send(_ grant: WorkerBoundMessage.Grant, to peer: PeerID, isApart: Bool, into actions: inout [FrontAction]) {
        actions.append(isApart ? .tellWorkerApart(peer, .grant(grant)) : .tellWorker(peer, .grant(grant)))
    }

    private func append(_ record: JobRecord, _ work: FeedWork?, to grant: inout WorkerBoundMessage.Grant) {
        let name = state.loaderNames[Int(record.loader)]
        if grant.loaders.last != name, !grant.loaders.contains(name) { grant.loaders.append(name) }
        let nameIndex = grant.loaders.last == name ? grant.loaders.count - 1 : grant.loaders.firstIndex(of: name) ?? 0
        if let work { grant.feedWork.append(Indexed(index: UInt32(grant.jobs.count), value: work)) }
        grant.jobs.append(record.id)
        grant.leases.append(record.lease)
        grant.loaderIndexes.append(UInt32(nameIndex))
        grant.attempts.append(record.attempts)
        grant.lengths.append(record.blob.byteCount)
        state.arena.copy(record.blob, to: &grant.arguments)
    }

    /// Bytes of two ids, three numbers and a loader's name in the columns of a grant, at most.
    private static let grantRowByteCount = 112

    /// No fewer bytes than a job takes in a grant as it is encoded.
    private func greatestByteCount(of record: JobRecord, _ work: FeedWork?) -> Int {
        Self.grantRowByteCount + Int(record.blob.byteCount) + (work?.greatestByteCount ?? 0)
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
