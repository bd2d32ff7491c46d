//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import AsyncHTTPClient
import Foundation
import GantryModel
import NIOCore
import NIOHTTP1
import Testing

@testable import SampleOrigin

@Suite("The origin as a server", .timeLimit(.minutes(5)))
struct OriginServerTests {
    @Test("a long list arrives whole, with its length announced")
    func longList() async throws {
        try await RunningOrigin.with { origin in
            let answer = try await origin.send("GET", "/items?parameter=a%20b&count=20000")
            let announced = answer.headers.first(name: "content-length")
            let body = try await answer.body.collect(upTo: 1 << 28)
            let expected = SampleItems(parameter: "a b", count: 20_000).content
            #expect(announced == String(body.readableBytes))
            #expect(body.readableBytes == expected.byteCount)
            #expect(Array(body.readableBytesView.prefix(100)) == Array(expected.piece(0).prefix(100)))
            #expect(try await origin.server.counters(of: "/items", finished: 1).bytesSent == body.readableBytes)
        }
    }

    @Test(
        "each path answers with its status",
        arguments: [
            ("GET", "/items", 200), ("GET", "/items/0000042", 200), ("GET", "/items/0", 404), ("GET", "/products", 200),
            ("GET", "/products/3", 200), ("GET", "/products/99", 404), ("GET", "/todos", 200), ("GET", "/todos/30", 200),
            ("GET", "/images/any%20id", 200), ("GET", "/nowhere", 404), ("GET", "/items?count=x", 400), ("POST", "/todos", 405),
            ("GET", "/health", 200), ("GET", "/faults", 200), ("GET", "/counters", 200), ("POST", "/counters", 405),
        ])
    func statuses(method: String, path: String, status: Int) async throws {
        try await RunningOrigin.with { origin in
            let answer = try await origin.send(method, path)
            #expect(answer.status.code == status)
        }
    }

    @Test("addresses of images lead to the origin that named them")
    func imageAddresses() async throws {
        struct Product: Decodable { let image: String }
        try await RunningOrigin.with { origin in
            let product = try JSONDecoder().decode(Product.self, from: try await origin.read("/products/1"))
            #expect(product.image == origin.base + "/images/product-1")
            let answer = try await origin.send("GET", "/images/product-1")
            #expect(answer.headers.first(name: "content-type") == "image/svg+xml")
        }
    }

    @Test("a taken port is an error that names the address and the option")
    func portTaken() async throws {
        try await RunningOrigin.with { origin in
            let port = try #require(URL(string: origin.base)?.port)
            let error = await #expect(throws: OriginError.self) {
                try await OriginServer(OriginConfiguration(port: port)).run()
            }
            #expect(error?.code == .portTaken)
            #expect(error?.description.contains("127.0.0.1:\(port)") == true)
            #expect(error?.description.contains("--port 0") == true)
        }
    }

    @Test("an origin that is stopped does not wait for counters that somebody waits for, nor for those that are asked for then")
    func stopsWhileCounted() async throws {
        let state = OriginState()
        let waiting = Task { try await state.wait(for: CounterGoal(path: "/items", requests: 1)) }
        state.stop()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await #expect(throws: CancellationError.self) { try await state.wait(for: CounterGoal(path: "/items", requests: 1)) }
        #expect(try await state.wait(for: CounterGoal(path: "/items")).requests == 0)
    }

    @Test("an origin that is stopped does not wait for an answer that never ends")
    func stopsWhileHolding() async throws {
        let held = try await RunningOrigin.with { origin in
            var fault = Fault(path: "/items")
            fault.holdAfterBytes = 0
            try origin.server.set(fault)
            let request = Task { try await HTTPClient.shared.execute(HTTPClientRequest(url: origin.base + "/items"), timeout: .hours(1)) }
            _ = try await origin.server.counters(of: "/items", inFlight: 1)
            return request
        }
        await #expect(throws: (any Error).self) { try await held.value }
    }
}
