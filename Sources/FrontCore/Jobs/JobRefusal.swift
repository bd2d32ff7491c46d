//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Why what an entry says of a job moves it nowhere. A replay meets all of them, for the log goes back behind the checkpoint that it follows; while
/// serving each is a decision that was overtaken. They are counted, see `JobLifecycle.refusals`.
enum JobRefusal: Hashable, CaseIterable {
    /// The job was forgotten, is in a bundle, or never was.
    case unknown
    /// A checkpoint has stored the job at that turn or later: what the entry does is in it.
    case stored
    /// The job has ended, and nothing moves it any more.
    case ended
    /// The job is to stop already: who asked first stays who asked.
    case cancelling
    /// How a job is run is changed only while it waits.
    case notWaiting
}

extension JobRecords {
    /// Why an entry of that turn moves a job nowhere, whatever it says; nil: it may move it.
    // Always part of its caller: for a call the whole value would be copied.
    @inline(__always)
    func refusal(of id: UInt64, _ turn: EntryTurn) -> JobRefusal? {
        guard slab.contains(id) else { return .unknown }
        if slab[id].storedTurn >= turn.number { return .stored }
        return slab[id].state.isFinal ? .ended : nil
    }
}
