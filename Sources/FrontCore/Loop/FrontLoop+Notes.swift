//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontLoop {
    /// Says for a log what was refused, dropped or given up, if anybody listens.
    func note(_ kind: LoopNote.Kind, peer: PeerID? = nil, because cause: EventID) {
        onNote?(LoopNote(kind: kind, peer: peer, cause: cause))
    }

    /// A frame is none: the machine counts it and has its sender told.
    mutating func refuseFrame(of peer: PeerID, on channel: FrontChannel, _ error: CodecError) {
        decide(.malformedFrame(peer, channel, error))
        note(.frameRefused(channel, error), peer: peer == .none ? nil : peer, because: machine.lastEvent)
    }

    /// An entry is to be written.
    mutating func record(_ entry: consuming JournalEntry, because cause: EventID) {
        if onNote != nil, case .workerLost(let lost) = entry { note(.workerGivenUp(lost.worker), because: cause) }
        gathered.record(entry)
    }
}
