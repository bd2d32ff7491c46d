//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryModel
import GantryWorker
import NIOCore
import NIOPosix
import Testing

@testable import GantryFeedLoaders
@testable import Loaders

@Suite("Connections that are never made", .timeLimit(.minutes(5)))
struct HangingConnectionTests {
    /// Far above what a busy machine needs, far below the connect time-out.
    private let soon = Duration.seconds(15)
    private let connectTime = Duration.seconds(60)

    private func settings(_ scheme: String, _ port: Int, total: Duration = .seconds(600)) -> LoaderSettings {
        .at(port, "/x") {
            $0.source = URLTemplate("\(scheme)://127.0.0.1:\(port)/x").map { .http(HTTPSource(url: $0, items: .at(""))) }
            $0.http.totalTimeout = total
            $0.http.connectTimeout = connectTime
        }
    }

    private func loader(_ bench: LoaderBench, _ port: Int, _ closing: ClosingClients = ClosingClients()) -> HTTPLoader {
        var policy = HTTPPolicy.local(port)
        policy.limits.connectTimeout = connectTime
        policy.limits.totalTimeout = .seconds(600)
        return HTTPLoader(cache: bench.cache, policy: policy, closing: closing, resolve: HostResolver().addresses)
    }

    /// A server that takes connections and never says anything, and what tells that one came.
    private func silentServer() async throws -> (channel: any Channel, port: Int, came: AsyncStream<Void>) {
        let (came, input) = AsyncStream.makeStream(of: Void.self)
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                input.yield()
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return (channel, channel.localAddress?.port ?? 0, came)
    }

    @Test("a cancel is on time while TLS is not answered, whatever the connect time-out")
    func cancelled() async throws {
        let server = try await silentServer()
        let bench = try LoaderBench()
        let closing = ClosingClients()
        let work = try bench.work(.load, settings("https", server.port))
        let task = Task { try await bench.run(loader(bench, server.port, closing), work) }
        _ = await server.came.first { true }
        let clock = ContinuousClock()
        let begun = clock.now
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.now - begun < soon)
        #expect(closing.count == 1, "its connection is still being made")
        try await server.channel.close()
    }

    @Test("the total time-out is on time while the connection is not answered at all")
    func timedOut() async throws {
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 0)
            .serverChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = server.localAddress?.port ?? 0
        // Nobody takes these: once the system's queue is full it answers no further one.
        var queued: [any Channel] = []
        while queued.count < 16 {
            let one = try? await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(.milliseconds(500)).connect(host: "127.0.0.1", port: port).get()
            guard let one else { break }
            queued.append(one)
        }
        try #require(queued.count < 16)
        let bench = try LoaderBench()
        let clock = ContinuousClock()
        let begun = clock.now
        let failure = await bench.failure(loader(bench, port), try bench.work(.load, settings("http", port, total: .milliseconds(200))))
        #expect(failure?.code == .timedOut)
        #expect(failure?.text.contains("took longer than 0.2 s") == true)
        #expect(clock.now - begun < soon)
        for channel in queued { try await channel.close() }
        try await server.close()
    }

    @Test("connections that are still being made for jobs that have ended are bounded: the next transfer is refused at once")
    func bounded() async throws {
        let server = try await silentServer()
        var transfer = HTTPTransfer(
            policy: .local(server.port), limits: HTTPLimits(connectTimeout: connectTime), bound: BodyBound(list: HTTPLimits()),
            resolve: HostResolver().addresses)
        transfer.closing = ClosingClients(limit: 1)
        let target = try HTTPTarget("https://127.0.0.1:\(server.port)/x")
        let hanging = transfer
        let sink = HTTPTransfer.Sink { _ in
        } take: { _, _, _ in
        }
        let fetch: @Sendable () async throws -> Void = {
            try await hanging.timed(target) { try await hanging.fetch(target, $0, into: sink) }
        }
        let task = Task { try await fetch() }
        _ = await server.came.first { true }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let refused = await #expect(throws: LoaderFailure.self) { try await fetch() }
        #expect(refused?.code == .busy && refused?.retryable == true)
        #expect(refused?.text.contains("1 connections of earlier jobs are still being made") == true)
        try await server.channel.close()
    }
}
