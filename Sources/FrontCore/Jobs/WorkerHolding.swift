//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What a worker offers, and the jobs that it holds.
struct WorkerHolding {
    /// Whether there is such a worker.
    private(set) var isKnown = false
    /// The jobs it holds, oldest grant first.
    private(set) var held = JobLine()
    /// How many of them take a slot.
    private(set) var slotsTaken = 0
    /// How many of them were taken ahead.
    private(set) var bulkHeld = 0
    /// What it says of each of its loaders.
    private var declarations: [LoaderDeclaration] = []
    /// By a loader's index the place of what it says of it, from 1; 0: it does not offer it.
    private var offerPlaces: [UInt16] = []
    private var slots = 0
    private var prefetch = 0
    /// Whether it is registered and does not drain: jobs may wait for it.
    private(set) var isOffering = false
    /// Whether jobs may be given to it now.
    private var isTaking = false

    /// It has registered: its loaders have these indexes, in their order.
    mutating func note(_ registration: WorkerMessage.Registration, at indexes: [Int]) {
        isKnown = true
        declarations = registration.loaders
        (slots, prefetch) = (Int(registration.slots), Int(registration.prefetch))
        offerPlaces = Array(repeating: 0, count: (indexes.max() ?? -1) + 1)
        for (place, index) in indexes.enumerated() where offerPlaces[index] == 0 { offerPlaces[index] = UInt16(exactly: place + 1) ?? 0 }
    }

    /// Whether jobs may wait for it, and be given to it.
    /// - Returns: whether that is new.
    mutating func noteReadiness(isOffering: Bool, isTaking: Bool) -> Bool {
        guard (self.isOffering, self.isTaking) != (isOffering, isTaking) else { return false }
        (self.isOffering, self.isTaking) = (isOffering, isTaking)
        return true
    }

    /// Takes a job in hand that stands in no line: ahead if its loader is short here, otherwise into a slot.
    /// - Returns: whether ahead.
    mutating func hold(_ id: UInt64, in slab: inout JobSlab) -> Bool {
        let isBulk = offer(Int(slab[id].loader))?.isBulk ?? false
        if isBulk { bulkHeld += 1 } else { slotsTaken += 1 }
        held.append(id, .held, in: &slab)
        return isBulk
    }

    /// Puts what it holds into the order of the grants: a checkpoint has it in the order of the numbers.
    mutating func sortHeld(in slab: inout JobSlab) {
        held.sort(.held, in: &slab) { ($0.changedAt, $0.lease) < ($1.changedAt, $1.lease) }
    }

    /// Lets go of a job that it holds.
    mutating func letGo(_ id: UInt64, in slab: inout JobSlab) {
        if slab[id].flags.contains(.isBulk) { bulkHeld -= 1 } else { slotsTaken -= 1 }
        held.remove(id, in: &slab)
    }

    // Asked for each grant, and therefore part of their callers: for a call the whole value would be copied.

    /// What the worker says of a loader; nil: it does not offer it.
    @inline(__always)
    func offer(_ loader: Int) -> LoaderDeclaration? {
        guard loader < offerPlaces.count, offerPlaces[loader] != 0 else { return nil }
        return declarations[Int(offerPlaces[loader]) - 1]
    }

    /// Whether it will take jobs of that loader once it has room: what a job waits for is a slot then, not a worker.
    @inline(__always)
    func serves(_ loader: Int) -> Bool { isOffering && offer(loader) != nil }

    /// Its room. Without anything ahead, a bulk job still has the place of a slot.
    @inline(__always)
    func room(in slab: JobSlab) -> WorkerRoom {
        WorkerRoom(
            isOffering: isOffering, isTaking: isTaking, aloneFor: held.count == 1 ? slab[held.first].aloneFor : nil,
            held: held.count, slots: slots, slotsTaken: slotsTaken, placesAhead: max(prefetch, slots), takenAhead: bulkHeld)
    }
}
