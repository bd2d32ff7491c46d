//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import SampleOrigin

/// The feed `items` that measurements load, and its origin.
enum MeasuredFeed {
    /// Its key.
    static let key: FeedKey = {
        guard let key = FeedKey(name: "items") else { preconditionFailure("items is a feed's name") }
        return key
    }()

    /// Runs `body` while the sample origin serves in this process, at a port that the system chooses.
    static func withOrigin<Value: Sendable>(_ body: @escaping @Sendable (_ port: Int) async throws -> Value) async throws -> Value {
        let (ports, sink) = AsyncStream.makeStream(of: Int.self)
        let server = OriginServer(OriginConfiguration(port: 0)) { port in
            sink.yield(port)
            sink.finish()
        }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await server.run()
                return nil
            }
            group.addTask {
                for await port in ports { return try await body(port) }
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() { if let result { return result } }
            throw MeasuringError(.notStarted, "the origin ended before the measurement")
        }
    }
}
