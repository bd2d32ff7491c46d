//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel

extension GantryClient {
    /// Reads items as a view shows them. When the view has moved on while the page was read, its newer pair is read instead. A view that
    /// nobody has made yet shows what it would begin with: the order of `shared`, without its filter.
    ///
    /// - Parameters:
    ///   - offset: position of the first item in the view's order, from 0.
    ///   - limit: how many items at most, 1 to 1,000.
    /// - Throws: `notFound` when the feed has no content, `timedOut`, `cancelled`.
    public func page(
        of key: FeedKey, view name: String = ViewName.shared, offset: UInt64 = 0, limit: UInt32 = 50, timeout: Duration? = nil
    ) async throws(ClientError) -> FeedPage {
        try await withLimit(timeout ?? options.requestTimeout, awaiting: "a page of \(key)") { client throws(ClientError) in
            var state = try await client.view(key, name) { _ in true }
            while true {
                let (place, shown): (FeedKey, ViewState)
                place = state.feedKey ?? key
                if let view = state.view { shown = view } else { shown = try await client.newView(of: place, name) }
                guard let revision = shown.revision else { throw try await client.noContent(of: place) }
                let refusal: ClientError
                do throws(ClientError) {
                    let reply = try await client.page(by: revision, offset: offset, limit: limit)
                    return FeedPage(
                        feed: place, items: reply.items, offset: offset, itemCount: reply.itemCount, revision: revision, view: shown)
                } catch {
                    guard error.code == ClientErrorCode(.unknownItem) else { throw error }
                    refusal = error
                }
                // The object may have been replaced and collected since. The change that says so can come after the page's answer.
                do throws(ClientError) {
                    state = try await client.withLimit(.seconds(2), awaiting: "another content of \(key)") { client throws(ClientError) in
                        try await client.view(key, name) { $0?.revision != revision }
                    }
                } catch {
                    throw error.code == .timedOut ? refusal : error
                }
            }
        }
    }

    /// Reads items of exactly that content in that order.
    package func page(
        by revision: ViewRevision, offset: UInt64 = 0, limit: UInt32 = 50, timeout: Duration? = nil
    ) async throws(ClientError) -> PageReply {
        let question = PageRequest(
            number: 0, content: revision.content.digest, order: revision.order?.digest, offset: offset,
            limit: min(max(limit, 1), UInt32(MessageBounds.pageItems)))
        return try await answer(to: question, timeout)
    }

    private func answer(to asked: PageRequest, _ timeout: Duration?) async throws(ClientError) -> PageReply {
        var question = asked
        question.token = options.token
        let reply = try await ask(.page(question), timeout)
        if let failure = reply.failure { throw ClientError(failure) }
        return reply
    }

