//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The pages that are being read, and whether one more may be begun beside them.
///
/// A few are read at a time, for more would only share the cores. A read that is slow waits for its disk: it keeps no other one from being begun,
/// up to a bound. A process has fewer of them than are read at a time, so that one whose pages hang delays nobody else at all; and some of the
/// places are kept for who has none, since over TCP a process with many connections counts as many.
/// Times are those of one clock, given by the caller.
struct PagesUnderWay {
    private struct Key: Hashable {
        let client: PageClient
        let number: UInt64
    }

    /// Reads that are begun beside each other while none of them is slow.
    static var quickLimit: Int { 4 }
    /// Reads of one process.
    static var ownerLimit: Int { 3 }
    /// Reads in all, those that hang included: each keeps a thread.
    static var limit: Int { 32 }
    /// How many of them are left to who has none.
    static var reserve: Int { 8 }
    /// After that time a read is slow: one from memory takes less than a millisecond.
    static var slow: Duration { .milliseconds(50) }

    private var begunAt: [Key: MonotonicTime] = [:]
    private var counts: [PageClient.Owner: Int] = [:]

    /// Whether that request is being read: a repeat is answered with it.
    func contains(_ number: UInt64, of client: PageClient) -> Bool { begunAt[Key(client: client, number: number)] != nil }

    /// Whether another read of the client may begin.
    func hasPlace(for client: PageClient) -> Bool {
        let own = counts[client.owner, default: 0]
        guard own > 0 else { return true }
        guard begunAt.count < Self.limit - Self.reserve else { return false }
        return own < Self.ownerLimit
    }

    /// Whether another read may begin.
    func hasPlace(at now: MonotonicTime) -> Bool {
        begunAt.count < Self.limit && begunAt.values.count { now.duration(since: $0) < Self.slow } < Self.quickLimit
    }

    /// When another one may begin though none has ended; nil: not before one ends.
    func nextPlaceAt(_ now: MonotonicTime) -> MonotonicTime? {
        guard begunAt.count < Self.limit else { return nil }
        return begunAt.values.map { $0.advanced(by: Self.slow) }.filter { $0 > now }.min()
    }

    /// A read begins.
    mutating func begin(_ number: UInt64, of client: PageClient, at now: MonotonicTime) {
        begunAt[Key(client: client, number: number)] = now
        counts[client.owner, default: 0] += 1
    }

    /// A read has ended.
    mutating func end(_ number: UInt64, of client: PageClient) {
        guard begunAt.removeValue(forKey: Key(client: client, number: number)) != nil else { return }
        let left = counts[client.owner, default: 0] - 1
        counts[client.owner] = left > 0 ? left : nil
    }
}
