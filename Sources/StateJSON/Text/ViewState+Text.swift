//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension ViewState {
    /// One line for people: version, order, filter, selection, count.
    public var line: String { "version \(version); \(shortLine)" }

    /// The same without the version.
    public var shortLine: String {
        var parts: [String] = []
        parts.append(sort.map { "sorted by \($0.field) \($0.ascending ? "ascending" : "descending")" } ?? "in the list's own order")
        if !filter.isEmpty { parts.append("filtered by \"\(filter)\"") }
        if let revision { parts.append(counted(revision.itemCount, "item")) }
        if let sorting { parts.append("sorting (job \(sorting))") }
        if let selection { parts.append("selected \(selection): \(detail.line)") }
        if let failure { parts.append("failed: \(failure.line)") }
        return parts.joined(separator: "; ")
    }
}

extension Detail {
    /// One phrase for people.
    public var line: String {
        switch self {
        case .idle: "no detail"
        case .loading(let job): "loading (job \(job))"
        case .loaded(let item): JSONText.onOneLine(item) ?? String(decoding: item, as: UTF8.self)
        case .stored(let object): "\(object.byteCount) bytes in object \(object.digest)"
        case .failed(let failure): "failed: \(failure.line)"
        }
    }
}
