//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel

/// The first steps of the library's documentation, kept here so that they are compiled and run.
enum FirstSteps {
    /// One after another: a load by each way, one that cannot be, and what a feed shows until Ctrl-C.
    static func all() async throws(ClientError) {
        guard let key = FeedKey(text: "products?category=electronics"), let unknown = FeedKey(text: "nothing") else { return }
        try await loadElectronics()
        let client = try await GantryClient()
        await loadOrExplain(client, key)
        await loadOrExplain(client, unknown)
        try await watch(client, key)
    }

    /// Loads a feed and waits for the end of the job.
    static func load(_ key: FeedKey) async throws(ClientError) {
        let client = try await GantryClient()
        let answer = try await client.load(key)
        if let job = answer.job {
            let ended = try await client.wait(for: job)
            print(ended.state.name)
        }
        await client.close()
    }

    /// Loads a feed whose name stands in the program.
    static func loadElectronics() async throws(ClientError) {
        guard let key = FeedKey(name: "products", parameters: [.init(name: "category", value: "electronics")]) else { return }
        try await load(key)
    }

    /// Shows how many items a feed has, for as long as the client is open.
    static func watch(_ client: GantryClient, _ key: FeedKey) async throws(ClientError) {
        for await state in client.observe(.feed(key)) {
            if let failure = state.failure { throw failure }
            guard state.isVerified else { continue }
            print(state.feed?.content?.object.itemCount ?? 0)
        }
    }
}

/// A call that fails says what and what next.
func loadOrExplain(_ client: GantryClient, _ key: FeedKey) async {
    do {
        let answer = try await client.load(key)
        print(answer.feed)
    } catch {
        print(error.code, error.context, error.nextStep)
    }
}
