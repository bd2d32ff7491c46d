//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What a journal entry knows of itself. All that belongs to one kind of entry stands with its type; `JournalEntry` only lists them.
protocol AppliedEntry: Hashable, Sendable {
    /// Whether a front with `durability: memory` writes it too: such a front forgets jobs, sessions and replies when it ends.
    static var survivesMemoryMode: Bool { get }

    /// Bytes that it will have in the journal, roughly: what the bound of a turn is measured by.
    var roughByteCount: Int { get }

    /// What of it cannot be true, though it can be read, and would end the front or fill its memory if it were applied; nil: nothing. Asked at a
    /// restart alone: what is decided while serving goes on from the state.
    func fault(in state: FrontState) -> String?

    /// Changes the state. Total: an entry about something that is not there changes nothing.
    func apply(to state: inout FrontState, turn: EntryTurn)
}

extension AppliedEntry {
    /// One that holds a name or two.
    var roughByteCount: Int { RoughSize.wide }

    /// One that hands out no ids of jobs.
    func fault(in state: FrontState) -> String? { nil }
}

/// What the journal has to know of an entry, whichever it is.
struct EntryTraits: Equatable {
    /// Whether a front with `durability: memory` writes it too.
    let survivesMemoryMode: Bool
    /// Bytes that it will have, roughly.
    let roughByteCount: Int

    /// Asks an entry.
    init<Entry: AppliedEntry>(of entry: Entry) {
        survivesMemoryMode = Entry.survivesMemoryMode
        roughByteCount = entry.roughByteCount
    }
}

extension JournalEntry.AcceptedJobs: AppliedEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int {
        let column = options.byteCount + options.distinct.count * RoughSize.message + options.indexes.count * RoughSize.length
        return arguments.byteCount + arguments.count * RoughSize.length + column + submitter.byteCount + RoughSize.record
    }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.jobs.accept(self, client: state.sessions.label(of: submitter), turn: turn)
    }

    func fault(in state: FrontState) -> String? {
        arguments.isEmpty ? nil : state.jobs.fault(ofJobs: first.rawValue...first.rawValue + UInt64(arguments.count) - 1)
    }
}

extension JournalEntry.FeedJob: AppliedEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int { byteCount + RoughSize.feed }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        // Who asked may have left since.
        state.jobs.accept(self, client: label.isEmpty ? state.sessions.label(of: submitter) : label, turn: turn)
    }

    func fault(in state: FrontState) -> String? { state.jobs.fault(ofJobs: job.rawValue...job.rawValue) }
}

extension JournalEntry.GrantedJobs: AppliedEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int { jobs.count * 2 * RoughSize.number + RoughSize.message }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.jobs.grant(self, to: state.workers.index(of: worker), turn: turn)
    }
}

extension JournalEntry.AttemptsEnded: AppliedEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int {
        let row = RoughSize.answer + (cause == .failed ? RoughSize.number : 0)
        return failures.reduce(jobs.count * row + RoughSize.message) { $0 + $1.value.roughByteCount + RoughSize.record }
    }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.jobs.endAttempts(self, turn: turn) }
}

extension JournalEntry.EndedJobs: AppliedEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int {
        failures.reduce(results.byteCount + jobs.count * RoughSize.answer + RoughSize.message) {
            $0 + $1.value.roughByteCount + RoughSize.record
        }
    }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.jobs.end(self, turn: turn) }
}

extension JournalEntry.CancelRequested: AppliedEntry {
    static let survivesMemoryMode = false

    func apply(to state: inout FrontState, turn: EntryTurn) { state.jobs.requestCancel(self, turn: turn) }
}

extension JournalEntry.TermsChanged: AppliedEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int { options.byteCount + RoughSize.message }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.jobs.changeTerms(self, turn: turn) }
}

extension JournalEntry.JobsDue: AppliedEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int { jobs.count * RoughSize.number + RoughSize.message }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.jobs.makeDue(self, turn: turn) }
}

extension JournalEntry.JobDelayed: AppliedEntry {
    static let survivesMemoryMode = false

    func apply(to state: inout FrontState, turn: EntryTurn) { state.jobs.delay(self, turn: turn) }
}

extension JournalEntry.IDsReserved: AppliedEntry {
    static let survivesMemoryMode = true

    func fault(in state: FrontState) -> String? { state.jobs.fault(ofNext: jobs.rawValue) }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.jobs.number { $0.noteReserved(jobs: jobs.rawValue, leases: leases.rawValue, turn) }
    }
}

