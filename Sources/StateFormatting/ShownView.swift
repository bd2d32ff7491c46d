//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

extension ViewState {
    /// The shape `view`, with the job that a request about it has made.
    package func json(job: JobID? = nil) -> JSONValue { ShownView.shape.json(ShownView(view: self, job: job)) }
}

/// A view, with what came of the request before it.
struct ShownView: Sendable {
    let view: ViewState
    var job: JobID?

    static let shape = JSONShape<ShownView>(
        "view", "How a list is looked at.",
        [
            .always("name", .text, "The view's name; `shared` is everybody's default.") { $0.view.name },
            .always("version", .count, "Raised by one with each change that somebody asked for.") { $0.view.version },
            .sometimes("sort", .shape(SortOrder.shape), "The order that was asked for, where it is not the list's own.") { $0.view.sort },
            .sometimes("filter", .text, "The text that items must contain.") { $0.view.filter.isEmpty ? nil : $0.view.filter },
            .sometimes("selection", .text, "The id of the selected item.") { $0.view.selection },
            .always("detail", .shape(Detail.shape), "The selected item's detail.") { $0.view.detail },
            .sometimes("revision", .shape(ViewRevision.shape), "What pages are read by, while the feed has content.") { $0.view.revision },
            .sometimes("sorting", .id, "The job that makes the order that was asked for.") { $0.view.sorting },
            .sometimes("failure", .shape(Failure.shape), "Why the last order could not be made.") { $0.view.failure },
            .sometimes("job", .id, "The job that the command waited for.") { $0.job },
        ])
}

extension SortOrder {
    static let shape = JSONShape<SortOrder>(
        "sort", "By which field, in which direction.",
        [
            .always("field", .text, "`title`, `createdAt`, `dueAt`, `id` or the name of a configured field.") { $0.field },
            .always("ascending", .bool, "Smallest first.") { $0.ascending },
        ])
}

extension ViewRevision {
    /// The shape `revision`.
    package var json: JSONValue { Self.shape.json(self) }

    static let shape = JSONShape<ViewRevision>(
        "revision", "What a view's pages are read by: a list and an order of it.",
        [
            .always("content", .digest, "The list.") { $0.content.digest },
            .sometimes("order", .digest, "The order, where it is not the list's own.") { $0.order?.digest },
            .always("version", .count, "The version of the content.") { $0.version.rawValue },
            .always("itemCount", .count, "How many items the order has.") { $0.itemCount },
            .sometimes("sort", .shape(SortOrder.shape), "By what it was sorted.") { $0.sort },
            .sometimes("filter", .text, "By what it was filtered.") { $0.filter.isEmpty ? nil : $0.filter },
        ])
}

extension Detail {
    private enum State: String, CaseIterable { case idle, loading, loaded, failed }

    private var state: State {
        switch self {
        case .idle: .idle
        case .loading: .loading
        case .loaded, .stored: .loaded
        case .failed: .failed
        }
    }

    private var job: JobID? { if case .loading(let job) = self { job } else { nil } }

    private var item: [UInt8]? { if case .loaded(let item) = self { item } else { nil } }

    private var object: ObjectReference? { if case .stored(let object) = self { object } else { nil } }

    private var failure: Failure? { if case .failed(let failure) = self { failure } else { nil } }

    static let shape = JSONShape<Detail>(
        "detail", "The detail of a view's selected item.",
        [
            .always("state", .word, "`idle`: nothing is selected.") { $0.state },
            .sometimes("job", .id, "The job that fetches it.") { $0.job },
            .sometimes("item", .embedded, "The detail, where it is small.") { $0.item },
            .sometimes("object", .digest, "The detail, where it is large.") { $0.object?.digest },
            .sometimes("sizeBytes", .count, "The size of that object.") { $0.object?.byteCount },
            .sometimes("failure", .shape(Failure.shape), "Why it could not be had.") { $0.failure },
        ])
}

extension ViewState {
    /// One line for people: version, order, filter, count, selection with its detail.
    package var line: String { "version \(version); " + phrases(selected: { "\($0): \(detail.line)" }).joined(separator: "; ") }

    /// The same without the detail, which may be long.
    package var resultLine: String { "version \(version); \(shortLine)" }

    /// The same without the version.
    package var shortLine: String { phrases.joined(separator: "; ") }

    /// The phrases of that line.
    var phrases: [String] {
        phrases { id in
            switch detail {
            case .idle, .loaded, .stored: id
            case .loading, .failed: "\(id): \(detail.line)"
            }
        }
    }

    private func phrases(selected: (String) -> String) -> [String] {
        var parts: [String] = []
        parts.append(sort.map { "sorted by \($0.field) \($0.ascending ? "ascending" : "descending")" } ?? "in the list's own order")
        if !filter.isEmpty { parts.append("filtered by \"\(filter)\"") }
        if let revision { parts.append(counted(revision.itemCount, "item")) }
        if let sorting { parts.append("\(orderWork) (job \(sorting))") }
        if let selection { parts.append("selected \(selected(selection))") }
        if let failure { parts.append("failed: \(failure.line)") }
        return parts
    }
}

extension ViewState {
    /// What the job does that makes the order: that of a filter alone is no sort.
    private var orderWork: String {
        let isSorted = sort != revision?.sort
        let isFiltered = filter != revision?.filter ?? ""
        if isSorted == isFiltered, sort != nil, !filter.isEmpty { return "sorting and filtering" }
        return isFiltered && !isSorted || sort == nil && !filter.isEmpty ? "filtering" : "sorting"
    }
}

extension Detail {
    /// One phrase for people.
    package var line: String {
        switch self {
        case .idle: "no detail"
        case .loading(let job): "loading (job \(job))"
        case .loaded(let item): RenderedJSON.onOneLine(item) ?? String(decoding: item, as: UTF8.self)
        case .stored(let object): "\(object.byteCount) bytes in object \(object.digest)"
        case .failed(let failure): "failed: \(failure.line)"
        }
    }
}
