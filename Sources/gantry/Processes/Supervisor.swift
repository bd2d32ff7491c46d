//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import Foundation
import Platform
import Synchronization

/// Keeps the parts of `up` running, each watched by a thread of its own, until the process is told to end.
struct Supervisor {
    let parts: [ChildPlan]
    let originPort: OriginPort
    let report: @Sendable (String) -> Void
    /// How long running jobs have after the first signal.
    var grace = Duration.seconds(5)

    /// Starts the parts in order, each after the one before is ready; returns when all have ended.
    func run(ready: () -> Void) async throws {
        let children = try parts.map { try SupervisedChild($0, originPort: originPort, report: report) }
        let signals = SignalStream()
        for child in children {
            try child.start()
            guard await child.waitUntilReady() else {
                stop(children, hard: true)
                throw CommandFailure(
                    child.lastCode.flatMap(ExitStatus.init(rawValue:)) ?? .timedOut, code: "notStarted",
                    message: "\(child.plan.name) did not start; its own message is above",
                    nextStep: "gantry doctor")
            }
        }
        ready()
        var count = 0
        for await _ in signals.stream {
            count += 1
            report(count == 1 ? "stopping: running jobs have \(grace.components.seconds) s, Ctrl-C again ends at once" : "stopping now")
            stop(children, hard: count > 1)
            if count == 1 {
                Task.detached { [children, grace] in
                    for child in children { await child.waitUntilEnded(grace: grace) }
                    signals.finish()
                }
            } else {
                break
            }
        }
        for child in children { await child.waitUntilEnded(grace: .seconds(2)) }
    }

    /// Workers first, so that their last outcomes find a front; the origin last, so that they find what they load.
    private func stop(_ children: [SupervisedChild], hard: Bool) {
        for child in children.reversed() { child.stop(with: hard ? .kill : .terminate) }
    }
}
