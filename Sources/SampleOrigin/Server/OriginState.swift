//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import NIOCore
import Synchronization

/// What all connections of one origin share: faults, counters, and which request each connection is at.
final class OriginState: Sendable {
    private struct Inner {
        var faults = FaultTable()
        var log = RequestLog()
        var exchanges: [ObjectIdentifier: OriginExchange] = [:]
        var onlookers: [Gate] = []
        var isStopping = false
    }

    private let inner = Mutex(Inner())

    var faults: [Fault] { inner.withLock { $0.faults.all } }
    var counters: [PathCounters] { inner.withLock { $0.log.all } }

    func counters(of path: String) -> PathCounters { inner.withLock { $0.log[path] } }

    func set(_ fault: Fault) {
        let gates = inner.withLock { $0.faults.set(fault) }
        for gate in gates { gate.open() }
    }

    /// Removes the fault of `path`, or all.
    func removeFaults(of path: String?) {
        let gates = inner.withLock { $0.faults.remove { path == nil || $0.path == path } }
        for gate in gates { gate.open() }
    }

    /// Counts a request and finds the fault that it meets.
    func begin(path: String, channel: any Channel) -> (exchange: OriginExchange, fault: (fault: Fault, removal: Gate)?) {
        let (exchange, fault, isStopping) = inner.withLock { inner in
            let exchange = OriginExchange(callID: inner.log.begin(path: path), channel: channel, state: self)
            inner.exchanges[ObjectIdentifier(channel)] = exchange
            return (exchange, inner.faults.meet(path: path), inner.isStopping)
        }
        notifyOnlookers()
        if isStopping { exchange.cut() }
        if !channel.isActive { connectionClosed(ObjectIdentifier(channel)) }
        return (exchange, fault)
    }

    func sent(_ byteCount: Int, callID: UInt64) {
        inner.withLock { $0.log.sent(byteCount, callID: callID) }
    }

    func end(_ exchange: OriginExchange, _ ending: RequestLog.Ending) {
        let isFirst = inner.withLock { inner in
            let id = ObjectIdentifier(exchange.channel)
            if inner.exchanges[id] === exchange { inner.exchanges.removeValue(forKey: id) }
            return inner.log.end(exchange.callID, ending)
        }
        if isFirst { notifyOnlookers() }
    }

    /// The channel is gone. When it was not us, it was the client.
    func connectionClosed(_ channel: ObjectIdentifier) {
        guard let exchange = inner.withLock({ $0.exchanges[channel] }) else { return }
        end(exchange, .closedByClient)
        exchange.closed.open()
    }

    /// Cuts what is unfinished, now and from now on, so that no held or endless answer outlives the server, and ends what waits for counters.
    func stop() {
        let exchanges = inner.withLock { inner in
            inner.isStopping = true
            return Array(inner.exchanges.values)
        }
        for exchange in exchanges { exchange.cut() }
        notifyOnlookers()
    }

    /// Returns as soon as the counters reach `goal`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before, or the origin stops.
    func wait(for goal: CounterGoal) async throws -> PathCounters {
        while true {
            let gate = Gate()
            let (counters, isStopping) = inner.withLock { inner in
                let counters = inner.log[goal.path]
                if !goal.isReached(by: counters), !inner.isStopping { inner.onlookers.append(gate) }
                return (counters, inner.isStopping)
            }
            if goal.isReached(by: counters) { return counters }
            if isStopping { throw CancellationError() }
            try await gate.wait()
        }
    }

    private func notifyOnlookers() {
        let gates = inner.withLock { inner in
            defer { inner.onlookers = [] }
            return inner.onlookers
        }
        for gate in gates { gate.open() }
    }
}

/// The faults in force. A later fault of the same path replaces the earlier one.
struct FaultTable {
    private struct Entry {
        var fault: Fault
        /// Opens when the fault is replaced or removed; held answers wait for it.
        let removal: Gate
    }

    private var entries: [Entry] = []

    var all: [Fault] { entries.map(\.fault).sorted { $0.path < $1.path } }

    /// Returns the gates to open.
    mutating func set(_ fault: Fault) -> [Gate] {
        let removed = remove { $0.path == fault.path }
        entries.append(Entry(fault: fault, removal: Gate()))
        return removed
    }

    /// Returns the gates to open.
    mutating func remove(_ isRemoved: (Fault) -> Bool) -> [Gate] {
        let gates = entries.filter { isRemoved($0.fault) }.map(\.removal)
        entries.removeAll { isRemoved($0.fault) }
        return gates
    }

    /// The fault that a request of `path` meets now: the closest that matches. Counts it down.
    mutating func meet(path: String) -> (fault: Fault, removal: Gate)? {
        let matching = entries.indices.filter { entries[$0].fault.matches(path) }
        guard let index = matching.max(by: { entries[$0].fault.closeness < entries[$1].fault.closeness }) else { return nil }
        let entry = entries[index]
        if let times = entry.fault.times {
            if times > 1 { entries[index].fault.times = times - 1 } else { entries.remove(at: index) }
        }
        return (entry.fault, entry.removal)
    }
}

/// Something that opens once; everybody who waits for it, then or later, goes on.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    }

    private let state = Mutex(State())

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// - Throws: `CancellationError` when the task is cancelled before the gate opens.
    func wait() async throws {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isDone = state.withLock { state in
                    if !state.isOpen, !Task.isCancelled { state.waiters[number] = continuation }
                    return state.isOpen || Task.isCancelled
                }
                guard isDone else { return }
                if Task.isCancelled { continuation.resume(throwing: CancellationError()) } else { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
    }
}
