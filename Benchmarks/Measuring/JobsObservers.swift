//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel
import GantryPlatform
import GantryWire
import GantryZMQ
import Synchronization

/// The observers of `jobs` of one measurement, turned by one thread; and in the end a witness, one more observer that asks the front afresh
/// how things stand, so that nobody's word is taken for it.
final class JobsObservers: Sendable {
    /// What the observers hold when all jobs have ended.
    struct Standing: Sendable {
        /// Observers whose replica was verified and is what the witness has, byte for byte.
        var verified = 0
        /// Subscriptions to `jobs` that the front has counted, the witness's own left out.
        var countedByFront = 0
        /// Jobs that have ended, as the witness was told.
        var ended: UInt64 = 0
        /// Changes that all of them together have seen and verified.
        var verifiedChanges = 0
        /// The front's sum over the items of `jobs`; nil: the witness has no proof.
        var checksum: TopicChecksum?
    }

    private enum Event: Sendable {
        case arrived(verified: Int)
        case agreed(Standing)
    }

    /// What the thread is to do.
    private enum Phase: Sendable {
        /// Turn until every observer has verified its first state.
        case arriving
        /// Turn while jobs run.
        case observing
        /// Turn until all agree with the witness, that many jobs having ended.
        case agreeing(ended: UInt64)
        case stopped
    }

    /// How many observers there are.
    let count: Int
    private let requests: String
    private let phase = Mutex(Phase.arriving)
    private let wake: EventSignal
    private let events: AsyncStream<Event>
    private let sink: AsyncStream<Event>.Continuation

    /// Of the thread that turns them.
    static let threadName = "observers"

    /// Nothing is missed meanwhile, for an observer's socket holds thousands of changes; to look at all of them more often would take from what
    /// is measured.
    private static let pause = Duration.milliseconds(100)
    /// How long observers may take to prove their state, in the beginning and in the end.
    private static let gracePeriod = Duration.seconds(30)
    /// The witness observes `jobs` and `front`: the front counts these two as well.
    private static let witnessSubscriptions: UInt64 = 2

    /// Observers that are not there yet.
    init(count: Int, requests: String) throws {
        (self.count, self.requests) = (count, requests)
        wake = try EventSignal()
        (events, sink) = AsyncStream.makeStream(of: Event.self)
    }

    /// Brings the observers up; returns when each has verified what it holds.
    func start() async throws {
        let seed = try SystemRandom.next()
        // Each has a descriptor for every socket and for every connection.
        try ResourceLimits.raiseOpenFiles()
        let context = try Context()
        _ = try startThread(name: Self.threadName, stackSize: 4 << 20) { [self] in run(context, seed) }
        for await case .arrived(let verified) in events {
            guard verified == count else {
                throw Self.failure("\(verified) of \(count) observers have verified their state after \(Self.gracePeriod)")
            }
            return
        }
    }

    /// Asks how all of them stand once so many jobs have ended. The thread ends with the answer.
    func agree(ended: UInt64) async throws -> Standing {
        change(to: .agreeing(ended: ended))
        for await case .agreed(let standing) in events {
            // An observer that subscribes anew, because it missed something, is counted once more.
            guard standing.verified == count, standing.countedByFront >= count, standing.ended >= ended else {
                throw Self.failure(
                    "\(standing.verified) of \(count) observers hold what the front has, the front counted \(standing.countedByFront), "
                        + "and a new one was told the end of \(standing.ended) of \(ended) jobs")
            }
            return standing
        }
        throw Self.failure("the observers were stopped before they were asked")
    }

    /// Ends the thread.
    func stop() { change(to: .stopped) }

    private func change(to next: Phase) {
        phase.withLock { $0 = next }
        wake.signal()
    }

    private static func failure(_ message: String) -> MeasuringError {
        MeasuringError(.notVerified, message, nextStep: "measure again with fewer observers, or")
    }

    private func run(_ context: Context, _ seed: UInt64) {
        defer { sink.finish() }
        var observers = (0..<count).map { number in
            JobsObserver(
                of: [.jobs], label: "observer \(number)", context: context, requests: requests, signal: wake, seed: seed &+ UInt64(number))
        }
        let verified = { (observers: [JobsObserver]) in observers.count { $0.bookmark(of: .jobs) != nil } }
        turn(&observers, upTo: Self.gracePeriod) { verified($0) == $0.count }
        phase.withLock { if case .arriving = $0 { $0 = .observing } }
        sink.yield(.arrived(verified: verified(observers)))
        turn(&observers, upTo: nil) { _ in !isObserving }
        guard case .agreeing(let ended) = phase.withLock({ $0 }) else { return }
        let witness = JobsObserver(
            of: [.jobs, .front], label: "witness", context: context, requests: requests, signal: wake, seed: seed &+ UInt64(count))
        observers.append(witness)
        turn(&observers, upTo: Self.gracePeriod) { [count] observers in
            let standing = Self.standing(of: observers)
            return standing.verified == count && standing.countedByFront >= count && standing.ended >= ended
        }
        sink.yield(.agreed(Self.standing(of: observers)))
    }

