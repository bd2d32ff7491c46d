//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
import GantryPlatform
import Synchronization

/// What the journal does with the rows that it is handed, step by step: commits them in order, drops old ones between them, and deals
/// with a full disk. It neither waits nor knows of threads: the journal's thread and the simulation both take the steps.
package struct JournalWriter<Log: JournalLog, Space: JournalBallast> {
    /// When the next step is due.
    package enum Next: Hashable, Sendable {
        /// At once.
        case step
        /// After a pause of that length, or as soon as something is handed over.
        case pause(Duration)
        /// As soon as something is handed over.
        case sleep
        /// Never: closed, fenced or failed.
        case end
    }

    /// A row that is being committed, however often that takes.
    private struct UnderWay {
        let row: JournalRow
        let head: JournalHead?
        var attempt = Attempt.first
    }

    /// What has been done so that a row under way fits.
    private enum Attempt {
        /// The disk was not full yet: a step of the cut may go with it. Moves to withoutBallast, or to bare where the ballast file was not held.
        case first
        /// The ballast file was given up. Moves to bare.
        case withoutBallast
        /// So was what little may be held in its place. Moves to reported.
        case bare
        /// The loop knows that this row waits for room, not only that the ballast file is gone. Final: the row fits, or comes again.
        case reported
    }

    /// How far the ballast file is.
    private enum BallastState {
        /// It is there. Moves to missed when it is given up.
        case held
        /// It was given up or could not be made: making it too often would keep the disk full. Moves to due when nothing else is to be done.
        case missed
        /// A pause has passed since. Moves to held, or to missed again.
        case due
    }

    /// How often a full disk is tried again, and the ballast file made again: each try costs a little of the disk, and room is used within a
    /// heartbeat of its coming.
    private static var fullDiskPause: Duration { .milliseconds(250) }

    private let mailbox: JournalMailbox
    private let log: Log
    private let ballast: Space
    private let onEvent: @Sendable () -> Void
    private var head: JournalHead
    private var lastTurn: TurnNumber
    private var underWay: UnderWay?
    /// The turn that has to come again before anything else is written, because nobody knows whether it is there; nil: none.
    private var inDoubt: TurnNumber?
    /// The checkpoint below which rows are still to be dropped.
    private var cutBelow: TurnNumber?
    private var ballastState: BallastState
    private var round = WALRound()
    /// Whether nothing has come for a moment. What nobody waits for begins only then: a busy front hands over its next row at once, and that
    /// would wait for it.
    private var isQuiet = false

    /// A writer for one epoch, which begins with `full` if its ballast file could not be made.
    package init(
        mailbox: JournalMailbox, log: Log, ballast: Space, head: JournalHead, lastTurn: TurnNumber, ballastIsHeld: Bool,
        onEvent: @escaping @Sendable () -> Void
    ) {
        self.mailbox = mailbox
        self.log = log
        self.ballast = ballast
        self.onEvent = onEvent
        self.head = head
        self.lastTurn = lastTurn
        // An earlier epoch may have ended between its checkpoint and the last step of the cut.
        self.cutBelow = head.checkpoint == .none ? nil : head.checkpoint
        self.ballastState = ballastIsHeld ? .held : .missed
        if !ballastIsHeld { notify(.full) }
    }

    /// One bundle that is asked for is read, then one try to commit the next row; without one a step of the cut, or of making the ballast file. So
    /// rows wait for one bundle at most, and who asks for one waits for one commit, however many rows come and however full the disk is.
    package mutating func step() -> Next {
        if let asked = mailbox.nextAsked() {
            notify(.bundle(asked, entries: log.entries(of: asked)))
            guard underWay != nil || mailbox.hasRows else { return .step }
        }
        if underWay != nil { return commit() }
        switch mailbox.nextTask() {
        case .commit(let row):
            isQuiet = false
            // What stood behind a row in doubt comes again behind it.
            if let inDoubt, row.turn != inDoubt { return .step }
            inDoubt = nil
            underWay = UnderWay(row: row, head: newHead(with: row))
            return commit()
        case .close: return .end
        case nil: return useTheQuiet()
        }
    }

    private func notify(_ event: JournalEvent) {
        mailbox.add(event)
        onEvent()
    }

    private func newHead(with row: JournalRow) -> JournalHead? {
        guard let slice = row.slice, slice.isLast else { return nil }
        var next = head
        next.checkpoint = slice.checkpoint
        next.checkpointEnd = row.turn
        return next
    }

    private mutating func commit() -> Next {
        guard let work = underWay else { return .step }
        let record = JournalRecord(row: work.row, previous: lastTurn, epoch: head.epoch)
        do throws(JournalFault) {
            // Not with a try that follows a full disk: the cut would need pages of its own, and the row has to fit.
            let commit = try log.insert(
                record, bundles: work.row.bundles, head: work.head, cutBelow: work.attempt == .first ? cutBelow : nil)
            if commit.outcome == .fenced {
                notify(.fenced)
                return .end
            }
            if commit.cutIsDone { cutBelow = nil }
            round.add(commit.walByteCount)
        } catch {
            return commitFailed(error)
        }
        underWay = nil
        // A row that comes again long after it was durable changes nothing.
        lastTurn = max(lastTurn, work.row.turn)
        // Only a later one, since a row that comes again must not bring an older checkpoint back.
        if let newHead = work.head, newHead.checkpoint > head.checkpoint {
            head = newHead
            cutBelow = newHead.checkpoint
        }
        // Before the log is emptied, which takes milliseconds: what waits for this row can leave meanwhile.
        notify(.durable(work.row.turn))
        return round.isFull ? emptyWAL() : .step
    }

    private mutating func commitFailed(_ fault: JournalFault) -> Next {
        switch fault {
        case .full: return commitFoundNoRoom()
        case .inDoubt:
            guard let turn = underWay?.row.turn else { return .step }
            underWay = nil
            inDoubt = turn
            notify(.inDoubt(turn))
            return .step
        case .failed(let cause): return fail(cause)
        }
    }

    /// The same bytes are tried again once the ballast file is given up, and then after each pause.
    private mutating func commitFoundNoRoom() -> Next {
        // Who closes waits for no room: what is not written was not acknowledged, and its sender repeats it.
        if mailbox.isClosing { return .end }
        if ballastState == .held {
            underWay?.attempt = .withoutBallast
            ballast.release()
            ballastState = .missed
            notify(.full)
            return .step
        }
        switch underWay?.attempt {
        case .first?, .withoutBallast?:
            underWay?.attempt = .bare
            ballast.release()
            return .step
        case .bare?:
            underWay?.attempt = .reported
            notify(.full)
        case .reported?, nil: break
        }
        return .pause(Self.fullDiskPause)
    }

    private func fail(_ cause: ErrorCause) -> Next {
        notify(.failed(cause))
        return .end
    }

    /// Nothing is handed over: a step of the cut, or the end of a round, or the ballast file, or sleep.
    private mutating func useTheQuiet() -> Next {
        if cutBelow != nil || round.mayEnd {
            guard isQuiet else {
                isQuiet = true
                return .pause(WALRound.quiet)
            }
            if let checkpoint = cutBelow { return cut(below: checkpoint) }
            return emptyWAL()
        }
        switch ballastState {
        case .held: return .sleep
        case .missed:
            ballastState = .due
            return .pause(Self.fullDiskPause)
        case .due:
            // Whatever keeps it from being made may pass: the rows are safe without it.
            ballastState = (try? ballast.make()) == true ? .held : .missed
            if ballastState == .held { notify(.roomAgain) }
            return .step
        }
    }

    private mutating func cut(below checkpoint: TurnNumber) -> Next {
        do throws(JournalFault) {
            let (isDone, walByteCount) = try log.cut(below: checkpoint)
            if isDone { cutBelow = nil }
            round.add(walByteCount)
            return round.isFull ? emptyWAL() : .step
        } catch {
            guard case .failed(let cause) = error else {
                // The rows stay until the next checkpoint is complete; appends come first.
                cutBelow = nil
                return .step
            }
            return fail(cause)
        }
    }

    /// Ends the round through the WAL; without room it is left to grow for one more, as the ballast file guards the appends.
    private mutating func emptyWAL() -> Next {
        round = WALRound()
        do throws(JournalFault) {
            try log.emptyWAL()
            return .step
        } catch {
            guard case .failed(let cause) = error else { return .step }
            return fail(cause)
        }
    }
}

