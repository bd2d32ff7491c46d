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

    /// Counts a job in.
    mutating func add(_ code: FailureCode) {
        counts[code, default: 0] += 1
        version &+= 1
    }

    /// Counts a job out that was counted in.
    mutating func remove(_ code: FailureCode) {
        guard let count = counts[code] else { return }
        counts[code] = count > 1 ? count - 1 : nil
        version &+= 1
    }

    /// What observers are told: most first, ties by code.
    var listed: [FailureCount] {
        let all = counts.map { FailureCount($0.key, $0.value) }.sorted { ($1.count, $0.code.rawValue) < ($0.count, $1.code.rawValue) }
        guard all.count > Self.listedCodes else { return all }
        let rest = all.dropFirst(Self.listedCodes - 1).reduce(0) { $0 + $1.count }
        return all.prefix(Self.listedCodes - 1) + [FailureCount(FailureCode(rawValue: "other"), rest)]
    }
}
