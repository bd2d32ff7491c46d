//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

extension WireViewState: Mapped {
    init(_ value: ViewState) {
        self.init()
        name = value.name
        version = value.version
        if let sort = value.sort { self.sort = WireSortOrder(sort) }
        filter = value.filter
        if let selection = value.selection { self.selection = selection }
        detail = WireDetail(value.detail)
        if let revision = value.revision { self.revision = WireViewRevision(revision) }
        if let job = value.sorting { sorting = job.rawValue }
        if let failure = value.failure { self.failure = WireFailure(failure) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> ViewState {
        var view = ViewState(name: try bounds.label(name, "a view's name"))
        view.version = version
        view.sort = hasSort ? try sort.value(within: bounds) : nil
        view.filter = try bounds.text(filter, "a filter")
        view.selection = hasSelection ? try bounds.itemID(selection) : nil
        view.detail = try detail.value(within: bounds)
        view.revision = hasRevision ? try revision.value(within: bounds) : nil
        view.sorting = hasSorting ? JobID(sorting) : nil
        view.failure = hasFailure ? try failure.value(within: bounds) : nil
        return view
    }
}

extension WireDetail: Mapped {
    init(_ value: Detail) {
        self.init()
        switch value {
        case .idle: idle = WireNothing()
        case .loading(let job): loading = job.rawValue
        case .loaded(let text): loaded = Data(text)
        case .stored(let object): stored = WireObjectReference(object)
        case .failed(let failure): failed = WireFailure(failure)
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Detail {
        switch kind {
        case .idle: .idle
        case .loading(let job): .loading(JobID(job))
        case .loaded(let text): .loaded(try bounds.payload(text, "a detail"))
        case .stored(let object): .stored(try object.value(within: bounds))
        case .failed(let failure): .failed(try failure.value(within: bounds))
        case nil: throw bounds.unknownKind("a detail")
        }
    }
}

extension WireViewRevision: Mapped {
    init(_ value: ViewRevision) {
        self.init()
        content = WireObjectReference(value.content)
        if let order = value.order { self.order = WireObjectReference(order) }
        version = value.version.rawValue
        if let sort = value.sort { self.sort = WireSortOrder(sort) }
        filter = value.filter
    }

    func value(within bounds: Bounds) throws(CodecError) -> ViewRevision {
        ViewRevision(
            content: try content.value(within: bounds), order: hasOrder ? try order.value(within: bounds) : nil,
            version: ContentVersion(version), sort: hasSort ? try sort.value(within: bounds) : nil,
            filter: try bounds.text(filter, "a filter"))
    }
}

extension WireObjectReference: Mapped {
    init(_ value: ObjectReference) {
        self.init()
        digest = Data(value.digest.bytes)
        byteCount = value.byteCount
        itemCount = value.itemCount
    }

    func value(within bounds: Bounds) throws(CodecError) -> ObjectReference {
        ObjectReference(digest: try bounds.digest(digest), byteCount: byteCount, itemCount: itemCount)
    }
}

extension WireSortOrder: Mapped {
    init(_ value: Model.SortOrder) {
        self.init()
        field = value.field
        ascending = value.ascending
    }

    func value(within bounds: Bounds) throws(CodecError) -> Model.SortOrder {
        SortOrder(field: try bounds.label(field, "a field's name"), ascending: ascending)
    }
}
