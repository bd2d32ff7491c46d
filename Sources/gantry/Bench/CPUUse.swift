//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// CPU time of user and system that the processes of a measurement have used, microseconds.
struct CPUUse {
    private(set) var front: Double
    private(set) var workers: Double
    /// This process: the client, and the observers beside it.
    private(set) var client: Double

    /// What they have used so far.
    init(_ front: SupervisedChild, _ workers: [SupervisedChild]) {
        self.front = front.cpuMicroseconds
        self.workers = workers.reduce(0) { $0 + $1.cpuMicroseconds }
        client = SupervisedChild.cpuMicroseconds(ofProcess: ProcessControl.currentID)
    }

    /// All of them together.
    var all: Double { front + workers + client }

    func since(_ earlier: CPUUse) -> CPUUse {
        var rest = self
        (rest.front, rest.workers, rest.client) = (front - earlier.front, workers - earlier.workers, client - earlier.client)
        return rest
    }

    func perJob(_ jobs: Int) -> CPUUse {
        var share = self
        let count = Double(max(jobs, 1))
        (share.front, share.workers, share.client) = (front / count, workers / count, client / count)
        return share
    }
}
