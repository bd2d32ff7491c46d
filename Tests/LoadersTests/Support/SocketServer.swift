//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import NIOCore
import NIOPosix
import Synchronization

/// Answers each connection's first request with bytes by its path, and says when connections are asked and closed.
final class SocketServer: Sendable {
    /// What a path answers.
    enum Answer: Sendable {
        /// These bytes, then the connection is closed.
        case whole(String)
        /// These bytes, and no more; the connection stays open.
        case hanging(String)
        /// These bytes, and the rest when that has come; then the connection is closed.
        case held(String, until: EventLoopFuture<Void>, then: String)
        /// These bytes again and again after the head, for as long as they are read.
        case endless(head: String, part: String)
    }

    /// The port of 127.0.0.1 that it listens at.
    let port: Int
    private let channel: any Channel
    private let seen = Mutex<[String]>([])
    private let asked: AsyncStream<String>
    private let closed: AsyncStream<String>

    init(_ answers: [String: Answer]) async throws {
        let (asked, askedInput) = AsyncStream.makeStream(of: String.self)
        let (closed, closedInput) = AsyncStream.makeStream(of: String.self)
        (self.asked, self.closed) = (asked, closed)
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SocketAnswerer(answers, asked: askedInput, closed: closedInput))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async throws { try await channel.close() }

    /// Waits until a request has come; answers its head.
    func nextRequest() async -> String? { await asked.first { _ in true } }

    /// Waits until a connection has been closed by the other side; answers the path that it had asked.
    func nextClose() async -> String? { await closed.first { _ in true } }

    static func ok(_ body: String, headers: String = "") -> Answer {
        .whole("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
    }

    static func redirect(_ location: String) -> Answer {
        .whole("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
    }
}