/// One round through the write-ahead log: from an empty one to the moment at which it is emptied into the main file.
///
/// Emptying takes some milliseconds for each MiB, and rows that are handed over meanwhile wait for it. So rounds are short, and end early
/// while nobody waits.
struct WALRound {
    /// At how many bytes it ends whoever waits: one emptying stays far below what a request may take.
    static let byteLimit = 4 << 20
    /// At how many bytes it ends in the quiet: less is not worth two syncs, more would lie there when the next burst begins.
    private static let quietByteLimit = 512 << 10
    /// For how long nothing must have been handed over: busy fronts hand rows over within a millisecond of each other.
    static let quiet = Duration.milliseconds(20)

    private var byteCount = 0

    /// A commit has added so much.
    mutating func add(_ byteCount: Int) { self.byteCount += byteCount }

    /// Whether it ends now, although somebody may wait.
    var isFull: Bool { byteCount >= Self.byteLimit }

    /// Whether it ends once nobody waits.
    var mayEnd: Bool { byteCount >= Self.quietByteLimit }
}

/// The body of the journal's thread: takes the writer's steps and waits between them, until it is closed, fenced or has failed.
func runJournal<Log: JournalLog, Space: JournalBallast>(_ writer: inout JournalWriter<Log, Space>, at mailbox: JournalMailbox) {
    while true {
        switch writer.step() {
        case .step: continue
        case .pause(let length): mailbox.waitForWork(atMost: length)
        case .sleep: mailbox.waitForWork(atMost: nil)
        case .end: return mailbox.end()
        }
    }
}

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
