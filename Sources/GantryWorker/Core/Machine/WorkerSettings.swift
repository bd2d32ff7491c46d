//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// What a worker is, and its bounds.
package struct WorkerSettings: Hashable, Sendable {
    /// This worker process, by a number that it chooses at random.
    package var worker: WorkerID
    /// Its label.
    package var name: String
    /// Its process id.
    package var processID: UInt32
    /// Its process, unique for good, where the kernel gives it: the front then notices its end at once.
    package var process: ProcessIdentity?
    /// How many jobs it runs at once, 1 to 64.
    package var slots: Int
    /// How many bulk jobs it takes ahead, 0 to 4,096.
    package var prefetch: Int
    /// What it can run, in the order of the runner's loaders.
    package var loaders: [LoaderDeclaration]
    /// What proves that the id is this process's: 32 random bytes, sent to the front only.
    package var secret: [UInt8] = []
    /// What the front asks for where it listens to TCP.
    package var token: [UInt8] = []
    /// From one try to register to the next: as often as it would renew, so that a front that comes back has it within a second.
    package var registerPause: Duration = .seconds(1)
    /// Until the next try after one that the transport did not take: nobody listens yet.
    package var unsentPause: Duration = .milliseconds(100)
    /// How long after the end of the lease the kernel ends the process; under the front's 500 ms.
    package var killDelay: Duration = .milliseconds(200)
    /// How long work of each loader may take to stop; a loader that is not in it: as usual.
    package var stopTimes: [Duration] = []
    /// How long work may go on once the worker drains, unless it must not run twice and nothing presses.
    package var grace = Self.usualGrace
    /// How long work that must not run twice may go on where nothing presses and its attempt has no time-out: whoever waits for the drain
    /// waits a minute rather than find out what the work has done. A longer grace goes before it.
    package var unrepeatableTime: Duration = .seconds(60)
    /// How long work may go on, at most, beside work because of which the worker ends.
    package var neighborTime: Duration = .seconds(60)
    /// Between two progress messages of one job: 20 a second.
    package var progressPause: Duration = .milliseconds(50)
    /// Between two messages with lines of one job that goes on: each is an entry of the front's journal.
    package var logPause: Duration = .seconds(1)
    /// Ended jobs that may wait to become durable, four times what is taken ahead at most; at the bound grants are refused as `busy`.
    package var retainedJobs = 16_384
    /// Bytes of their reports; the same happens at this bound.
    package var retainedByteCount = 64 << 20
    /// Cancels of unknown leases that are remembered; the oldest is forgotten for a new one.
    package var rememberedCancels = 1_024
    /// Bytes of one report beyond which another is begun; no frame may hold more, and one outcome alone takes far less.
    package var reportByteCount = MessageBounds.halfFrameByteCount
    /// Bytes of one result; a longer one makes the job fail as `tooLarge`.
    package var resultByteCount = MessageBounds.payloadByteCount

    /// How long work of a loader may take to stop once it is asked.
    func stopTime(of loader: Int) -> Duration { loader < stopTimes.count ? stopTimes[loader] : Self.usualStopTime }

    /// That of loaders that say nothing: most work stops in milliseconds, and what writes a large file may need some seconds.
    package static let usualStopTime = Duration.seconds(10)

    /// The grace of workers that say nothing: most jobs end by themselves in that time, and what watches over processes, such as systemd and
    /// Kubernetes, waits 30 to 90 s before it kills them.
    package static let usualGrace = Duration.seconds(30)
    /// The longest: a day, beyond which no time-out of whoever stops a process goes.
    package static let longestGrace = Duration.seconds(86_400)

    /// A worker with the given bounds; slots and prefetch are brought into their ranges.
    package init(worker: WorkerID, name: String, processID: UInt32, slots: Int, prefetch: Int, loaders: [LoaderDeclaration]) {
        self.worker = worker
        self.name = name
        self.processID = processID
        self.slots = min(max(slots, 1), MessageBounds.slots)
        self.prefetch = min(max(prefetch, 0), MessageBounds.prefetch)
        self.loaders = loaders
    }
}

extension WorkerSettings {
    /// What of a result is too large to be reported, with what to do about it; nil: nothing is.
    ///
    /// The front drops a message with something over its bound as a whole, so it must never be sent.
    func excess(of result: [UInt8], _ feed: FeedResult?) -> String? {
        guard result.count <= resultByteCount else {
            return "the result has \(result.count) bytes (limit \(resultByteCount)): put it into an object"
        }
        guard let feed else { return nil }
        guard feed.detail.count <= resultByteCount else {
            return "the detail has \(feed.detail.count) bytes (limit \(resultByteCount)): put it into an object"
        }
        if let count = feed.itemID?.utf8.count, count > MessageBounds.itemIDByteCount {
            return "the new item's id has \(count) bytes (limit \(MessageBounds.itemIDByteCount)): let the loader give it a shorter one"
        }
        guard feed.source.rawValue.utf8.count <= MessageBounds.labelByteCount else {
            return
                "the name of the source has \(feed.source.rawValue.utf8.count) bytes (limit \(MessageBounds.labelByteCount)): let the loader give it a shorter one"
        }
        return nil
    }
}
