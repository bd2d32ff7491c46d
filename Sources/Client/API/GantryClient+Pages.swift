//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension GantryClient {
    /// Reads items as a view shows them. When the view has moved on while the page was read, its newer pair is read instead.
    ///
    /// - Parameters:
    ///   - offset: position of the first item in the view's order, from 0.
    ///   - limit: how many items at most, 1 to 1,000.
    /// - Throws: `notFound` when the feed has no content, `timedOut`, `cancelled`.
    public func page(
        of key: FeedKey, view name: String = "shared", offset: UInt64 = 0, limit: UInt32 = 50, timeout: Duration? = nil
    ) async throws(ClientError) -> FeedPage {
        try await withLimit(timeout ?? options.requestTimeout) { client throws(ClientError) in
            var view = try await client.view(key, name) { _ in true }
            while true {
                guard let shown = view, let pair = shown.pair else {
                    throw ClientError(.notFound, "\(key) has no content", nextStep: "load it with `gantry feed load \(key.name)`")
                }
                let refusal: ClientError
                do throws(ClientError) {
                    let reply = try await client.page(by: pair, offset: offset, limit: limit)
                    return FeedPage(items: reply.items, offset: offset, itemCount: reply.itemCount, pair: pair, view: shown)
                } catch {
                    guard error.code == ClientErrorCode(.unknownItem) else { throw error }
                    refusal = error
                }
                // The object may have been replaced and collected since. The change that says so can come after the page's answer.
                do throws(ClientError) {
                    view = try await client.withLimit(.seconds(2)) { client throws(ClientError) in
                        try await client.view(key, name) { $0?.pair != pair }
                    }
                } catch {
                    throw error.code == .timedOut ? refusal : error
                }
            }
        }
    }

    /// Reads items of exactly that content in that order.
    public func page(
        by pair: ViewPair, offset: UInt64 = 0, limit: UInt32 = 50, timeout: Duration? = nil
    ) async throws(ClientError) -> PageReply {
        let question = PageRequest(
            number: 0, content: pair.content.digest, order: pair.order?.digest, offset: offset, limit: min(max(limit, 1), 1_000),
            token: options.token)
        guard case .page(let reply) = try await driver.ask(within: timeout ?? options.requestTimeout, { .page($0, question) }) else {
            throw Self.unexpected
        }
        if let failure = reply.failure { throw ClientError(failure) }
        return reply
    }

    /// A topic's first state that is proven.
    public func current(_ topic: Topic, timeout: Duration? = nil) async throws(ClientError) -> TopicState {
        try await withLimit(timeout ?? options.requestTimeout) { client throws(ClientError) in
            for await state in client.observe(topic) {
                if let failure = state.failure { throw failure }
                if state.isVerified { return state }
            }
            throw Task.isCancelled ? ClientDesk.cancelled : SessionMachine.isClosed
        }
    }

    /// A view's first proven state that is wanted; nil where the front has no such view.
    private func view(
        _ key: FeedKey, _ name: String, where isWanted: @Sendable (ViewState?) -> Bool
    ) async throws(ClientError) -> ViewState? {
        for await state in observe(.view(key, name)) {
            if let failure = state.failure { throw failure }
            if state.isVerified, isWanted(state.view) { return state.view }
        }
        throw Task.isCancelled ? ClientDesk.cancelled : SessionMachine.isClosed
    }
}
