//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// What ran when, as the file and the kills say: a killed process runs nothing from then on.
struct OutsideRuns {
    /// Starts as 1, ends as -1, each with the process and the job.
    private var events: [(at: Int64, job: String, process: Int32, change: Int)] = []

    init(ledger path: String, kills: [Int32: Int64]) throws {
        var open: [Int32: [String: Int64]] = [:]
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: " ").map(String.init)
            guard parts.count == 5, let process = Int32(parts[3]), let at = Int64(parts[4]) else { continue }
            if parts[0] == "start" { open[process, default: [:]][parts[1]] = at } else { open[process]?[parts[1]] = nil }
            events.append((at, parts[1], process, parts[0] == "start" ? 1 : -1))
        }
        for (process, at) in kills {
            for (job, start) in open[process] ?? [:] { events.append((max(at, start), job, process, -1)) }
        }
        events.sort { ($0.at, $0.change) < ($1.at, $1.change) }
    }

    /// The most of some jobs that ran at once.
    func most(of jobs: Set<String>) -> Int {
        var (now, most) = (0, 0)
        for event in events where jobs.contains(event.job) {
            now += event.change
            most = max(most, now)
        }
        return most
    }

    var started: Set<String> { Set(events.map(\.job)) }

    /// When those of some jobs began, in order.
    func starts(of jobs: Set<String>) -> [Int64] { events.filter { $0.change > 0 && jobs.contains($0.job) }.map(\.at) }
}
