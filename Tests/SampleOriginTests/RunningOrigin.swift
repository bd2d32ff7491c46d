//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import SampleOrigin
import ServiceLifecycleTestKit

/// An origin on a free port for one test.
struct RunningOrigin: Sendable {
    let server: OriginServer
    let base: String

    /// Runs `body` while the origin listens; both have ended when this returns.
    ///
    /// The origin is shut down, not cancelled: a connection that is accepted just then would end the process (swift-nio issue 3481).
    static func with<Value: Sendable>(_ body: @escaping @Sendable (RunningOrigin) async throws -> Value) async throws -> Value {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = OriginServer(OriginConfiguration(port: 0)) { port.yield($0) }
        return try await testGracefulShutdown { shutdown in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                let port = try await first(of: ports)
                defer { shutdown.triggerGracefulShutdown() }
                return try await body(RunningOrigin(server: server, base: "http://127.0.0.1:\(port)"))
            }
        }
    }

    static func first(of ports: AsyncStream<Int>) async throws -> Int {
        for await port in ports { return port }
        throw CancellationError()
    }

    func send(_ method: String = "GET", _ path: String, body: String? = nil) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: base + path)
        request.method = .RAW(value: method)
        if let body { request.body = .bytes(Array(body.utf8)) }
        // The one of the whole process: it need not be shut down, also where a test has had its time.
        return try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    }

    func read(_ path: String) async throws -> Data {
        Data(buffer: try await send("GET", path).body.collect(upTo: 1 << 30))
    }
}