extension JournalEntry.StoredJobs: AppliedEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int {
        let texts = loaders.reduce(0) { $0 + $1.utf8.count } + terms.reduce(0) { $0 + $1.byteCount + RoughSize.message }
        let failed = failures.reduce(0) { $0 + $1.value.roughByteCount + RoughSize.record }
        return arguments.byteCount + results.byteCount + texts + failed + jobs.count * RoughSize.record + cancels.count * RoughSize.record
    }

    func fault(in state: FrontState) -> String? {
        guard let oldest = jobs.min(), let newest = jobs.max() else { return nil }
        return state.jobs.fault(ofJobs: oldest...newest)
    }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.jobs.restore(self, workers: state.workers.known, turn: turn)
    }
}

extension JournalEntry.EndedBundled: AppliedEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int { jobs.count * (RoughSize.number + 1) + failures.count * RoughSize.name + RoughSize.message }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.jobs.bundle(self, turn: turn) }
}

extension JournalEntry.BundlesForgotten: AppliedEntry {
    static let survivesMemoryMode = true

    var roughByteCount: Int { bundles.count * RoughSize.number }

    func apply(to state: inout FrontState, turn: EntryTurn) { for number in bundles { state.jobs.forget(number, turn: turn) } }
}

extension JournalEntry.CountsStored: AppliedEntry {
    static let survivesMemoryMode = true

    func fault(in state: FrontState) -> String? { state.jobs.fault(ofNext: nextJob.rawValue) }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.jobs.restore(self, turn: turn)
        state.workers.noteNext(registrationNumber: nextRegistrationNumber.rawValue, turn)
    }
}

extension JournalEntry.FeedChanged: AppliedEntry {
    static let survivesMemoryMode = true

    var roughByteCount: Int {
        RoughSize.wide + state.key.text.utf8.count + (state.failure?.roughByteCount ?? 0) + (older.count + damaged.count) * RoughSize.record
    }

    func fault(in state: FrontState) -> String? {
        self.state.failure.flatMap { state.jobs.fault(ofPassed: $0.id.rawValue) }
    }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.feeds.apply(self, turn)
        // A failure that no job had has a number of its own.
        if let failure = self.state.failure?.id.rawValue { state.jobs.number { $0.notePassed(job: failure, turn) } }
    }
}

extension JournalEntry.FeedForgotten: AppliedEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.feeds.apply(self, turn)
    }
}

extension JournalEntry.ViewChanged: AppliedEntry {
    static let survivesMemoryMode = true

    var roughByteCount: Int { RoughSize.wide + key.text.utf8.count + view.byteCount }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.feeds.apply(self, turn)
    }
}

extension JournalEntry.ViewForgotten: AppliedEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.feeds.apply(self, turn)
    }
}

extension ViewState {
    /// Bytes of its texts and of what it holds of its detail.
    fileprivate var byteCount: Int {
        detail.byteCount + (failure?.roughByteCount ?? 0) + filter.utf8.count + (selection?.utf8.count ?? 0) + (sort?.field.utf8.count ?? 0)
    }
}

extension JournalEntry.SessionOpened: AppliedEntry {
    static let survivesMemoryMode = false

    func apply(to state: inout FrontState, turn: EntryTurn) { state.sessions.apply(self, turn) }
}

extension JournalEntry.SessionEnded: AppliedEntry {
    static let survivesMemoryMode = false

    func apply(to state: inout FrontState, turn: EntryTurn) { state.sessions.apply(self, turn) }
}

extension JournalEntry.ReplyRetained: AppliedEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int { reply.roughByteCount }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.sessions.apply(self, turn) }
}

extension JournalEntry.WorkerRegistered: AppliedEntry {
    static let survivesMemoryMode = true

    var roughByteCount: Int {
        RoughSize.wide + registration.loaders.count * RoughSize.record + registration.held.count * 2 * RoughSize.number
    }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        guard let registered = state.workers.apply(self, turn) else { return }
        state.jobs.takeWorker(registered.index, registration, insteadOf: registered.old, turn: turn)
    }
}

extension JournalEntry.WorkerLost: AppliedEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) {
        if let lost = state.workers.apply(self, turn) { state.jobs.dropWorker(lost.index, lost.old, turn: turn) }
    }
}

extension JournalEntry.EpochBegan: AppliedEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) {
        state.workers.apply(self, turn)
        state.jobs.number { $0.begin(self, turn) }
    }
}

extension JournalEntry.WorkLeft: AppliedEntry {
    static let survivesMemoryMode = true

    var roughByteCount: Int {
        var texts = 0
        if case .reset(let key, let label) = work { texts += key.text.utf8.count + label.utf8.count }
        if case .feed(let key)? = cursor { texts += key.text.utf8.count }
        return RoughSize.wide + texts
    }

    /// As nothing but the newest entry counts, an entry that a checkpoint has in it already changes nothing that a later one does not.
    func apply(to state: inout FrontState, turn: EntryTurn) { state.left.apply(self, turn) }
}
