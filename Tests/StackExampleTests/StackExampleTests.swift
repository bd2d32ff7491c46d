//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Loading
import SampleOrigin
import Synchronization
import Testing

@testable import StackExample

@MainActor
@Suite("The example of all decorators", .timeLimit(.minutes(5)))
struct StackExampleTests {
    @Test("the list fails as often as the origin was told, is loaded with progress then, and is drawn in each state")
    func flakyList() async throws {
        try await withOrigin { origin in
            let loader = HTTPItems(url: origin.list)
            let view = ItemsView.make(of: loader)
            let host = ViewHost { view }
            #expect(host.render() == ["Nothing loaded."])
            try await origin.arm(failures: 1)
            await loader.load()
            #expect(loader.currentState.error as? StatusError == StatusError(status: 503))
            #expect(host.render() == ["The origin answered with status 503.", "[1] Retry"])
            try await origin.disarm()
            var drawn: [[String]] = []
            host.onChange = { drawn.append(host.render()) }
            await loader.load()
            let items = try #require(loader.currentState.value)
            #expect(items.count == 100)
            #expect(host.render() == items.prefix(3).map { "• " + $0.title } + ["100 items"])
            host.onChange = nil
        }
    }

    @Test("the stack of the example loads, and its order is the one that the guide recommends")
    func stack() async throws {
        try await withOrigin { origin in
            let stack = await Show(title: "http", base: HTTPItems(url: origin.list)).stack()
            await stack.load()
            for await state in stack.state where state.value != nil { break }
            #expect(stack.currentState.value?.count == 100)
        }
    }

    /// Runs an origin on a port that is free.
    private func withOrigin(_ body: @MainActor (FlakyOrigin) async throws -> Void) async throws {
        let started = StateRelay<Int?>(nil)
        let server = OriginServer(OriginConfiguration(port: 0)) { started.update($0) }
        let running = Task { try await server.run() }
        var port = 0
        for await known in started.stream {
            if let known {
                port = known
                break
            }
        }
        try await body(FlakyOrigin(address: "http://127.0.0.1:\(port)"))
        running.cancel()
        _ = await running.result
    }
}
