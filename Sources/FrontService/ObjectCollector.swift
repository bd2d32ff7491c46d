//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FileCache
import FrontCore
import Model
import Platform
import Synchronization

/// Removes objects that nobody names, now and then, on a thread of its own. What is named is told by the deciding thread alone.
final class ObjectCollector {
    private let cache: FileCache
    private let everySeconds: Int64
    private var nextAt: Int64
    private var thread: JoinableThread?

    init(cache: FileCache, everySeconds: Int64) {
        self.cache = cache
        self.everySeconds = everySeconds
        nextAt = SystemClock.monotonicNanoseconds() / 1_000_000_000 + everySeconds
    }

    func collectIfDue<Transport, Journal, Clock, Codec>(_ loop: FrontLoop<Transport, Journal, Clock, Codec>) {
        let now = SystemClock.monotonicNanoseconds() / 1_000_000_000
        guard now >= nextAt else { return }
        guard let (named, bound) = loop.collectable(now: WallTime(milliseconds: SystemClock.wallMilliseconds())) else { return }
        waitUntilIdle()
        nextAt = now + everySeconds
        let cache = cache
        do throws(SystemError) {
            thread = try startThread(name: "collect") {
                // What cannot be removed now is tried again at the next collection.
                _ = try? cache.collect(keeping: named, olderThan: bound)
            }
        } catch {
            nextAt = now + 60
        }
    }

    func waitUntilIdle() {
        thread.take()?.join()
    }
}
