//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Failed jobs that are still known, counted by code as they come and go.
struct FailureTally {
    private var counts: [FailureCode: UInt64] = [:]
    /// How often it has changed.
    private(set) var version: UInt64 = 0

    /// How many codes observers are told; the rest is summed up.
    private static let listedCodes = 32

    /// Counts jobs in.
    mutating func add(_ code: FailureCode, _ count: UInt64 = 1) {
        counts[code, default: 0] += count
        version &+= 1
    }

    /// Counts jobs out that were counted in.
    mutating func remove(_ code: FailureCode, _ removed: UInt64 = 1) {
        guard let count = counts[code] else { return }
        counts[code] = count > removed ? count - removed : nil
        version &+= 1
    }

    /// All codes: most first, ties by code.
    var all: [FailureCount] {
        counts.map { FailureCount($0.key, $0.value) }.sorted { ($1.count, $0.code.rawValue) < ($0.count, $1.code.rawValue) }
    }

    /// What observers are told: most first, ties by code.
    var listed: [FailureCount] {
        let all = all
        guard all.count > Self.listedCodes else { return all }
        let rest = all.dropFirst(Self.listedCodes - 1).reduce(0) { $0 + $1.count }
        return all.prefix(Self.listedCodes - 1) + [FailureCount(FailureCode(rawValue: "other"), rest)]
    }
}
