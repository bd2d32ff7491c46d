//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel
import StateFormatting

/// What the verbs of `gantry feed` share: wait for the job, show progress, print the state.
struct FeedFollowing: Sendable {
    let client: GantryClient
    let options: FrontOptions

    /// Waits for the job of a request about the feed's content and prints what became of it.
    /// - Parameters:
    ///   - word: what was done; nil: what the job's operation says.
    ///   - dropped: the items of people's own that went with it.
    func finish(_ answer: FeedAnswer, _ word: String?, noWait: Bool, dropped: ManualItems? = nil) async throws {
        guard let job = answer.job else { return try await printFeed(answer, word, ended: nil, dropped: dropped) }
        if noWait { return try printAcceptance(job, answer) }
        let ended = try await options.followed(job, client, isNamed: false)
        if let failure = CommandFailure(ended) { throw failure }
        try await printFeed(answer, word, ended: ended)
    }

    /// The same for a load; one that needed no job found no source to ask.
    func finishLoad(_ answer: FeedAnswer, _ word: String, noWait: Bool) async throws {
        guard answer.job == nil else { return try await finish(answer, word, noWait: noWait) }
        let place = answer.feed
        let state = try await client.current(.feed(place))
        let count = counted(state.feed?.content?.object.itemCount ?? 0, "item")
        var shown = state.feed.map { ShownFeed($0, progress: state.progress) }
        shown?.joined = false
        try options.show(shown?.json.text ?? "{}", "\(place) has no source; it has \(count)\(change(of: state))")
        options.notice("add items with: gantry feed create \(place.shellWord) --item '{\"title\":\"…\"}'")
    }

    /// Waits for the job of a request about a view and prints the view.
    /// - Parameters:
    ///   - word: what was asked for; nil: what the job's operation says.
    ///   - showsDetail: whether people are shown the selected item.
    ///   - isWanted: whether the view asks for what was asked for. If another job has made that too, or is at it, the request is done with that one.
    func finishView(
        _ answer: FeedAnswer, _ name: String, as word: String? = nil, showsDetail: Bool = false,
        isWanted: (ViewState) -> Bool = { _ in false }
    ) async throws {
        let place = answer.feed
        var job = answer.job
        while let current = job {
            let summary = try await options.followed(current, client, isNamed: false, as: word)
            guard let failure = CommandFailure(summary, as: word) else { break }
            let view = try await client.current(.view(place, name)).view
            guard failure.status == .cancelled, let view, isWanted(view), view.sorting != current else { throw failure }
            job = view.sorting
        }
        let state = try await client.current(.view(place, name))
        guard let view = state.view else {
            throw CommandFailure(
                .notFound, code: .notFound, message: "feed \(place) has no view \(name)",
                nextStep: "gantry feed show \(place.shellWord)")
        }
        let printing = options.printing
        let stored = showsDetail || printing.isJSON ? try await storedDetail(of: view) : nil
        var whole = view
        if let stored { whole.detail = .loaded(stored) }
        let isShort = printing.columns != nil
        let target = isShort && name == ViewName.shared ? "\(place)" : "\(place)/\(name)"
        let line = "\(target): \(isShort ? view.shortLine : view.resultLine)\(change(of: state))"
        let shown = whole.json(job: answer.job)
        guard showsDetail, case .loaded(let item) = whole.detail else { return try options.show(shown.text, line) }
        let text = stored == nil ? whole.detail.line : String(decoding: item, as: UTF8.self)
        try options.show(shown.text, line + "\n" + (isShort ? ItemFields.text(item) : text))
    }

    /// A detail that is too large for the view's state; nil: there is none, or the state has it.
    private func storedDetail(of view: ViewState) async throws -> [UInt8]? {
        guard case .stored = view.detail else { return nil }
        return try await client.detail(of: view)
    }

    /// Which change a result is; to a person at a terminal it would say nothing.
    private func change(of state: TopicState) -> String { options.printing.columns == nil ? ", \(state.place)" : "" }

    /// Prints that a job was accepted, without waiting.
    private func printAcceptance(_ job: JobID, _ answer: FeedAnswer) throws {
        let shown = JSONValue.object(("job", .string(job.description)), ("joined", .bool(answer.joined)))
        try options.show(shown.text, job.description)
    }

