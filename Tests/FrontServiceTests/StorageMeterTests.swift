//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import GantryModel
import Synchronization
import TestSupport
import Testing

@testable import FrontService

@Suite("Looks at what is stored", .timeLimit(.minutes(5)))
struct StorageMeterTests {
    private static let second: Int64 = 1_000_000_000

    /// What a meter is given: each look waits until it is let go.
    private final class Rig: Sendable {
        let open = DispatchSemaphore(value: 0)
        let woken = DispatchSemaphore(value: 0)
        let notices = Mutex<[String]>([])
        let time = Mutex(MonotonicTime(nanoseconds: 0))

        /// - Parameter length: how long each look takes by the meter's clock.
        func meter(_ sizes: StoredSizes, length: Duration = .zero) -> StorageMeter {
            let now: @Sendable () -> MonotonicTime = { self.time.withLock { $0 } }
            let note: (String) -> Void = { text in self.notices.withLock { $0.append(text) } }
            return StorageMeter(wake: { self.woken.signal() }, onNotice: note, clock: now) {
                self.open.wait()
                self.time.withLock { $0 = $0.advanced(by: length) }
                return sizes
            }
        }

        /// Lets the look end that goes on.
        func end() {
            open.signal()
            woken.wait()
        }
    }

    @Test("one at a time, at most each 5 s, however long one takes; what it finds is told once")
    func throughput() {
        let rig = Rig()
        let meter = rig.meter(StoredSizes(journal: 7))
        #expect(meter.lookIfDue(at: MonotonicTime(nanoseconds: 0)))
        #expect(!meter.lookIfDue(at: MonotonicTime(nanoseconds: 1_000 * Self.second)), "one goes on")
        #expect(meter.attend(at: MonotonicTime(nanoseconds: 1_001 * Self.second), isFull: false) == nil)
        rig.end()
        #expect(meter.attend(at: MonotonicTime(nanoseconds: 1), isFull: false) == StoredSizes(journal: 7))
        #expect(meter.attend(at: MonotonicTime(nanoseconds: 1), isFull: false) == nil)
        #expect(!meter.lookIfDue(at: MonotonicTime(nanoseconds: 5 * Self.second - 1)))
        rig.open.signal()
        #expect(meter.lookIfDue(at: MonotonicTime(nanoseconds: 10_000 * Self.second)))
        rig.woken.wait()
    }

    @Test("a disk that becomes full makes it look, and tells once what takes the room")
    func full() {
        let rig = Rig()
        let meter = rig.meter(StoredSizes(journal: 5 << 20, ballast: 1 << 20, cache: 6 << 20))
        for period in [Int64(0), 1] {
            let start = period * 100_000 * Self.second
            meter.attend(at: MonotonicTime(nanoseconds: start), isFull: false)
            meter.attend(at: MonotonicTime(nanoseconds: start), isFull: true)
            rig.end()
            #expect(meter.attend(at: MonotonicTime(nanoseconds: start), isFull: true) != nil)
            #expect(rig.notices.withLock { $0 }.count == Int(period) + 1)
            meter.attend(at: MonotonicTime(nanoseconds: start + 50_000 * Self.second), isFull: true)
            #expect(meter.lookIfDue(at: MonotonicTime(nanoseconds: start + 50_000 * Self.second)), "no look went on: the notice was told")
            rig.end()
            #expect(meter.attend(at: MonotonicTime(nanoseconds: start + 50_000 * Self.second), isFull: true) != nil)
        }
        #expect(rig.notices.withLock { $0 } == Array(repeating: "the journal holds 5 MiB, the cache holds 6 MiB", count: 2))
    }

    @Test("what cannot be looked at is left out of what is told")
    func unknown() {
        #expect(StoredSizes().line == nil && StoredSizes(ballast: 1).line == nil)
        #expect(StoredSizes(cache: 3 << 20).line == "the cache holds 3 MiB")
    }

