//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryFileCache
import GantryModel
import GantryPlatform

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
