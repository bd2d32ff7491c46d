//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel
import StateFormatting

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
