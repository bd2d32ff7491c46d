//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

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

    var roughByteCount: Int { jobs.count * RoughSize.answer + RoughSize.message }

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
