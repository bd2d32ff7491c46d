//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Foundation
import Loading
import Model

/// Stacks all decorators over a list that fails four times, and draws it live: once loaded in this process over HTTP, once by a front.
///
/// `swift run StackExample http` needs `gantry origin`, `swift run StackExample feed` needs `gantry up`.
@main
@MainActor
struct StackExample {
    static func main() async throws {
        let place = ProcessInfo.processInfo.environment["GANTRY_URL"] ?? "\(NSHomeDirectory())/.local/state/gantry"
        let origin = FlakyOrigin(address: ProcessInfo.processInfo.environment["GANTRY_ORIGIN"] ?? "http://127.0.0.1:7711")
        switch CommandLine.arguments.dropFirst().first {
        case "http":
            try await origin.arm(failures: 4)
            try await Show(title: "http", base: HTTPItems(url: origin.list)).run()
            try await origin.disarm()
        case "feed":
            let client = try await GantryClient(connect: Endpoint(place))
            guard let key = FeedKey(text: "items?parameter=sample&count=100") else { return }
            try await origin.arm(failures: 4)
            try await Show(title: "feed", base: items(client, key)).run()
            try await origin.disarm()
            await client.close()
        default:
            print("usage: StackExample http | feed    (GANTRY_ORIGIN, GANTRY_URL name the origin and the front)")
        }
    }

    static func items(_ client: GantryClient, _ key: FeedKey) -> RemoteFeed<[Item]> {
        let items = RemoteFeed(client, key, limit: 100, decoding: Item.self)
        return items
    }
}
