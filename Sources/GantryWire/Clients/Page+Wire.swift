//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryWireMessages

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
