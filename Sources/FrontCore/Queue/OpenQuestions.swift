//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What is asked once more because what its answer depends on may have changed: why jobs wait that are observed, and which of those that have
/// ended are beyond their bounds.
struct OpenQuestions {
    /// Whose reasons to wait may be others than observers see.
    private enum Waits {
        /// Those of these jobs; of none, if there are none.
        case some(UniqueList<UInt64>)
        /// Those of all that are observed, of these first. Once the observed ones are named, it is some again.
        case all(first: UniqueList<UInt64>)
    }

    /// Whether ended jobs are looked at.
    private enum Ended {
        /// Yes, though as many have ended as when they were looked at last: some are too old, or go into a bundle, where they take another room.
        case open(lookedAt: UInt64)
        /// Not until the number of those that have ended is another than when they were looked at last.
        case answered(at: UInt64)
    }

    private var waits = Waits.some(UniqueList())
    private var ended = Ended.open(lookedAt: 0)
}

// MARK: Why jobs wait

extension OpenQuestions {
    /// Jobs that are named, and that observers may see otherwise.
    private var named: UniqueList<UInt64> {
        get {
            switch waits {
            case .some(let jobs), .all(first: let jobs): jobs
            }
        }
        _modify {
            let isAll = if case .all = waits { true } else { false }
            var jobs = named
            // Taken out meanwhile, or each change would copy it.
            waits = .some(UniqueList())
            defer { waits = isAll ? .all(first: jobs) : .some(jobs) }
            yield &jobs
        }
    }

    /// Whether the reason of any named job is open.
    var hasWaits: Bool { !named.isEmpty }

    /// A job that is observed may wait for another reason than observers see.
    mutating func askWait(of id: UInt64) { named.append(id) }

    /// The reasons of all that waits may be others: nothing is granted any more, or jobs are again.
    mutating func askAllWaits() { waits = .all(first: named) }

    /// Whether that was so: who asks names the observed ones.
    mutating func takeAllWaits() -> Bool {
        guard case .all(first: let jobs) = waits else { return false }
        waits = .some(jobs)
        return true
    }

    /// The next of the named jobs, so many at most.
    mutating func takeWaits(_ limit: Int) -> [UInt64] { named.takeFirst(limit) }
}

// MARK: Which ended jobs are beyond their bounds

extension OpenQuestions {
    /// How many had ended when they were looked at last, or when this epoch began.
    private var lookedAt: UInt64 {
        switch ended {
        case .open(lookedAt: let count), .answered(at: let count): count
        }
    }

    /// An epoch begins in which so many have ended.
    mutating func begin(ended count: UInt64) { ended = .open(lookedAt: count) }

    /// They may be too many, too large or too old though no other has ended.
    mutating func askEnded() { ended = .open(lookedAt: lookedAt) }

    /// Whether they are to be looked at when so many have ended.
    func isEndedOpen(_ count: UInt64) -> Bool {
        switch ended {
        case .open: true
        case .answered(at: let known): count != known
        }
    }

    /// They were looked at when so many had ended.
    mutating func answerEnded(_ count: UInt64) { ended = .answered(at: count) }

    /// How many of so many have ended since.
    func endedSince(_ count: UInt64) -> Int { Int(count - min(count, lookedAt)) }
}
