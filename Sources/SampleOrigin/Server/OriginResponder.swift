//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers every request: control paths at once, all others counted and with the faults they meet.
struct OriginResponder: HTTPResponder {
    let state: OriginState
    /// The address to name when a request names none.
    let address: String

    func respond(to request: Request, context: OriginContext) async throws -> Response {
        let path = request.uri.path.removingPercentEncoding ?? request.uri.path
        if let answer = try await OriginControl(state: state).respond(to: request, path: path) { return answer }

        let (exchange, met) = state.begin(path: path, channel: context.channel)
        if let delay = met?.fault.delaySeconds { try await exchange.pause(until: .now + .seconds(delay)) }
        if let met, met.fault.holdAfterBytes == 0 { try await exchange.hold(until: met.removal) }

        let content = met?.fault.applied(to: content(of: request, path: path)) ?? self.content(of: request, path: path)
        return response(content) { writer in
            let body = OriginBody(content: content, fault: met?.fault, removal: met?.removal, exchange: exchange)
            try await body.write(to: &writer)
            try await writer.finish(nil)
            exchange.finish()
        }
    }

    private func content(of request: Request, path: String) -> OriginContent {
        guard request.method == .get else {
            return .failure(405, code: "methodNotAllowed", "\(request.method) is not known at \(path): use GET")
        }
        let query = Dictionary(
            request.uri.queryParameters.map { (String($0.key), String($0.value)) }, uniquingKeysWith: { first, _ in first })
        return OriginRoute.content(path: path, query: query, base: "http://\(request.head.authority ?? address)")
    }

    private func response(
        _ content: OriginContent, write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        var headers: HTTPFields = [.contentType: content.contentType, .cacheControl: "no-store"]
        if content.byteCount == nil { headers[.transferEncoding] = "chunked" }
        return Response(
            status: .init(code: content.status), headers: headers, body: ResponseBody(contentLength: content.byteCount, write))
    }
}

/// Sends a body piece by piece, as fast and as far as a fault lets it.
struct OriginBody {
    let content: OriginContent
    let fault: Fault?
    let removal: Gate?
    let exchange: OriginExchange

    /// The largest piece between two looks at the rate, as a part of a second.
    private static let slicesPerSecond = 20

    func write(to writer: inout any ResponseBodyWriter) async throws {
        let start = ContinuousClock.now
        var sent = 0
        try await stopIfDue(sent)
        for index in 0..<content.pieceCount {
            var rest = content.piece(index)[...]
            while !rest.isEmpty {
                if let rate = fault?.bytesPerSecond {
                    try await exchange.pause(until: start + .seconds(Double(sent) / Double(rate)))
                }
                let slice = rest.prefix(largestSlice(after: sent))
                try await writer.write(ByteBuffer(bytes: slice))
                rest = rest.dropFirst(slice.count)
                sent += slice.count
                exchange.sent(slice.count)
                try await stopIfDue(sent)
            }
        }
    }

    private func largestSlice(after sent: Int) -> Int {
        var size = Int.max
        if let rate = fault?.bytesPerSecond { size = min(size, max(1, rate / Self.slicesPerSecond)) }
        for stop in [fault?.cutAfterBytes, fault?.holdAfterBytes] {
            if let stop, stop > sent { size = min(size, stop - sent) }
        }
        return size
    }

    private func stopIfDue(_ sent: Int) async throws {
        if sent > 0, fault?.holdAfterBytes == sent, let removal { try await exchange.hold(until: removal) }
        if fault?.cutAfterBytes == sent {
            exchange.cut()
            throw OriginExchange.Closed()
        }
    }
}

/// The context of a request: what Hummingbird keeps, and the connection.
struct OriginContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

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
