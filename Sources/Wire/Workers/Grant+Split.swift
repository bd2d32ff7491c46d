//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

extension WireGrant {
    /// The grant without the jobs whose rows break a rule, and the leases of those; nil: its columns do not fit together at all.
    ///
    /// One feed job that a worker cannot read must not take the thousands with it that were granted in the same frame.
    func split(within bounds: Bounds) -> (readable: WireGrant?, refused: [UInt64]) {
        let count = jobs.count
        guard [leases.count, loaderIndexes.count, attempts.count, lengths.count].allSatisfy({ $0 == count }),
            let packed = PackedBytes(lengths: lengths, bytes: [UInt8](arguments))
        else { return (nil, leases) }
        var isRefused = lengths.map { Int($0) > bounds.payloadByteCount }
        for (row, loader) in loaderIndexes.enumerated() {
            let isNamed = Int(loader) < loaders.count && loaders[Int(loader)].utf8.count <= bounds.labelByteCount
            if !isNamed { isRefused[row] = true }
        }
        for entry in feedWork where Int(entry.index) < count {
            do { _ = try entry.value(within: bounds) } catch { isRefused[Int(entry.index)] = true }
        }
        var readable = self
        readable.loaders = loaders.map { $0.cut(to: bounds.labelByteCount) }
        readable.clearRows()
        var places = [UInt32?](repeating: nil, count: count)
        for (row, argument) in packed.enumerated() where !isRefused[row] {
            places[row] = UInt32(readable.jobs.count)
            readable.append(row, of: self, argument)
        }
        for entry in feedWork {
            guard Int(entry.index) < count, let place = places[Int(entry.index)] else { continue }
            var moved = entry
            moved.index = place
            readable.feedWork.append(moved)
        }
        return (readable, leases.indices.filter { isRefused[$0] }.map { leases[$0] })
    }

    private mutating func clearRows() {
        (jobs, leases, loaderIndexes, attempts, lengths, arguments, feedWork) = ([], [], [], [], [], Data(), [])
    }

    private mutating func append(_ row: Int, of other: WireGrant, _ argument: ArraySlice<UInt8>) {
        jobs.append(other.jobs[row])
        leases.append(other.leases[row])
        loaderIndexes.append(other.loaderIndexes[row])
        attempts.append(other.attempts[row])
        lengths.append(other.lengths[row])
        arguments.append(contentsOf: argument)
    }
}
