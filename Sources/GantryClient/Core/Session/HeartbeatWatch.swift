//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Counts the heartbeats that were not answered, and how long the front's disk has kept it waiting.
///
/// It counts turns, not time: a client that stood still itself looks at most one heartbeat further when it goes on, after it has read what
/// came meanwhile. So only three silent intervals in which the client itself was awake lose the front.
struct HeartbeatWatch: Sendable {
    /// Heartbeats in a row without a word of the front after which it is lost. One may be lost with a connection that has just been made
    /// anew, and a front that takes over a second for a turn misses two.
    static let missedLimit = 3
    /// How long the front's disk may be full, or a decision wait for it, before that is reported. Shorter waits are ordinary: a
    /// checkpoint, a burst on a slow disk.
    static let diskGracePeriod: Duration = .seconds(3)
    /// Intervals without a heartbeat of this client after which the front may have let its attachments lapse: it waits five seconds.
    static let pauseLimit: Int64 = 3

    /// What is known of the front.
    private(set) var availability = FrontAvailability.answering
    /// Whether a heartbeat is to be sent.
    private(set) var isDue = false
    /// Whether the client stood still itself for so long that its attachments may have lapsed: nothing reports that, since its session goes on.
    private var hasPaused = false
    /// From one heartbeat to the next.
    private var interval: Duration = .seconds(1)
    /// When the next interval begins; never before the first welcome.
    private(set) var nextDeadline = MonotonicTime.distantFuture
    private var missed = 0
    private var hasReceived = false
    private var fullSince: MonotonicTime?

    /// A session is open (again); the first heartbeat goes out at once.
    mutating func opened(every interval: Duration, at now: MonotonicTime) {
        self.interval = interval
        (hasReceived, missed, isDue) = (true, 0, true)
        nextDeadline = now.advanced(by: interval)
        // A disk that kept it waiting before it was lost says nothing of the front of now; one of a mere reconnect still counts.
        if availability == .lost { (availability, fullSince) = (.answering, nil) }
    }

    /// The front said something by the session.
    mutating func received() { hasReceived = true }

    /// The front answered a heartbeat.
    mutating func answered(_ answer: FrontMessage.HeartbeatAnswer, at now: MonotonicTime) {
        hasReceived = true
        fullSince = answer.isStorageFull ? fullSince ?? now : nil
        let full = fullSince.map { now.duration(since: $0) } ?? .zero
        let isWaiting = max(full, answer.undurable) > Self.diskGracePeriod
        // Only a welcome brings a lost front back: replicas and attachments have to be renewed then.
        if availability != .lost { availability = isWaiting ? .waitingForDisk : .answering }
    }

    /// Looks whether an interval is over: then a heartbeat is due, and one without a word of the front counts as missed.
    mutating func advance(to now: MonotonicTime) {
        guard now >= nextDeadline else { return }
        // The last heartbeat left one interval before the deadline.
        hasPaused = hasPaused || now >= nextDeadline.advanced(by: interval.multiplied(by: Self.pauseLimit - 1))
        nextDeadline = now.advanced(by: interval)
        isDue = true
        missed = hasReceived ? 0 : missed + 1
        hasReceived = false
        guard missed >= Self.missedLimit else { return }
        // Nothing more is counted until a session is open again.
        (availability, nextDeadline, isDue) = (.lost, .distantFuture, false)
    }

    /// Whether the client has paused since this was asked last.
    mutating func takePause() -> Bool {
        defer { hasPaused = false }
        return hasPaused
    }

    /// A heartbeat goes out.
    mutating func sent() { isDue = false }
}