    private func printFeed(_ answer: FeedAnswer, _ word: String?, ended: JobSummary?, dropped: ManualItems? = nil) async throws {
        let place = answer.feed
        let state = try await agreed(place, after: ended)
        guard let feed = state.feed else {
            throw CommandFailure(
                .notFound, code: .notFound, message: "feed \(place) was forgotten meanwhile, for nobody used it",
                nextStep: "gantry feed list")
        }
        // A save is done even if an earlier load had failed.
        if ended?.operation == .load, feed.activity == .idle, let failure = feed.failure {
            throw CommandFailure(failure, of: place.text, nextStep: failure.nextStepAtSource(of: place) ?? "")
        }
        let item = ended?.operation == .create ? ended.map { String(decoding: $0.result, as: UTF8.self) } : nil
        var shown = ShownFeed(feed, progress: state.progress)
        (shown.job, shown.joined, shown.item, shown.droppedManualItems) = (answer.job, answer.joined, item, dropped?.count)
        let word = word ?? ended?.operation?.done ?? "loaded"
        var line = "\(place): \(word.replacing("ITEM", with: item ?? "an item"))"
        if let content = feed.content { line += " " + counted(content.object.itemCount, "item") }
        if let endedAt = ended?.endedAt, let acceptedAt = ended?.acceptedAt {
            line += " in \(JobSummary.seconds(endedAt.duration(since: acceptedAt)))"
        }
        if let content = feed.content { line += " (\(content.origin))" }
        if let dropped = dropped?.dropped { line += ", \(dropped)" }
        try options.show(shown.json.text, line + change(of: state))
    }

    /// The feed once the work is in it: an editable one joins what was fetched in a second job.
    private func agreed(_ place: FeedKey, after ended: JobSummary?) async throws -> TopicState {
        for await state in client.observe(.feed(place)) {
            if let failure = state.failure { throw failure }
            guard state.isVerified else { continue }
            let awaitsMerge = ended?.operation == .load && state.feed?.isEditable == true && state.feed?.activity != .idle
            if !awaitsMerge { return state }
        }
        throw ClientError(.cancelled, "the wait was cancelled", nextStep: "look at the feed with `gantry feed show \(place.shellWord)`")
    }
}

extension FeedOperation {
    /// What has been done once such a job has ended; ITEM stands for the item's id.
    var done: String {
        switch self {
        case .load, .merge: "loaded"
        case .create: "created ITEM, now"
        case .update: "updated, now"
        case .sort: "ordered"
        case .detail: "selected"
        }
    }
}

/// Items of an editable feed that a person made or changed: no load brings them back.
struct ManualItems: Sendable {
    let feed: FeedKey
    /// How many there are; nil: they could not be read.
    let count: UInt64?
    /// The version that was looked at, none of a list without content; nil: whatever the feed has, for nothing in it can be a person's.
    let version: ContentVersion?

    init(feed: FeedKey, count: UInt64?, version: ContentVersion?) { (self.feed, self.count, self.version) = (feed, count, version) }

    /// Looks at each item of a feed's content: the front knows lists by reference only, and people's own are short.
    /// - Parameter mayBeUnknown: Whether they may go however many they are, so that no fault of reading them keeps anybody from that.
    init(of key: FeedKey, mayBeUnknown: Bool, _ client: GantryClient) async throws(ClientError) {
        let state = try await client.current(.feed(key)).feed
        feed = state?.key ?? key
        guard let state, state.isEditable else {
            (count, version) = (0, nil)
            return
        }
        version = state.content?.version ?? ContentVersion.none
        guard let content = state.content else {
            count = 0
            return
        }
        do throws(ClientError) {
            count = try await Self.count(in: content, client)
        } catch {
            guard mayBeUnknown || Self.unreadable.contains(error.code) else { throw error }
            count = nil
        }
    }

    /// What a list that is gone or damaged, or an item that no frame holds, is answered by.
    private static let unreadable = [FailureCode.unknownItem, .storageFailed, .tooLarge].map { ClientErrorCode($0) }

    private static func count(in content: FeedContent, _ client: GantryClient) async throws(ClientError) -> UInt64 {
        let revision = ViewRevision(content: content.object, order: nil, version: content.version, sort: nil, filter: "")
        var (offset, found): (UInt64, UInt64) = (0, 0)
        while offset < content.object.itemCount {
            let page = try await client.page(by: revision, offset: offset, limit: UInt32(MessageBounds.pageItems))
            guard !page.items.isEmpty else { break }
            offset += UInt64(page.items.count)
            found += UInt64(page.items.count { isManual($0) })
        }
        return found
    }

    /// Whether an item as JSON text says that a person made or changed it.
    static func isManual(_ item: [UInt8]) -> Bool {
        struct Made: Decodable { let origin: String? }
        // What cannot be read is dropped by nobody's mistake but ours: it counts.
        guard let made = try? JSONDecoder().decode(Made.self, from: Data(item)) else { return true }
        return made.origin != nil
    }

    /// Why they are not dropped by somebody who has not said so; nil: there are none.
    var refusal: CommandFailure? {
        guard count != 0 else { return nil }
        let has = count.map { counted($0, "item") + " that you made or changed" } ?? "a list of your own that cannot be read"
        return CommandFailure(
            .conflict, code: .conflict, message: "feed \(feed) has \(has), which no load brings back: nothing was reset",
            nextStep: "gantry feed reset \(feed.shellWord) --drop-manual")
    }

    /// What is said of them once they are dropped; nil: nothing.
    var dropped: String? {
        guard count != 0 else { return nil }
        return count.map { "\(counted($0, "item")) made or changed by hand dropped" } ?? "all items made or changed by hand dropped"
    }
}
