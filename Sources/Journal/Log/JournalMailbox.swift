//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
import GantryPlatform
import Synchronization

/// Where the loop's thread and the journal's thread hand things over; neither waits for the other's work.
package final class JournalMailbox: Sendable {
    /// What the journal's thread is to do next.
    enum Task {
        case commit(JournalRow)
        case close
    }

    private struct State {
        var rows: [JournalRow] = []
        /// Bundles that are asked for.
        var asked: [BundleNumber] = []
        var events: [JournalEvent] = []
        var isClosing = false
    }

    package init() {}

    private let state = Mutex(State())
    private let work = MonotonicSemaphore()
    private let ended = MonotonicSemaphore()

    /// For the loop's thread.
    package func submit(_ row: JournalRow) {
        state.withLock { $0.rows.append(row) }
        work.signal()
    }

    /// For the loop's thread: asks for a bundle of ended jobs.
    package func ask(for bundle: BundleNumber) {
        state.withLock { $0.asked.append(bundle) }
        work.signal()
    }

    /// For the journal's thread: the bundle that was asked for first; nil: none.
    func nextAsked() -> BundleNumber? {
        state.withLock { $0.asked.isEmpty ? nil : $0.asked.removeFirst() }
    }

    /// For the loop's thread: the next event, oldest first.
    package func nextEvent() -> JournalEvent? {
        state.withLock { $0.events.isEmpty ? nil : $0.events.removeFirst() }
    }

    /// For the loop's thread: lets the rows handed over be written, then ends the journal's thread, and waits for that.
    func closeAndWait() {
        state.withLock { $0.isClosing = true }
        work.signal()
        ended.wait()
    }

    /// For the journal's thread.
    func add(_ event: JournalEvent) {
        state.withLock { $0.events.append(event) }
    }

    /// For the journal's thread: what to do now; nil: nothing.
    func nextTask() -> Task? {
        let task: Task? = state.withLock { state in
            if !state.rows.isEmpty { return .commit(state.rows.removeFirst()) }
            return state.isClosing ? .close : nil
        }
        // A row that was taken without a wait leaves its signal, which would end a later wait at once.
        if case .commit = task { _ = work.wait(upTo: .zero) }
        return task
    }

    /// For the journal's thread: whether a row waits to be taken.
    var hasRows: Bool { state.withLock { !$0.rows.isEmpty } }

    /// For the journal's thread: whether it is asked to end.
    var isClosing: Bool { state.withLock { $0.isClosing } }

    /// For the journal's thread: waits for work, at most as long as given; nil: for ever. May return without any.
    func waitForWork(atMost limit: Duration?) {
        if let limit { _ = work.wait(upTo: limit) } else { work.wait() }
    }

    /// For the journal's thread, as its last act.
    func end() { ended.signal() }
}
