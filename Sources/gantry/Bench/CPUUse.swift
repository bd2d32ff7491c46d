//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// CPU time of user and system that the processes of a measurement have used, microseconds at a resolution of 10,000.
struct CPUUse {
    /// The kinds of processes that each job goes through.
    enum Stage: String, CaseIterable {
        case front, workers, client
    }

    private(set) var front: Double
    private(set) var workers: Double
    /// This process: the client, and the observers beside it.
    private(set) var client: Double
    /// Of each thread by its number; of this process the client's alone.
    private var threads: [Stage: [Int32: Double]]

    /// What they have used so far.
    init(_ front: SupervisedChild, _ workers: [SupervisedChild]) {
        self.front = front.cpuMicroseconds
        self.workers = workers.reduce(0) { $0 + $1.cpuMicroseconds }
        client = SupervisedChild.cpuMicroseconds(ofProcess: ProcessControl.currentID)
        threads = [.front: Self.threads(of: [front]), .workers: Self.threads(of: workers)]
        threads[.client] = SupervisedChild.threadMicroseconds(ofProcess: ProcessControl.currentID, besides: BenchObservers.threadName)
    }

    /// All of them together.
    var all: Double { front + workers + client }

    /// The most that one thread of a stage has used: what a stage can do at most is what its busiest thread can.
    func busiestThread(of stage: Stage) -> Double { threads[stage]?.values.max() ?? 0 }

    /// The stage with the busiest thread of all: the one that bounds a measurement, if any does.
    var slowest: Stage { Stage.allCases.reduce(.front) { busiestThread(of: $1) > busiestThread(of: $0) ? $1 : $0 } }

    func since(_ earlier: CPUUse) -> CPUUse {
        var rest = self
        (rest.front, rest.workers, rest.client) = (front - earlier.front, workers - earlier.workers, client - earlier.client)
        for (stage, used) in threads {
            let before = earlier.threads[stage] ?? [:]
            rest.threads[stage] = Dictionary(uniqueKeysWithValues: used.map { ($0.key, $0.value - (before[$0.key] ?? 0)) })
        }
        return rest
    }

    func perJob(_ jobs: Int) -> CPUUse {
        var share = self
        let count = Double(max(jobs, 1))
        (share.front, share.workers, share.client) = (front / count, workers / count, client / count)
        share.threads = threads.mapValues { $0.mapValues { $0 / count } }
        return share
    }

    private static func threads(of children: [SupervisedChild]) -> [Int32: Double] {
        children.compactMap(\.processNumber).map { SupervisedChild.threadMicroseconds(ofProcess: $0) }
            .reduce(into: [:]) { all, one in all.merge(one) { first, _ in first } }
    }
}
