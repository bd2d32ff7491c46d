//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The list of entries in the front's core: each is asked what it knows of itself. Spelled out, and not by a common value of all: that would
/// be allocated anew for each entry.
extension Fact {
    /// Changes the state.
    func apply(to state: inout FrontState, turn: EntryTurn) {
        switch self {
        case .sessionOpened(let entry): entry.apply(to: &state, turn: turn)
        case .sessionEnded(let entry): entry.apply(to: &state, turn: turn)
        case .replyKept(let entry): entry.apply(to: &state, turn: turn)
        case .jobsAccepted(let entry): entry.apply(to: &state, turn: turn)
        case .feedJobAccepted(let entry): entry.apply(to: &state, turn: turn)
        case .granted(let entry): entry.apply(to: &state, turn: turn)
        case .returned(let entry): entry.apply(to: &state, turn: turn)
        case .requeued(let entry): entry.apply(to: &state, turn: turn)
        case .ended(let entry): entry.apply(to: &state, turn: turn)
        case .cancelRequested(let entry): entry.apply(to: &state, turn: turn)
        case .termsChanged(let entry): entry.apply(to: &state, turn: turn)
        case .workerAttached(let entry): entry.apply(to: &state, turn: turn)
        case .workerLost(let entry): entry.apply(to: &state, turn: turn)
        case .feedChanged(let entry): entry.apply(to: &state, turn: turn)
        case .feedForgotten(let entry): entry.apply(to: &state, turn: turn)
        case .viewChanged(let entry): entry.apply(to: &state, turn: turn)
        case .viewForgotten(let entry): entry.apply(to: &state, turn: turn)
        case .idsReserved(let entry): entry.apply(to: &state, turn: turn)
        case .jobsStored(let entry): entry.apply(to: &state, turn: turn)
        case .endedBundled(let entry): entry.apply(to: &state, turn: turn)
        case .bundlesForgotten(let entry): entry.apply(to: &state, turn: turn)
        case .countsStored(let entry): entry.apply(to: &state, turn: turn)
        case .epochBegan(let entry): entry.apply(to: &state, turn: turn)
        }
    }

    /// What the journal has to know of it.
    var traits: EntryTraits {
        switch self {
        case .sessionOpened(let entry): EntryTraits(of: entry)
        case .sessionEnded(let entry): EntryTraits(of: entry)
        case .replyKept(let entry): EntryTraits(of: entry)
        case .jobsAccepted(let entry): EntryTraits(of: entry)
        case .feedJobAccepted(let entry): EntryTraits(of: entry)
        case .granted(let entry): EntryTraits(of: entry)
        case .returned(let entry): EntryTraits(of: entry)
        case .requeued(let entry): EntryTraits(of: entry)
        case .ended(let entry): EntryTraits(of: entry)
        case .cancelRequested(let entry): EntryTraits(of: entry)
        case .termsChanged(let entry): EntryTraits(of: entry)
        case .workerAttached(let entry): EntryTraits(of: entry)
        case .workerLost(let entry): EntryTraits(of: entry)
        case .feedChanged(let entry): EntryTraits(of: entry)
        case .feedForgotten(let entry): EntryTraits(of: entry)
        case .viewChanged(let entry): EntryTraits(of: entry)
        case .viewForgotten(let entry): EntryTraits(of: entry)
        case .idsReserved(let entry): EntryTraits(of: entry)
        case .jobsStored(let entry): EntryTraits(of: entry)
        case .endedBundled(let entry): EntryTraits(of: entry)
        case .bundlesForgotten(let entry): EntryTraits(of: entry)
        case .countsStored(let entry): EntryTraits(of: entry)
        case .epochBegan(let entry): EntryTraits(of: entry)
        }
    }
}

extension FrontState {
    /// Changes the state by one entry: while serving and at restart alike.
    mutating func apply(_ fact: Fact, turn: EntryTurn) {
        fact.apply(to: &self, turn: turn)
        noteRooms()
    }
}
