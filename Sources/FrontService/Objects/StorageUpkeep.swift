//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryFileCache
import GantryModel
import GantryPlatform
import Synchronization

// What the front does with stored objects as time passes, on threads of its own: it measures them, and collects what nothing names.

/// Looks at how much the front has stored, on a thread of its own: a disk may be slow or a network folder away for hours, and the deciding
/// thread never waits for it. Observers of `storage` see what it finds; when the disk becomes full, the log says once what takes the room.
final class StorageMeter {
    /// The shortest time from one look to the next.
    private static var pause: Duration { .seconds(5) }
    /// A look at a large cache takes long: so many times as long nobody looks again.
    private static var restFactor: Int { 20 }

    /// What the thread has found out, for the thread of the loop.
    private final class Findings: Sendable {
        let value = Mutex(Found())
    }

    private struct Found {
        var sizes: StoredSizes?
        /// How long the last look took.
        var length = Duration.zero
    }

    private let measure: @Sendable () -> StoredSizes
    private let wake: @Sendable () -> Void
    private let onNotice: (String) -> Void
    /// A clock that never goes back.
    private let clock: @Sendable () -> MonotonicTime
    private let found = Findings()
    private let run = ThreadRun()
    private var begunAt: MonotonicTime?
    private var wasFull = false
    private var isNoticeDue = false

    /// A meter that works on its thread, and calls `wake` there when it has a result.
    init(
        wake: @escaping @Sendable () -> Void, onNotice: @escaping (String) -> Void,
        clock: @escaping @Sendable () -> MonotonicTime = { MonotonicTime(nanoseconds: SystemClock.monotonicNanoseconds()) },
        measure: @escaping @Sendable () -> StoredSizes
    ) {
        (self.wake, self.onNotice, self.clock, self.measure) = (wake, onNotice, clock, measure)
    }

    /// Takes over what was found out, and looks again if that is wanted and it is time. For the thread of the loop, after each turn.
    func attend<Transport, Journal, Clock, Codec>(_ loop: inout FrontLoop<Transport, Journal, Clock, Codec>) {
        guard let sizes = attend(at: clock(), isFull: loop.storageIsFull, isObserved: loop.wantsSizes) else { return }
        loop.noteStored { sizes.put(into: &$0) }
    }

    /// The same at a time of the clock. Returns what was found out since the last call; nil: nothing.
    @discardableResult
    func attend(at now: MonotonicTime, isFull: Bool, isObserved: Bool = false) -> StoredSizes? {
        if isFull != wasFull { (wasFull, isNoticeDue) = (isFull, isFull) }
        let sizes = found.value.withLock { exchange(&$0.sizes, with: nil) }
        if let sizes, isNoticeDue {
            isNoticeDue = false
            if let line = sizes.line { onNotice(line) }
        }
        if isNoticeDue || isObserved { lookIfDue(at: now) }
        return sizes
    }

    /// Begins to look, if it is time and no earlier look still goes on. Returns whether one began.
    @discardableResult
    func lookIfDue(at now: MonotonicTime) -> Bool {
        let pause = max(Self.pause, found.value.withLock { $0.length } * Self.restFactor)
        guard begunAt.map({ now >= $0.advanced(by: pause) }) ?? true, run.begin() else { return false }
        begunAt = now
        let (measure, wake, clock, found, run) = (measure, wake, clock, found, run)
        do throws(SystemError) {
            _ = try startThread(name: "measure") {
                let began = clock()
                let sizes = measure()
                let length = clock().duration(since: began)
                found.value.withLock { $0 = Found(sizes: sizes, length: length) }
                run.end()
                wake()
            }
        } catch { run.end() }
        return true
    }
}

/// How many bytes the front has stored; nil: that cannot be looked at.
struct StoredSizes: Hashable, Sendable {
    /// The files of the journal.
    var journal: UInt64?
    /// What is held free beside them for a full disk.
    var ballast: UInt64?
    /// The objects of the cache.
    var cache: UInt64?

