//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Fact.AcceptedJobs: JournalEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int {
        let options = submit.options.distinct.count * RoughSize.message + submit.options.indexes.count * RoughSize.length
        return submit.byteCount + submit.arguments.count * RoughSize.length + options + RoughSize.record
    }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.accept(self, turn: turn) }
}

extension Fact.FeedJob: JournalEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int { byteCount + RoughSize.feed }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.accept(self, turn: turn) }
}

extension Fact.GrantedJobs: JournalEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int { jobs.count * 2 * RoughSize.number + RoughSize.message }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.grant(self, turn: turn.number) }
}

extension Fact.ReturnedJobs: JournalEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int { jobs.count * RoughSize.number }

    func apply(to state: inout FrontState, turn: EntryTurn) { for id in jobs { state.giveBack(id, turn: turn.number) } }
}

extension Fact.RequeuedJobs: JournalEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int { jobs.count * RoughSize.answer }

    func apply(to state: inout FrontState, turn: EntryTurn) { for job in jobs { state.requeue(job, turn: turn.number) } }
}

extension Fact.EndedJobs: JournalEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int {
        failures.reduce(results.byteCount + jobs.count * RoughSize.answer + RoughSize.message) {
            $0 + $1.value.roughByteCount + RoughSize.record
        }
    }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.end(self, turn: turn.number) }
}

extension Fact.CancelRequested: JournalEntry {
    static let survivesMemoryMode = false

    func apply(to state: inout FrontState, turn: EntryTurn) { state.requestCancel(job, by: by, at: at, turn: turn.number) }
}
