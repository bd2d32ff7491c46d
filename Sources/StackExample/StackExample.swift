//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Foundation
import Loading
import Model

/// Stacks all decorators over a list that fails four times, and draws it live: once loaded in this process over HTTP, once by a front.
///
/// `swift run StackExample http` needs `gantry sample-origin`, `swift run StackExample feed` needs `gantry up`.
@main
@MainActor
struct StackExample {
    static func main() async {
        do {
            try await run()
        } catch let error as ClientError {
            // Two lines and the code, as the command line ends.
            end(with: error.summary, next: error.nextStep, code: error.code.exitCode)
        } catch {
            end(with: error.localizedDescription, next: "start `gantry up`, or name the origin with GANTRY_ORIGIN", code: 3)
        }
    }

    private static func end(with message: String, next: String, code: Int32) -> Never {
        let lines = ["error: \(message)", next.isEmpty ? nil : "next:  \(next)"].compactMap { $0 }
        FileHandle.standardError.write(Data((lines.joined(separator: "\n") + "\n").utf8))
        exit(code)
    }

    private static func run() async throws {
        let origin = FlakyOrigin(address: ProcessInfo.processInfo.environment["GANTRY_ORIGIN"] ?? "http://127.0.0.1:7711")
        switch CommandLine.arguments.dropFirst().first {
        case "http":
            try await origin.arm(failures: 4)
            try await Show(title: "http", base: HTTPItems(url: origin.list)).run()
            try await origin.disarm()
        case "feed":
            let client = try await GantryClient()
            guard let key = FeedKey(text: "items?parameter=sample&count=100") else { return }
            try await origin.arm(failures: 4)
            try await Show(title: "feed", base: items(client, key)).run()
            try await origin.disarm()
            await client.close()
        default:
            print("usage: StackExample http | feed    (GANTRY_ORIGIN names the origin, GANTRY_URL the front)")
        }
    }

    static func items(_ client: GantryClient, _ key: FeedKey) -> RemoteFeed<[Item]> {
        let items = RemoteFeed(client, key, limit: 100, decoding: Item.self)
        return items
    }
}
