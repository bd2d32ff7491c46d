//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import GantryPackedColumns
import GantryPlatform
import GantryWire
import GantryZMQ

/// One client that keeps a number of no-op jobs under way, on the calling thread.
struct JobsClient {
    private var loop: ClientLoop<SocketTransport, SystemClientClock, WireCodec>
    private let clock = SystemClientClock()
    private let payload: [UInt8]
    private let limits: MeasuredLimits
    /// Replies to requests beside the submits.
    private var replies = 0
    /// How many jobs one call submits; the last one may be smaller.
    private let batch: Int
    private var nextCallID: UInt64 = 1
    /// How long a wait for outcomes lasts before it is looked whether the measurement is over.
    private static let lookNanoseconds: Int64 = 100_000_000
    /// When each batch was submitted, by its call id, until the ids are known.
    private var submitted: [UInt64: Int64] = [:]
    /// When each open job was submitted, by the low bits of its id: few are open at once.
    private var startedAt: [Int64] = []
    /// Outcomes that came before the acceptance of their job was seen.
    private var notices: [ClientNotice] = []
    /// Time from submitting to outcome, nanoseconds.
    private(set) var latencies: [Int64] = []
    private(set) var finished = 0
    /// Calls by which the jobs of this run were submitted.
    private(set) var calls = 0
    private(set) var failed = 0
    /// Jobs of all runs that have ended.
    private(set) var finishedInAll: UInt64 = 0

    init(requests: String, payloadByteCount: Int, batch: Int, limits: MeasuredLimits = .none) throws {
        (self.batch, self.limits) = (batch, limits)
        let (signal, seed) = (try EventSignal(), try SystemRandom.next())
        let transport = SocketTransport(context: try Context(), requests: requests, signal: signal)
        loop = ClientLoop(transport: transport, clock: clock, codec: WireCodec(), settings: SessionSettings(label: "bench", seed: seed))
        payload = Array(repeating: 0x78, count: payloadByteCount)
    }

    /// Sets the limit that the jobs count in, with room for all of them.
    /// - Throws: `CancellationError` once the measurement is over.
    mutating func setLimit() throws {
        loop.turn([.request(CallID(nextCallID), .limit(.set(MeasuredLimits.name, limits.rule)))], into: &notices)
        nextCallID += 1
        while replies == 0 {
            try Task.checkCancellation()
            loop.wait(until: MonotonicTime(nanoseconds: clock.now().nanoseconds + Self.lookNanoseconds))
            loop.turn([], into: &notices)
            take()
        }
    }

    /// Submits `count` jobs, never more than `window` open at once, and returns the seconds from the first to the last outcome.
    ///
    /// The window is filled again by whole batches: one that is filled up with each outcome that comes sends ever smaller requests, and measures
    /// what those cost.
    /// - Throws: `CancellationError` once the measurement is over, for example because a process has ended.
    mutating func run(count: Int, window: Int, until limitSeconds: Double) throws -> Double {
        latencies.removeAll(keepingCapacity: true)
        latencies.reserveCapacity(count)
        (finished, failed, calls) = (0, 0, 0)
        let batch = min(batch, window)
        var places = 1
        while places < window * 4 { places *= 2 }
        startedAt = Array(repeating: clock.now().nanoseconds, count: places)
        let begin = clock.now().nanoseconds
        var sent = 0
        while finished < count {
            try Task.checkCancellation()
            var commands: [ClientCommand] = []
            while sent < count, window - (sent - finished) >= min(batch, count - sent) {
                let size = min(batch, count - sent)
                commands.append(submit(size))
                sent += size
                calls += 1
            }
            loop.turn(commands, into: &notices)
            take()
            let maySubmit = sent < count && window - (sent - finished) >= min(batch, count - sent)
            if commands.isEmpty, !maySubmit, finished < count {
                // Where only outcomes are missing nothing is due, and a front that has died sends none: the end of the measurement is looked for.
                loop.wait(until: MonotonicTime(nanoseconds: clock.now().nanoseconds + Self.lookNanoseconds))
            }
            if Double(clock.now().nanoseconds - begin) / 1e9 > limitSeconds { break }
        }
        finishedInAll += UInt64(finished)
        return Double(clock.now().nanoseconds - begin) / 1e9
    }

    private mutating func submit(_ count: Int) -> ClientCommand {
        let callID = nextCallID
        nextCallID += 1
        submitted[callID] = clock.now().nanoseconds
        let arguments = PackedBytes(repeating: payload, count: count)
        return .submit(CallID(callID), JobBatch(loader: "noop", options: limits.options(ofCall: callID), reportsOutcomes: true, arguments))
    }

    private mutating func take() {
        let now = clock.now().nanoseconds
        for notice in notices {
            switch notice {
            case .accepted(let callID, let first, let count, _):
                guard let at = submitted.removeValue(forKey: callID.rawValue) else { continue }
                for offset in 0..<UInt64(count) { startedAt[place(of: first.rawValue + offset)] = at }
            case .ended(let ended):
                finished += ended.jobs.count
                for state in ended.states where state != .succeeded { failed += 1 }
                for job in ended.jobs { latencies.append(now - startedAt[place(of: job)]) }
            case .failed, .outcomeLost:
                finished += 1
                failed += 1
            case .replied: replies += 1
            case .opened, .availability, .refused, .sessionLost, .page, .topic, .topicFailed: continue
            }
        }
        notices.removeAll(keepingCapacity: true)
    }

    private func place(of job: UInt64) -> Int { Int(job & UInt64(startedAt.count - 1)) }
}
