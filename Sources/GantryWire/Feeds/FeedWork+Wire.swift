//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryPackedColumns
import GantryWireMessages

extension WireFeedWork: Mapped {
    init(_ value: FeedWork) {
        self.init()
        key = value.key.text
        operation = WireFeedOperation(value.operation)
        settings = Data(value.settings)
        if let object = value.content { content = WireObjectReference(object) }
        if let object = value.source { source = WireObjectReference(object) }
        view = value.view
        if let sort = value.sort { self.sort = WireSortOrder(sort) }
        filter = value.filter
        if let id = value.itemID { itemID = id }
        item = Data(value.item)
        acceptedAt = value.acceptedAt.milliseconds
        isPersistent = value.isPersistent
    }

    func value(within bounds: Bounds) throws(CodecError) -> FeedWork {
        var work = FeedWork(
            key: try bounds.feed(key), operation: try bounds.known(operation, "a feed's operation"),
            settings: try bounds.payload(settings, "a loader's settings"), acceptedAt: WallTime(milliseconds: acceptedAt))
        work.content = hasContent ? try content.value(within: bounds) : nil
        work.source = hasSource ? try source.value(within: bounds) : nil
        work.view = try bounds.label(view, "a view's name")
        work.sort = hasSort ? try sort.value(within: bounds) : nil
        work.filter = try bounds.text(filter, "a filter")
        work.itemID = hasItemID ? try bounds.itemID(itemID) : nil
        work.item = try bounds.payload(item, "an item")
        work.isPersistent = isPersistent
        return work
    }
}

extension WireFeedResult: Mapped {
    init(_ value: FeedResult) {
        self.init()
        if let object = value.content { content = WireObjectReference(object) }
        if let object = value.order { order = WireObjectReference(object) }
        selectionFound = value.selectionFound
        if let id = value.itemID { itemID = id }
        detail = Data(value.detail)
        if let object = value.detailObject { detailObject = WireObjectReference(object) }
        source = value.source.rawValue
    }

    func value(within bounds: Bounds) throws(CodecError) -> FeedResult {
        var result = FeedResult(source: ContentSource(rawValue: try bounds.label(source, "a source")))
        result.content = hasContent ? try content.value(within: bounds) : nil
        result.order = hasOrder ? try order.value(within: bounds) : nil
        result.selectionFound = selectionFound
        result.itemID = hasItemID ? try bounds.itemID(itemID) : nil
        result.detail = try bounds.payload(detail, "a detail")
        result.detailObject = hasDetailObject ? try detailObject.value(within: bounds) : nil
        return result
    }
}

extension WireIndexedFeedWork: Mapped {
    init(_ value: Indexed<FeedWork>) {
        self.init()
        index = value.index
        work = WireFeedWork(value.value)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Indexed<FeedWork> {
        Indexed(index: index, value: try work.value(within: bounds))
    }
}

extension WireIndexedFeedResult: Mapped {
    init(_ value: Indexed<FeedResult>) {
        self.init()
        index = value.index
        result = WireFeedResult(value.value)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Indexed<FeedResult> {
        Indexed(index: index, value: try result.value(within: bounds))
    }
}

extension WireIndexedFailure: Mapped {
    init(_ value: Indexed<Failure>) {
        self.init()
        index = value.index
        failure = WireFailure(value.value)
    }

    func value(within bounds: Bounds) throws(CodecError) -> Indexed<Failure> {
        Indexed(index: index, value: try failure.value(within: bounds))
    }
}
