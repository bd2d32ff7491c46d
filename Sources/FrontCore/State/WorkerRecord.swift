//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A worker: its last registration and the jobs it holds.
struct WorkerRecord {
    let id: WorkerID
    var registration: WorkerMessage.Registration
    var attachment: AttachmentNumber
    /// The life of the front in which it registered last.
    var life = Epoch.none
    /// The turn at which a checkpoint stored it.
    var storedTurn: UInt64 = 0

    // What follows is not durable.

    /// Its connection; none: recorded by an earlier life of the front, or the connection is lost.
    var peer: PeerID = .none
    /// Its latest renewal that was read.
    var renewal: RenewalNumber = .none
    /// When its slots are freed, were the front never away: lease and grace after its latest renewal was read.
    var leaseEnd = MonotonicTime.distantFuture
    /// How long the front had been away in all when that renewal was read.
    var awayAtRenewal: Int64 = 0
    /// How many turns have read of workers since that lease ended and left something unread.
    var unreadTurns = 0
    /// Its reports that are taken and not yet settled: it is told with the next grant, or at `settleBy`.
    var unsettledReports: [UInt64] = []
    /// When it is told of them at the latest.
    var settleBy = MonotonicTime.distantFuture
    /// Whether it takes no new jobs.
    var isDraining = false
    /// The newest attachment of this life of the front that it spoke under: a registration that names an older one is late.
    var spokenUnder = AttachmentNumber.none
    /// Whether it says that dropped work has not ended there: until then it takes no new jobs.
    var isOverdue = false
    /// Jobs that were taken from it when it registered without them; since it has said so, only those whose work has not ended there.
    var dropped: Set<UInt64> = []
    /// Whether it gave a grant back: it gets the next one after its next renewal, which says what is in its way.
    var isHeldBack = false
    /// Whether it has registered with this life of the front.
    var isAttached = false
    /// Its process has ended, as the kernel says; nil: it has not, or nobody knows.
    var lastWords: LastWords?
    /// Grants that were sent again, each by itself, and were not listed since: when they are given up, by their lease.
    var sentApart: [UInt64: MonotonicTime] = [:]

    /// What a process had sent before it ended.
    struct LastWords {
        /// Until when it is read, were the front never away.
        let readUntil: MonotonicTime
        /// How long the front had been away in all when the process ended.
        let awayBefore: Int64
    }

    init(id: WorkerID, registration: WorkerMessage.Registration, attachment: AttachmentNumber) {
        self.id = id
        self.registration = registration
        self.attachment = attachment
    }

    /// It has registered: what was known of its connection and its word holds no longer.
    mutating func begin(peer: PeerID, spokenUnder named: AttachmentNumber) {
        self.peer = peer
        isAttached = true
        lastWords = nil
        isDraining = false
        isHeldBack = false
        renewal = .none
        spokenUnder = named
        isOverdue = false
        sentApart = [:]
        unsettledReports = []
        settleBy = .distantFuture
    }

    /// Whether its process has ended: what it sent last may still be read for a while, nothing renews its lease.
    var hasEnded: Bool { lastWords != nil }

    /// When its slots are freed, the front having been away for so long in all.
    func lostAt(after awayMilliseconds: Int64, lease: Int64) -> MonotonicTime {
        let end = leaseEnd.adding(milliseconds: givenBack(after: awayMilliseconds, lease: lease))
        guard let words = lastWords else { return end }
        let readUntil = words.readUntil.adding(milliseconds: awayMilliseconds - words.awayBefore)
        return min(end, readUntil)
    }

    /// How much later its slots are freed because the front was away since its latest renewal: at most one lease.
    func givenBack(after awayMilliseconds: Int64, lease: Int64) -> Int64 { min(lease, awayMilliseconds - awayAtRenewal) }

    /// Whether jobs may be given to it now.
    var takesJobs: Bool { isAttached && !hasEnded && !isDraining && !isHeldBack && !isOverdue && peer != .none }
}
