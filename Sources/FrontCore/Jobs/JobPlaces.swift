//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Where jobs stand that have not ended: in a lane of the scheduler, or in a worker's hand.
///
/// Who changes a hand need not think of the scheduler: `settle` tells it of the room of each worker that has changed, once.
struct JobPlaces {
    /// Which waiting job is next.
    private(set) var scheduler = Scheduler()
    /// By a worker's index what it offers and holds.
    private var hands: [WorkerHand] = []
    /// Workers whose hand has changed since the scheduler was told of its room.
    private var changed = ChangedIndexes()

    // Asked for each job: whoever lends a whole hand allocates.

    /// What a worker has in hand; nil: there is none of that index.
    @inline(__always)
    func hand(of worker: Int) -> WorkerHand? { worker < hands.count && hands[worker].isKnown ? hands[worker] : nil }

    /// Puts what each worker holds into the order of the grants.
    mutating func sortHands(in slab: inout JobSlab) { for index in hands.indices { hands[index].sortHeld(in: &slab) } }

    /// Puts a waiting job that stands nowhere into its lane.
    mutating func lineUp(_ id: UInt64, in records: inout JobRecords) {
        scheduler.insert(id, client: records.client(of: id), in: &records.slab)
    }

    /// Puts a job that stands nowhere into a worker's hand.
    /// - Returns: whether ahead, beside the slots.
    mutating func hold(_ id: UInt64, by worker: Int, in slab: inout JobSlab) -> Bool {
        touch(worker)
        return hands[worker].hold(id, in: &slab)
    }

    /// Takes a job out of where it stands.
    mutating func remove(_ id: UInt64, in records: inout JobRecords) {
        switch records.slab[id].place {
        case .nowhere, .history: break
        case .lane, .suspects: scheduler.remove(id, client: records.client(of: id), in: &records.slab)
        case .held:
            let worker = Int(records.slab[id].worker)
            touch(worker)
            hands[worker].letGo(id, in: &records.slab)
        }
    }

    /// A worker has registered, and offers loaders of these indexes.
    mutating func takeWorker(_ worker: Int, _ registration: WorkerMessage.Registration, at indexes: [Int], in slab: JobSlab) {
        while hands.count <= worker { hands.append(WorkerHand()) }
        hands[worker].note(registration, at: indexes)
        touch(worker)
        let offered = Set(indexes).sorted()
        let ahead = offered.filter { hands[worker].offer($0)?.isShort ?? false }
        scheduler.setOffers(of: worker, slot: offered.filter { !ahead.contains($0) }, ahead: ahead, in: slab)
    }

    /// A worker is forgotten, which holds nothing.
    mutating func dropWorker(_ worker: Int) {
        scheduler.removeWorker(worker)
        hands[worker] = WorkerHand()
    }

    /// Whether jobs may wait for a worker, and be given to it.
    mutating func noteReadiness(of worker: Int, isOffering: Bool, isTaking: Bool) {
        guard worker < hands.count, hands[worker].isKnown else { return }
        guard hands[worker].noteReadiness(isOffering: isOffering, isTaking: isTaking) else { return }
        touch(worker)
    }

    /// Something has changed that a worker's room follows from.
    mutating func touch(_ worker: Int) { changed.note(worker) }

    /// Tells the scheduler of the room of every worker that has changed, and of the end of changes to its lines.
    mutating func settle(in slab: JobSlab) {
        scheduler.settle(in: slab)
        while let worker = changed.take() {
            if hands[worker].isKnown { scheduler.setRoom(of: worker, to: hands[worker].room(in: slab)) }
        }
    }

    /// Asks the scheduler for what it notes that it was asked for.
    mutating func ask<Answer>(_ question: (inout Scheduler) -> Answer) -> Answer { question(&scheduler) }
}
