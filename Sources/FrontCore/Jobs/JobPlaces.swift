//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Where jobs stand that have not ended: in a lane of the scheduler, or in a worker's hand.
///
/// Who changes a hand need not think of the scheduler: `flush` tells it of the room of each worker that has changed, once.
struct JobPlaces {
    /// Which waiting job is next.
    private(set) var scheduler = Scheduler()
    /// By a worker's index what it offers and holds.
    private var holdings: [WorkerHolding] = []
    /// Workers whose hand has changed since the scheduler was told of its room.
    private var changed = ChangedIndexes()

    // Asked for each job: whoever lends a whole hand allocates.

    /// What a worker has in hand; nil: there is none of that index.
    @inline(__always)
    func holding(of worker: Int) -> WorkerHolding? { worker < holdings.count && holdings[worker].isKnown ? holdings[worker] : nil }

    /// Puts what each worker holds into the order of the grants.
    mutating func sortHoldings(in slab: inout JobSlab) { for index in holdings.indices { holdings[index].sortHeld(in: &slab) } }

    /// Puts a waiting job that stands nowhere into its lane.
    mutating func lineUp(_ id: UInt64, in records: inout JobRecords) {
        scheduler.insert(id, client: records.client(of: id), in: &records.slab)
    }

    /// Puts a job that stands nowhere into a worker's hand.
    /// - Returns: whether ahead, beside the slots.
    mutating func hold(_ id: UInt64, by worker: Int, in slab: inout JobSlab) -> Bool {
        touch(worker)
        return holdings[worker].hold(id, in: &slab)
    }

    /// Takes a job out of where it stands.
    mutating func remove(_ id: UInt64, in records: inout JobRecords) {
        switch records.slab[id].place {
        case .nowhere, .ended: break
        case .lane, .suspects: scheduler.remove(id, client: records.client(of: id), in: &records.slab)
        case .held:
            let worker = Int(records.slab[id].worker)
            touch(worker)
            holdings[worker].letGo(id, in: &records.slab)
        }
    }

    /// A worker has registered, and offers loaders of these indexes.
    mutating func takeWorker(_ worker: Int, _ registration: WorkerMessage.Registration, at indexes: [Int], in slab: JobSlab) {
        while holdings.count <= worker { holdings.append(WorkerHolding()) }
        holdings[worker].note(registration, at: indexes)
        touch(worker)
        let offered = Set(indexes).sorted()
        let ahead = offered.filter { holdings[worker].offer($0)?.isBulk ?? false }
        scheduler.setOffers(of: worker, slot: offered.filter { !ahead.contains($0) }, ahead: ahead, in: slab)
    }

    /// A worker is forgotten, which holds nothing.
    mutating func dropWorker(_ worker: Int) {
        scheduler.removeWorker(worker)
        holdings[worker] = WorkerHolding()
    }

    /// Whether jobs may wait for a worker, and be given to it.
    mutating func noteReadiness(of worker: Int, isOffering: Bool, isTaking: Bool) {
        guard worker < holdings.count, holdings[worker].isKnown else { return }
        guard holdings[worker].noteReadiness(isOffering: isOffering, isTaking: isTaking) else { return }
        touch(worker)
    }

    /// Something has changed that a worker's room follows from.
    mutating func touch(_ worker: Int) { changed.note(worker) }

    /// Tells the scheduler of the room of every worker that has changed, and of the end of changes to its lines.
    mutating func flush(in slab: JobSlab) {
        scheduler.flush(in: slab)
        while let worker = changed.take() {
            if holdings[worker].isKnown { scheduler.setRoom(of: worker, to: holdings[worker].room(in: slab)) }
        }
    }

    /// Asks the scheduler for what it notes that it was asked for.
    mutating func ask<Answer>(_ question: (inout Scheduler) -> Answer) -> Answer { question(&scheduler) }
}
