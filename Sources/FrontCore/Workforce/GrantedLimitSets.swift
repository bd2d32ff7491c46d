//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The sets of limits of one grant, each sent once: thousands of its jobs may name the same ones.
struct GrantedLimitSets {
    /// No fewer bytes than a name, a value, what the limit allows and the tags of all take.
    private static let limitByteCount = MessageBounds.labelByteCount + LimitKey.valueByteCount + 96

    /// When the jobs took their tokens. Nil: the grant is sent once more, and what the limits allowed then is not known any more.
    private let takenAt: LengthTime?
    /// Places in the grant, from 1, by the index of the set.
    private var places: [Int: UInt32] = [:]

    init(takenAt: LengthTime?) { self.takenAt = takenAt }

    /// A further grant begins.
    mutating func removeAll() { places.removeAll(keepingCapacity: true) }

    /// No fewer bytes than a set adds to the grant.
    func greatestByteCount(of set: Int) -> Int {
        set == 0 || places[set] != nil ? 0 : JobOptions.limitKeyLimit * Self.limitByteCount
    }

    /// Names the limits of the row that was added last; rows before the first with limits get theirs, none, with it.
    mutating func add(_ set: Int, of jobs: JobLifecycle, to grant: inout WorkerBoundMessage.Grant) {
        if grant.limitIndexes.isEmpty {
            grant.limitIndexes = Array(repeating: 0, count: grant.jobs.count - 1)
            grant.takenAt = takenAt?.milliseconds ?? 0
        }
        guard set > 0 else { return grant.limitIndexes.append(0) }
        if let place = places[set] { return grant.limitIndexes.append(place) }
        grant.limitSets.append(jobs.grantedLimits(of: set, areKnown: takenAt != nil))
        places[set] = UInt32(grant.limitSets.count)
        grant.limitIndexes.append(UInt32(grant.limitSets.count))
    }
}

extension JobLifecycle {
    /// The index of the limits that a job counts in; 0: it counts in none.
    func limitSet(of id: UInt64) -> Int { limits.isUsed ? Int(records.lane(of: id).limitSet) : 0 }

    /// The limits of a set as they are now.
    fileprivate func grantedLimits(of set: Int, areKnown: Bool) -> [GrantedLimit] {
        records.limitKeys(of: set).map { limits.granted($0, isKnown: areKnown) }
    }
}