    @Test("the files of a journal are counted without what is held free; a folder that is not there is no journal of no bytes")
    func journal() throws {
        let folder = try TemporaryFolder()
        var opener = SQLiteJournalOpener(dataFolder: folder.path)
        #expect(opener.byteCounts() == nil)
        opener.ballastByteCount = 3 << 20
        _ = try opener.open(wallSeconds: 1, newFrontID: FrontID(1))
        let counts = try #require(opener.byteCounts())
        #expect(counts.ballast == 3 << 20 && counts.journal >= 4_096 && counts.journal < 1 << 20)
    }

    @Test("while somebody observes it looks again and again; nobody is told of a full disk that is none")
    func observed() {
        let rig = Rig()
        let meter = rig.meter(StoredSizes(journal: 1))
        for look in [Int64(0), 10_000, 20_000] {
            #expect(meter.attend(at: MonotonicTime(nanoseconds: look * Self.second), isFull: false, isObserved: true) == nil)
            rig.end()
            #expect(
                meter.attend(at: MonotonicTime(nanoseconds: look * Self.second), isFull: false, isObserved: true) == StoredSizes(journal: 1)
            )
        }
        #expect(rig.notices.withLock { $0 }.isEmpty)
    }

    @Test(
        "after a look that took long nobody looks for 20 times as long, after a short one for 5 s",
        arguments: [(0, 5_000), (250, 5_000), (3_000, 60_000)])
    func rest(length: Int64, pause: Int64) {
        let rig = Rig()
        let meter = rig.meter(StoredSizes(journal: 1), length: .milliseconds(length))
        func look(at milliseconds: Int64) -> Bool { meter.lookIfDue(at: MonotonicTime(nanoseconds: milliseconds * 1_000_000)) }
        #expect(look(at: 0))
        rig.end()
        #expect(!look(at: pause - 1))
        #expect(look(at: pause))
        rig.end()
        // From the beginning of the last one.
        #expect(!look(at: 2 * pause - 1))
        #expect(look(at: 2 * pause))
        rig.end()
    }

    @Test("a disk that has room again before it was looked at is nobody's notice, nor is one of which nothing is known")
    func notFull() {
        let rig = Rig()
        let meter = rig.meter(StoredSizes(journal: 1 << 20))
        let start = MonotonicTime(nanoseconds: 0)
        meter.attend(at: start, isFull: true)
        meter.attend(at: start, isFull: false)
        rig.end()
        #expect(meter.attend(at: start, isFull: false) == StoredSizes(journal: 1 << 20))
        #expect(rig.notices.withLock { $0 } == [])
        let unknown = rig.meter(StoredSizes(ballast: 1))
        unknown.attend(at: start, isFull: true)
        rig.end()
        #expect(unknown.attend(at: start, isFull: true) == StoredSizes(ballast: 1))
        #expect(rig.notices.withLock { $0 } == [])
    }

    @Test("nobody looks while nobody observes and the disk has room")
    func idle() {
        let rig = Rig()
        let meter = rig.meter(StoredSizes(journal: 1))
        for second in Int64(0)..<3 { meter.attend(at: MonotonicTime(nanoseconds: second * 1_000 * Self.second), isFull: false) }
        // No look goes on, so one begins.
        #expect(meter.lookIfDue(at: MonotonicTime(nanoseconds: 2_000 * Self.second)))
        rig.end()
    }

    @Test("observers see each size where it belongs, and none where it is not known; what else is known stays")
    func shown() {
        var summary = StorageSummary()
        summary.lastCheckpoint = WallTime(milliseconds: 4)
        StoredSizes(journal: 1, ballast: 2, cache: 3).put(into: &summary)
        #expect((summary.journalByteCount, summary.ballastByteCount, summary.cacheByteCount) == (1, 2, 3))
        StoredSizes(cache: 5).put(into: &summary)
        #expect((summary.journalByteCount, summary.ballastByteCount, summary.cacheByteCount) == (nil, nil, 5))
        #expect(summary.lastCheckpoint == WallTime(milliseconds: 4))
    }
}