    /// Reads the detail of a view's selected item, also one that is too large to be in the view's state; nil: there is none.
    ///
    /// - Parameter limit: most bytes to hold in memory; nil: as many as the front stores, which are 64 MiB.
    /// - Throws: `tooLarge` over the limit, `unknownItem` when another detail has taken its place, `storageFailed`, `timedOut`, `cancelled`.
    public func detail(
        of view: ViewState, limit: Int? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> [UInt8]? {
        switch view.detail {
        case .idle, .loading, .failed: return nil
        case .loaded(let text): return text
        case .stored(let object): return try await bytes(of: object, limit: limit ?? MessageBounds.storedDetailByteCount, timeout)
        }
    }

    private func bytes(of object: ObjectReference, limit: Int, _ timeout: Duration?) async throws(ClientError) -> [UInt8] {
        guard object.byteCount <= UInt64(max(limit, 0)) else {
            throw ClientError(
                .tooLarge, "the detail has \(object.byteCount) bytes (limit \(limit))",
                nextStep: "choose an address for details that answers with less")
        }
        var read: [UInt8] = []
        read.reserveCapacity(Int(object.byteCount))
        while read.count < Int(object.byteCount) {
            var question = PageRequest(
                number: 0, content: object.digest, offset: UInt64(read.count), limit: UInt32(MessageBounds.partByteCount))
            question.readsBytes = true
            let reply = try await answer(to: question, timeout)
            guard !reply.data.isEmpty else { throw Self.unexpected }
            read += reply.data
        }
        return read
    }

    /// A topic's first state that is verified.
    public func current(_ topic: Topic, timeout: Duration? = nil) async throws(ClientError) -> TopicState {
        try await withLimit(timeout ?? options.requestTimeout, awaiting: "a verified state of \(topic)") { client throws(ClientError) in
            if case .view(_, let name) = topic { try Self.checkView(name) }
            for await state in client.observe(topic) {
                if let failure = state.failure { throw failure }
                if state.isVerified { return state }
            }
            throw Task.isCancelled ? ClientCalls.cancelled : SessionMachine.isClosed
        }
    }

    /// A front says nothing of what is no view.
    private static func checkView(_ name: String) throws(ClientError) {
        guard !PlainName.isName(name) else { return }
        throw ClientError(
            .invalidInput, "\"\(name.cut(to: 80))\" names no view: \(PlainName.rule)",
            nextStep: "write it in small letters, digits and hyphens, such as \"mine\"")
    }

    /// What a view that nobody has made begins with; without content where the feed has none.
    private func newView(of key: FeedKey, _ name: String) async throws(ClientError) -> ViewState {
        var view = ViewState(name: name)
        let shared = try await current(.view(key, ViewName.shared)).view
        view.sort = shared?.sort
        if let revision = shared?.revision, revision.filter.isEmpty {
            view.revision = revision
        } else if let content = try await current(.feed(key)).feed?.content {
            view.revision = ViewRevision(content: content.object, order: nil, version: content.version, sort: nil, filter: "")
        }
        return view
    }

    /// Why nothing can be read of a feed without content.
    private func noContent(of key: FeedKey) async throws(ClientError) -> ClientError {
        ClientError(noContentOf: key, try await current(.feed(key)).feed)
    }

    /// The first verified state of a view's topic whose view is wanted; it has none where the front has no such view.
    private func view(
        _ key: FeedKey, _ name: String, where isWanted: @Sendable (ViewState?) -> Bool
    ) async throws(ClientError) -> TopicState {
        try Self.checkView(name)
        for await state in observe(.view(key, name)) {
            if let failure = state.failure { throw failure }
            if state.isVerified, isWanted(state.view) { return state }
        }
        throw Task.isCancelled ? ClientCalls.cancelled : SessionMachine.isClosed
    }
}

extension ClientError {
    /// Why nothing can be read of a feed without content: one whose items people add may have no source to load from.
    init(noContentOf key: FeedKey, _ feed: FeedState?) {
        let load = "load it with `gantry feed load \(key.shellWord)`"
        let isEditable = feed?.isEditable ?? false
        let create = "add an item with `gantry feed create \(key.shellWord) --item '{\"title\":\"…\"}'`"
        let beginning = isEditable ? "\(create), or \(load) if it has a source" : load
        guard let failure = feed?.failure else {
            self.init(.notFound, "\(key) has no content yet", nextStep: beginning)
            return
        }
        if failure.reportsDamage {
            // No load has failed: the content is lost, and repeating a request does not bring a list of a user's own back.
            let nextStep = isEditable ? "check the disk, then begin anew: \(beginning)" : beginning
            self.init(.notFound, "\(key) has no content: \(failure.text)", nextStep: nextStep)
        } else {
            self.init(
                .notFound, "\(key) has no content yet, for its load failed: \(failure.text)",
                nextStep: failure.nextStepAtSource(of: key) ?? "correct that, then repeat it with `gantry feed retry \(key.shellWord)`")
        }
    }
}

/// Items of a feed as a view shows them.
public struct FeedPage: Hashable, Sendable {
    /// The feed, with the defaults of its parameters filled in.
    public var feed: FeedKey
    /// Each item as JSON text, in the view's order.
    public var items: [[UInt8]]
    /// The first item's position.
    public var offset: UInt64
    /// How many items the view has in all.
    public var itemCount: UInt64
    /// What the page was read by.
    public var revision: ViewRevision
    /// The view that named it.
    public var view: ViewState
}
