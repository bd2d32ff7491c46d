//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// An entry that is being applied, and which records it may change, by the turn that it is of.
///
/// It is the key to everything that a restart has to find again: each step of a state that changes such a thing takes one, and only this file makes
/// them. So nothing durable is changed but by an entry, and what serves has handed that entry to the journal. The table of limits inside a state
/// takes the numbers of the turn from the steps: a checkpoint brings its buckets in several slices, each bucket with the turn of its own, so that to
/// be told that a turn begins would not do. For that the file names `FrontState`, which stands in a folder above its own.
struct EntryTurn {
    /// Records that a checkpoint stored at that turn or later have the entry in them already.
    let number: UInt64
    /// The turn of the checkpoint that brings it, which its record notes; nil: it is of the log, or of the present turn.
    let stored: UInt64?

    fileprivate init(number: UInt64, stored: UInt64?) { (self.number, self.stored) = (number, stored) }

    /// It was decided just now: it is later than anything that is stored.
    fileprivate static let serving = EntryTurn(number: .max, stored: nil)

    /// It was decided in an earlier epoch.
    fileprivate static func logged(_ turn: TurnNumber) -> EntryTurn { EntryTurn(number: turn.rawValue, stored: nil) }

    /// A checkpoint wrote it: it is taken as it is.
    fileprivate static func stored(_ turn: TurnNumber) -> EntryTurn { EntryTurn(number: .max, stored: turn.rawValue) }
}

/// What is durable, or a part of it: it has an `apply(entry, turn)` for each entry that is its own, by the list in `Protocol/journal.proto`.
/// Total: an entry about something that is not there changes nothing. It decides nothing: of each, another type does, as ARCHITECTURE.md lists them.
protocol EntryState {}

extension EntryState {
    /// What of an entry cannot be true, though it can be read, and would end the front or fill its memory if it were applied; nil: nothing.
    /// Asked at a restart alone: what is decided while serving goes on from the state. Of most entries nothing is impossible.
    func fault(of entry: some EntryKind) -> String? { nil }
}

extension FrontState {
    /// Changes the state by one entry: while serving and at restart alike.
    fileprivate mutating func apply(_ entry: JournalEntry, _ turn: EntryTurn) {
        entry.apply(to: &self, turn: turn)
        noteRooms()
    }
}

// MARK: The one road into durable state

extension FrontTurn {
    /// Applies an entry and hands it to the journal, unless this durability leaves it out.
    mutating func record(_ entry: JournalEntry) {
        state.apply(entry, .serving)
        context.journal(entry, .serving)
    }

    /// Applies entries of an earlier epoch: the journal has them.
    /// - Parameter isSlice: Whether a checkpoint wrote them.
    /// - Throws: what cannot be true in one, which is not applied, nor are those behind it.
    mutating func restore(_ entries: [JournalEntry], of turn: TurnNumber, isSlice: Bool) throws(CodecError) {
        for entry in entries {
            if let fault = entry.fault(in: state) { throw CodecError(what: "an entry", reason: fault) }
            state.apply(entry, isSlice ? .stored(turn) : .logged(turn))
        }
    }

    /// Applies what a worker is granted, so that the next choice sees it; `recordGrants` hands it to the journal.
    mutating func gather(_ granted: JournalEntry.GrantedJobs, for worker: Int, in grants: inout GatheredGrants) {
        let time = state.jobs.lengthTime(at: now.monotonic)
        let levels = state.jobs.levels(takenBy: granted.jobs, from: granted.leases.min() ?? 0, at: time)
        if !levels.isEmpty {
            // Before the grant, as the journal has them.
            state.apply(.tokensChanged(JournalEntry.TokensChanged(levels)), .serving)
            for level in levels { grants.tokens[level.key] = level }
        }
        state.apply(.granted(granted), .serving)
        grants.ofWorkers[worker, default: JournalEntry.GrantedJobs(worker: granted.worker, at: granted.at)].append(granted)
    }

    /// Hands the journal what was gathered for a worker, as one entry.
    /// - Returns: that entry; nil: nothing was gathered for it.
    mutating func recordGrants(for worker: Int, from grants: inout GatheredGrants) -> JournalEntry.GrantedJobs? {
        guard let granted = grants.ofWorkers.removeValue(forKey: worker) else { return nil }
        context.journal(.granted(granted), .serving)
        return granted
    }

    /// Hands it what buckets of limits have behind all that was gathered.
    mutating func recordTokens(from grants: inout GatheredGrants) {
        guard !grants.tokens.isEmpty else { return }
        // Sorted, because the order of a table must not reach the journal.
        let levels = grants.tokens.values.sorted { ($0.key.limit, $0.key.value) < ($1.key.limit, $1.key.value) }
        context.journal(.tokensChanged(JournalEntry.TokensChanged(levels)), .serving)
    }
}

extension FrontTurn {
    /// What workers are granted in a turn. An entry for each choice would make the journal some times as long, and to apply all of them at the
    /// end would let the second choice go by what was before the first: so each is applied at once, and one entry a worker says them all.
    struct GatheredGrants {
        fileprivate var ofWorkers: [Int: JournalEntry.GrantedJobs] = [:]
        /// What each bucket of a limit has that they took from.
        fileprivate var tokens: [LimitKey: JournalEntry.TokenLevel] = [:]

        /// The workers that something was gathered for, in order.
        var workers: [Int] { ofWorkers.keys.sorted() }
    }
}

extension JournalEntry.GrantedJobs {
    /// Adds what the same worker was given after it.
    fileprivate mutating func append(_ other: JournalEntry.GrantedJobs) {
        jobs.append(contentsOf: other.jobs)
        leases.append(contentsOf: other.leases)
    }
}

/// A part of a checkpoint's head: of what is neither a session, nor a feed, nor a job.
enum CheckpointPart {
    /// As it was when the checkpoint began. The log begins there too, is read behind all slices, and changes it as it was changed.
    case entry(JournalEntry)
    /// The worker that registered last in that epoch, as it is when its slice is written: its record notes the turn of that. One that has left since,
    /// or has registered in another epoch, is made by the log, or by the slice of a job that it holds.
    case worker(WorkerID, Epoch)
}
