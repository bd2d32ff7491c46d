//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryWireMessages

extension WirePublication: Mapped {
    init(_ value: Publication) {
        self.init()
        switch value {
        case .change(let change): self.change = WireChange(change)
        case .bookmark(let bookmark): self.bookmark = WireBookmark(bookmark)
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Publication {
        switch kind {
        case .change(let change): return .change(try change.value(within: bounds))
        case .bookmark(let bookmark): return .bookmark(bookmark.value(within: bounds))
        case nil: throw bounds.unknownKind("a publication")
        }
    }
}

extension WireBookmark: Mapped {
    init(_ value: Publication.Bookmark) {
        self.init()
        front = value.front.rawValue
        epoch = value.epoch.rawValue
        sequence = value.sequence.rawValue
        checksum = value.checksum.sum
    }

    func value(within bounds: Bounds) -> Publication.Bookmark {
        Publication.Bookmark(
            front: FrontID(front), epoch: Epoch(epoch), sequence: SequenceNumber(sequence), checksum: TopicChecksum(checksum))
    }
}

extension WireChange: Mapped {
    init(_ value: Publication.Change) {
        self.init()
        bookmark = WireBookmark(value.bookmark)
        puts = value.puts.map(WireTopicItem.init)
        removes = value.removes.map { Data($0) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Publication.Change {
        try bounds.demand(hasBookmark, "a change's bookmark")
        try bounds.rows(removes.count, "removed items")
        var keys: [[UInt8]] = []
        keys.reserveCapacity(removes.count)
        for key in removes { keys.append(try bounds.key(key)) }
        return Publication.Change(bookmark: bookmark.value(within: bounds), puts: try bounds.values(puts, "put items"), removes: keys)
    }
}

extension WirePageRequest: Mapped {
    init(_ value: PageRequest) {
        self.init()
        number = value.number
        content = Data(value.content.bytes)
        if let digest = value.order { order = Data(digest.bytes) }
        offset = value.offset
        limit = value.limit
        token = Data(value.token)
        readsBytes = value.readsBytes
    }

    func value(within bounds: Bounds) throws(CodecError) -> PageRequest {
        var request = PageRequest(
            number: number, content: try bounds.digest(content), order: hasOrder ? try bounds.digest(order) : nil, offset: offset,
            limit: limit, token: try bounds.secret(token, "a token"))
        request.readsBytes = readsBytes
        try bounds.page(request)
        return request
    }
}

extension WirePageReply: Mapped {
    init(_ value: PageReply) {
        self.init()
        number = value.number
        items = value.items.map { Data($0) }
        itemCount = value.itemCount
        if let failure = value.failure { self.failure = WireFailure(failure) }
        data = Data(value.data)
    }

    func value(within bounds: Bounds) throws(CodecError) -> PageReply {
        try bounds.rows(items.count, "a page's items")
        var reply = PageReply(
            number: number, items: items.map { [UInt8]($0) }, itemCount: itemCount,
            failure: hasFailure ? try failure.value(within: bounds) : nil)
        reply.data = [UInt8](data)
        return reply
    }
}
