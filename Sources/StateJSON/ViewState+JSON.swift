//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension ViewState {
    /// The shape `view`.
    public var json: JSONValue {
        .object(
            ("name", .string(name)), ("version", .count(version)), ("sort", sort?.json), ("filter", filter.isEmpty ? nil : .string(filter)),
            ("selection", selection.map { .string($0) }), ("detail", detail.json), ("pair", pair?.json),
            ("arranging", arranging.map { .string($0.description) }), ("failure", failure?.json))
    }
}

extension SortOrder {
    var json: JSONValue { .object(("field", .string(field)), ("ascending", .bool(ascending))) }
}

extension ViewPair {
    /// The shape `pair`.
    public var json: JSONValue {
        .object(
            ("content", .string(content.digest.description)), ("order", order.map { .string($0.digest.description) }),
            ("version", .count(version.rawValue)), ("itemCount", .count(itemCount)), ("sort", sort?.json),
            ("filter", filter.isEmpty ? nil : .string(filter)))
    }
}

extension Detail {
    var json: JSONValue {
        switch self {
        case .idle: .object(("state", .string("idle")))
        case .loading(let job): .object(("state", .string("loading")), ("job", .string(job.description)))
        case .loaded(let item): .object(("state", .string("loaded")), ("item", .embedded(item)))
        case .stored(let object):
            .object(("state", .string("loaded")), ("object", .string(object.digest.description)), ("sizeBytes", .count(object.byteCount)))
        case .failed(let failure): .object(("state", .string("failed")), ("failure", failure.json))
        }
    }
}