    private var isObserving: Bool {
        guard case .observing = phase.withLock({ $0 }) else { return false }
        return true
    }

    /// Turns all of them again and again until it is enough, the time is over, or they are stopped.
    private func turn(_ observers: inout [JobsObserver], upTo limit: Duration?, _ isEnough: ([JobsObserver]) -> Bool) {
        let clock = ContinuousClock()
        let end = limit.map { clock.now + $0 }
        while true {
            if case .stopped = phase.withLock({ $0 }) { return }
            for index in observers.indices { observers[index].turn() }
            if isEnough(observers) { return }
            if let end, clock.now >= end { return }
            // The signal cannot fail to be waited for: it is open as long as this object lives.
            if (try? NumberedDescriptor.waitReadable(wake.fileDescriptor, upTo: Self.pause)) == true { wake.drain() }
        }
    }

    /// How all but the last one stand beside the last one, the witness.
    private static func standing(of observers: [JobsObserver]) -> Standing {
        guard let witness = observers.last, let bookmark = witness.bookmark(of: .jobs) else { return Standing() }
        let others = observers.dropLast()
        let counted = witness.front?.subscriptionsMade ?? 0
        return Standing(
            verified: others.count { $0.bookmark(of: .jobs) == bookmark },
            countedByFront: Int(counted - min(counted, witnessSubscriptions)), ended: witness.counts?.ended ?? 0,
            verifiedChanges: others.reduce(0) { $0 + $1.verifiedChanges }, checksum: bookmark.checksum)
    }
}

extension JobCounts {
    /// Jobs that have ended, however.
    fileprivate var ended: UInt64 { succeeded + failed + cancelled }
}

/// One observer: a client with a session and sockets of its own that keeps replicas of some topics.
struct JobsObserver {
    private var loop: ClientLoop<SocketTransport, SystemClientClock, WireCodec>
    private var notices: [ClientNotice] = []
    /// Changes that were seen and verified.
    private(set) var verifiedChanges = 0
    /// The front as topic `front` shows it; nil: not seen yet, or not observed.
    private(set) var front: FrontSummary?
    /// How many jobs there are in each state, as topic `jobs` shows it; nil: not seen yet.
    private(set) var counts: JobCounts?

    /// An observer that says hello in its first turn. To be made and used by one thread.
    init(of topics: [Topic], label: String, context: Context, requests: String, signal: EventSignal, seed: UInt64) {
        loop = ClientLoop(
            transport: SocketTransport(context: context, requests: requests, signal: signal), clock: SystemClientClock(),
            codec: WireCodec(),
            settings: SessionSettings(label: label, seed: seed))
        loop.turn(topics.map { .observe($0) }, into: &notices)
    }

    /// Reads what has come and sends what is due, without waiting.
    mutating func turn() {
        // A wait until the past only asks the sockets: without it a transport reads nothing.
        loop.wait(until: MonotonicTime(nanoseconds: .min))
        loop.turn([], into: &notices)
        for case .topic(let update) in notices { take(update) }
        notices.removeAll(keepingCapacity: true)
    }

    private mutating func take(_ update: TopicUpdate) {
        // What a snapshot brings is shown before it is verified, and not again then: whose word it is, `bookmark` says.
        if update.isVerified { verifiedChanges += 1 }
        for item in update.puts {
            switch item.value {
            case .front(let summary): front = summary
            case .counts(let counts): self.counts = counts
            default: continue
            }
        }
    }

    /// What the replica of a topic holds, its sum made anew over every byte; nil: it is not verified to be what the front has.
    func bookmark(of topic: Topic) -> GantryModel.Publication.Bookmark? {
        guard let replica = loop.replicas.first(where: { $0.topic == topic }), replica.isVerified else { return nil }
        return GantryModel.Publication.Bookmark(
            front: replica.front, epoch: replica.epoch, sequence: replica.sequence, checksum: replica.ownChecksum)
    }
}
