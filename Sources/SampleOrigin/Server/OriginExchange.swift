//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import NIOCore

/// One request and its answer on their way.
final class OriginExchange: Sendable {
    /// The connection went away before the answer was sent.
    struct Closed: Error {}

    let callID: UInt64
    let channel: any Channel
    /// Opens when the connection is gone.
    let closed = Gate()
    private let state: OriginState

    init(callID: UInt64, channel: any Channel, state: OriginState) {
        self.callID = callID
        self.channel = channel
        self.state = state
    }

    func sent(_ byteCount: Int) {
        state.sent(byteCount, callID: callID)
    }

    func finish() {
        state.end(self, .finished)
    }

    /// Closes the connection from our side.
    func cut() {
        state.end(self, .cut)
        closed.open()
        channel.close(promise: nil)
    }

    /// Waits until `deadline`, at most until the connection is gone.
    ///
    /// - Throws: `Closed` when the connection goes first.
    func pause(until deadline: ContinuousClock.Instant) async throws {
        guard deadline > .now else { return }
        try await unlessClosed { try await ContinuousClock().sleep(until: deadline) }
    }

    /// Waits until `gate` opens, at most until the connection is gone.
    ///
    /// - Throws: `Closed` when the connection goes first.
    func hold(until gate: Gate) async throws {
        try await unlessClosed { try await gate.wait() }
    }

    private func unlessClosed(_ wait: @escaping @Sendable () async throws -> Void) async throws {
        let closed = closed
        let isClosed = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await wait()
                return false
            }
            group.addTask {
                try await closed.wait()
                return true
            }
            let first = try await group.next()
            group.cancelAll()
            return first ?? true
        }
        if isClosed { throw Closed() }
    }
}

/// Tells when a connection is gone, also while an answer is waited for.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let state: OriginState

    init(state: OriginState) {
        self.state = state
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // A client that closes sends the same as one that closes only its own direction, and no real client does the latter:
        // without this a closed connection would look alive until the next write.
        context.channel.setOption(.allowRemoteHalfClosure, value: false).whenFailure { _ in }
    }

    func channelInactive(context: ChannelHandlerContext) {
        state.connectionClosed(ObjectIdentifier(context.channel))
        context.fireChannelInactive()
    }
}
