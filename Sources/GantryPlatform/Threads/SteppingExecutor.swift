//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import Synchronization

/// Runs the steps of a task, one after the other, and says the number of each before it runs.
///
/// A step is what a task does from one of its suspensions to the next. A task that prefers this executor, and the child tasks that it waits for, run
/// here; detached tasks, the main actor and actors with executors of their own do not.
package final class SteppingExecutor: TaskExecutor {
    private struct State {
        /// The steps that came before the beginning; nil: it has begun.
        var early: [UnownedJob]? = []
        var stepCount = 0
    }

    private let queue = DispatchQueue(label: "gantry-steps")
    private let state = Mutex(State())
    private let willStep: @Sendable (_ number: Int) -> Void

    /// An executor that holds every step until `begin`.
    /// - Parameter willStep: called with the number of a step, from 1, on the thread that runs it next.
    package init(willStep: @escaping @Sendable (_ number: Int) -> Void) { self.willStep = willStep }

    /// How many steps have begun.
    package var stepCount: Int { state.withLock { $0.stepCount } }

    /// Runs what has come, and from now on whatever comes.
    package func begin() {
        state.withLock { state in
            for step in state.early ?? [] { run(step) }
            state.early = nil
        }
    }

    /// Takes a step that is ready.
    package func enqueue(_ job: consuming ExecutorJob) {
        let step = UnownedJob(job)
        state.withLock { state in
            if state.early == nil { run(step) } else { state.early?.append(step) }
        }
    }

    private func run(_ step: UnownedJob) {
        queue.async {
            let number = self.state.withLock { state in
                state.stepCount += 1
                return state.stepCount
            }
            self.willStep(number)
            unsafe step.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
