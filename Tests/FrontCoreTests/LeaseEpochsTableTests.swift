//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("the epochs from which leases count")
struct LeaseEpochsTableTests {
    /// Epochs that are known before, the one that begins, the one in which the worker registered last that did so first, and those known
    /// then. `-`: none; of a worker, 0: it registered before any that is known.
    static let begun: [(known: String, begins: UInt64, oldest: UInt64?, then: String)] = [
        ("-", 1, nil, "1"),
        ("-", 3, 0, "3"),
        ("-", 3, 2, "3"),
        // Nobody is known whose lease could count from an earlier one.
        ("1", 2, nil, "2"),
        ("1 2 3", 4, nil, "4"),
        // From its own epoch no lease of a worker counts, from all behind that one may.
        ("1 2 3", 4, 0, "1 2 3 4"),
        ("1 2 3", 4, 1, "2 3 4"),
        ("1 2 3", 4, 2, "3 4"),
        ("1 2 3", 4, 3, "4"),
        ("1 2 5", 9, 3, "5 9"),
        // The one that begins stays in any case.
        ("1 2 3", 4, 4, "4"),
        ("1 2 3", 4, 7, "4"),
        // An entry that is read twice, or one of an earlier epoch, changes nothing.
        ("1 2 3", 3, nil, "1 2 3"),
        ("1 2 3", 2, 2, "1 2 3"),
        ("5", 3, nil, "5"),
    ]

    private func epochs(_ entries: [JournalEntry.EpochBegan]) -> LeaseEpochs {
        var epochs = LeaseEpochs()
        for entry in entries { epochs.begin(entry, oldest: Epoch(0)) }
        return epochs
    }

    @Test("an epoch begins", arguments: begun.indices)
    func begin(row: Int) {
        let (known, begins, oldest, then) = Self.begun[row]
        let numbers = known.split(separator: " ").compactMap { UInt64($0) }
        var epochs = epochs(numbers.map { JournalEntry.EpochBegan(epoch: Epoch($0), bootID: "boot", bootMilliseconds: Int64($0)) })
        #expect(epochs.present == (numbers.last.map { Epoch($0) } ?? .none))
        let entry = JournalEntry.EpochBegan(epoch: Epoch(begins), bootID: "boot", bootMilliseconds: Int64(begins))
        epochs.begin(entry, oldest: oldest.map { Epoch($0) })
        #expect(epochs.all.map { "\($0.epoch.rawValue)" }.joined(separator: " ") == then, "\(Self.begun[row])")
        // Each is there as its entry says, and the latest is the present one.
        let entries = epochs.all.map {
            JournalEntry.EpochBegan(epoch: $0.epoch, bootID: "boot", bootMilliseconds: Int64($0.epoch.rawValue))
        }
        #expect(epochs.all == entries && epochs.present == entries.last?.epoch)
    }

    /// Where the machine has been up for so many milliseconds of a boot: how long leases last that count from the epoch behind 0, 1, 2, 3
    /// and 4, in milliseconds, of 12,000 in all.
    ///
    /// Epoch 1 began in a boot that nobody knows, 2 in boot `a` at 1,000, 3 in boot `b` at 5,000, and 4 in the same at 9,000.
    static let left: [(boot: String, uptime: Int64, left: [Int64])] = [
        ("", 9_000, [12_000, 12_000, 12_000, 12_000, 12_000]),
        // Of another boot nothing can be reckoned.
        ("c", 9_000, [12_000, 12_000, 12_000, 12_000, 12_000]),
        ("a", 1_000, [12_000, 12_000, 12_000, 12_000, 12_000]),
        ("a", 4_000, [9_000, 9_000, 12_000, 12_000, 12_000]),
        ("a", 13_000, [0, 0, 12_000, 12_000, 12_000]),
        ("b", 9_000, [8_000, 8_000, 8_000, 12_000, 12_000]),
        ("b", 11_000, [6_000, 6_000, 6_000, 10_000, 12_000]),
        ("b", 17_001, [0, 0, 0, 3_999, 12_000]),
        ("b", 90_000, [0, 0, 0, 0, 12_000]),
        // A clock that shows less than before makes no lease longer than a whole one.
        ("b", 4_000, [12_000, 12_000, 12_000, 12_000, 12_000]),
    ]

