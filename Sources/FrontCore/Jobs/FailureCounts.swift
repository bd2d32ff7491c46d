//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Failed jobs that are still known, counted by code as they come and go.
struct FailureCounts {
    /// A code in its place: most first, ties by code.
    private struct Place: Comparable, Sendable {
        let count: UInt64
        let code: FailureCode

        static func < (one: Place, other: Place) -> Bool { (other.count, one.code.rawValue) < (one.count, other.code.rawValue) }
    }

    private var counts: [FailureCode: UInt64] = [:]
    /// The codes in order: workers make them up, so there may be as many as failed jobs.
    private var order = SortedKeys<Place>()
    private var total: UInt64 = 0
    /// How often it has changed.
    private(set) var version: UInt64 = 0

    /// How many codes observers are told; the rest is summed up.
    private static let listedCodes = 32

    /// Counts jobs in.
    mutating func add(_ code: FailureCode, _ count: UInt64 = 1) {
        let before = counts[code] ?? 0
        move(code, from: before, to: before + count)
    }

    /// Counts jobs out that were counted in.
    mutating func remove(_ code: FailureCode, _ removed: UInt64 = 1) {
        guard let count = counts[code] else { return }
        move(code, from: count, to: count > removed ? count - removed : 0)
    }

    private mutating func move(_ code: FailureCode, from before: UInt64, to count: UInt64) {
        if before > 0 { order.remove(Place(count: before, code: code)) }
        if count > 0 { order.insert(Place(count: count, code: code)) }
        counts[code] = count > 0 ? count : nil
        total = total - before + count
        version &+= 1
    }

    /// All codes: most first, ties by code.
    var all: [FailureCount] { order.keys(after: nil).map { FailureCount($0.code, $0.count) } }

    /// What observers are told: most first, ties by code. It costs the same however many codes there are.
    var listed: [FailureCount] {
        guard order.count > Self.listedCodes else { return all }
        let first = order.keys(after: nil).prefix(Self.listedCodes - 1).map { FailureCount($0.code, $0.count) }
        let rest = first.reduce(total) { $0 - $1.count }
        return first + [FailureCount(FailureCode(rawValue: "other"), rest)]
    }
}