    /// What takes the room, for people; nil: nothing is known.
    var line: String? {
        let parts = [("the journal", journal), ("the cache", cache)].compactMap { name, count in
            count.map { "\(name) holds \($0 >> 20) MiB" }
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// Notes them where observers of `storage` see them.
    func put(into summary: inout StorageSummary) {
        (summary.journalByteCount, summary.cacheByteCount, summary.ballastByteCount) = (journal, cache, ballast)
    }
}

/// Removes objects that nothing names, from time to time, on a thread of its own. Only the deciding thread knows what is named, which never
/// waits for it: a disk may be slow or a network folder away for hours.
final class ObjectCollector {
    /// The time from one collection to the next while the disk is full: removing what nobody names may be all that helps.
    private static var urgentPause: Duration { .seconds(10) }
    /// The time to the next attempt where no thread can be had: others of this process need them more.
    private static var pauseWithoutThread: Duration { .seconds(60) }

    private let pause: Duration
    private let collect: @Sendable (Set<ObjectDigest>, WallTime) -> Void
    private var nextAt: MonotonicTime
    private var wasUrgent = false
    private let run = ThreadRun()

    /// A collector of a cache.
    convenience init(cache: FileCache, every pause: Duration) {
        self.init(every: pause, startedAt: Self.now) { named, bound in
            // What cannot be removed now is tried again at the next collection.
            _ = try? cache.collect(keeping: named, olderThan: bound)
        }
    }

    /// A collector that works on its thread; `startedAt` by a clock that never goes back.
    init(every pause: Duration, startedAt: MonotonicTime, collect: @escaping @Sendable (Set<ObjectDigest>, WallTime) -> Void) {
        self.pause = pause
        self.collect = collect
        nextAt = startedAt.advanced(by: pause)
    }

    /// Collects if it is time, and no earlier collection still runs.
    func collectIfDue<Transport, Journal, Clock, Codec>(_ loop: inout FrontLoop<Transport, Journal, Clock, Codec>) {
        collectIfDue(at: Self.now, isUrgent: loop.storageIsFull, isWriter: loop.isWriter) {
            loop.collectable(now: WallTime(milliseconds: SystemClock.wallMilliseconds()))
        }
    }

    /// The same at a time; `names` is asked only if a collection begins. Returns whether one did.
    ///
    /// A front that may have a successor collects nothing: that one may name what this one has forgotten. It stays due.
    @discardableResult
    func collectIfDue(
        at now: MonotonicTime, isUrgent: Bool, isWriter: Bool = true, names: () -> (named: Set<ObjectDigest>, olderThan: WallTime)
    )
        -> Bool
    {
        if isUrgent, !wasUrgent { nextAt = min(nextAt, now) }
        wasUrgent = isUrgent
        guard isWriter, now >= nextAt, run.begin() else { return false }
        nextAt = now.advanced(by: isUrgent ? min(Self.urgentPause, pause) : pause)
        let (named, bound) = names()
        let (collect, run) = (collect, run)
        do throws(SystemError) {
            _ = try startThread(name: "collect") {
                collect(named, bound)
                run.end()
            }
        } catch {
            run.end()
            nextAt = now.advanced(by: Self.pauseWithoutThread)
        }
        return true
    }

    /// Waits until no collection runs, at most so long; false: one still does. It removes only what nobody names, so the process may end.
    func waitUntilIdle(atMost limit: Duration) -> Bool { run.wait(atMost: limit) }

    private static var now: MonotonicTime { MonotonicTime(nanoseconds: SystemClock.monotonicNanoseconds()) }
}

/// Whether a thread is at its work, of which at most one runs at a time; can be waited for with a bound, which joining a thread cannot.
final class ThreadRun: Sendable {
    private let isRunning = Mutex(false)
    private let ended = MonotonicSemaphore()

    /// Before the thread starts. False: one runs already.
    func begin() -> Bool {
        isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
    }

    /// At the end of the thread's body, or when it did not start.
    func end() {
        isRunning.withLock { $0 = false }
        ended.signal()
    }

    /// Waits until none runs; false: one still does after so long.
    func wait(atMost limit: Duration) -> Bool {
        // Signals of earlier runs may be left.
        ended.wait(upTo: limit) { !isRunning.withLock { $0 } }
    }
}