    @Test("how long a lease lasts that counts from an earlier epoch", arguments: left.indices)
    func leaseLeft(row: Int) {
        let (boot, uptime, left) = Self.left[row]
        let epochs = epochs([
            JournalEntry.EpochBegan(epoch: Epoch(1), bootID: "", bootMilliseconds: 500),
            JournalEntry.EpochBegan(epoch: Epoch(2), bootID: "a", bootMilliseconds: 1_000),
            JournalEntry.EpochBegan(epoch: Epoch(3), bootID: "b", bootMilliseconds: 5_000),
            JournalEntry.EpochBegan(epoch: Epoch(4), bootID: "b", bootMilliseconds: 9_000),
        ])
        var settings = FrontSettings(front: FrontID(1), epoch: Epoch(4), sessionKey: SessionKey(1, 4))
        (settings.lease, settings.grace) = (.seconds(10), .seconds(2))
        settings.boot = BootInstant(id: boot, uptime: .milliseconds(uptime))
        let lasts = (0...4).map { epochs.leaseLeft(of: Epoch(UInt64($0)), settings) }
        #expect(lasts == left.map { .milliseconds($0) }, "\(boot) \(uptime)")
    }
}

@Suite("workers that were lost and are to drain")
struct DrainedWorkersTableTests {
    /// Who is there before.
    enum Start: CaseIterable {
        case nobody, one, three
    }

    /// What happens then: worker 1, 3 or 4 is lost that was asked to drain, or comes back.
    enum Event: CaseIterable {
        case addFirst, addLast, addNew, removeFirst, removeLast, removeNew
    }

    /// What becomes of each start by each event, in the order of `Event`: who is there, and who is too many of two.
    static let table: [Start: [String]] = [
        .nobody: ["1/-", "3/-", "4/-", "-/-", "-/-", "-/-"],
        .one: ["1/-", "1 3/-", "1 4/-", "-/-", "1/-", "1/-"],
        // Who is lost once more goes to the end; those that went first are too many.
        .three: ["2 3 1/2", "1 2 3/1", "1 2 3 4/1 2", "2 3/-", "1 2/-", "1 2 3/1"],
    ]

    private static func names(_ ids: some Collection<WorkerID>) -> String {
        ids.isEmpty ? "-" : ids.map { "\($0.rawValue)" }.joined(separator: " ")
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) {
        let row = Event.allCases.map { event in
            var drained = DrainedWorkers()
            let count: UInt64 =
                switch start {
                case .nobody: 0
                case .one: 1
                case .three: 3
                }
            for number in 0..<count { drained.add(WorkerID(number + 1)) }
            switch event {
            case .addFirst: drained.add(WorkerID(1))
            case .addLast: drained.add(WorkerID(3))
            case .addNew: drained.add(WorkerID(4))
            case .removeFirst: drained.remove(WorkerID(1))
            case .removeLast: drained.remove(WorkerID(3))
            case .removeNew: drained.remove(WorkerID(4))
            }
            #expect((1...4).map { drained.contains(WorkerID($0)) } == (1...4).map { drained.ids.contains(WorkerID($0)) })
            #expect(Array(drained.excess(over: 0)) == drained.ids && drained.excess(over: 4).isEmpty)
            // A checkpoint stores them in their order, as workers that are lost and drain.
            #expect(drained.entries == drained.ids.map { .workerLost(JournalEntry.WorkerLost($0, drains: true)) })
            return Self.names(drained.ids) + "/" + Self.names(drained.excess(over: 2))
        }
        #expect(row == Self.table[start], "\(start)")
    }
}
