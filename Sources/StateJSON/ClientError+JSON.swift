//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Client

extension ClientError {
    /// The shape `error`.
    public var json: JSONValue {
        .object(
            (
                "error",
                .object(
                    ("code", .string(code.rawValue)), ("message", .string(description)),
                    ("nextStep", nextStep.isEmpty ? nil : .string(nextStep)), ("retryable", .bool(isRetryable)),
                    ("context", .string(context)),
                    ("retryAfterSeconds", retryAfterMilliseconds == 0 ? nil : .number(Double(retryAfterMilliseconds) / 1_000)))
            ))
    }
}

extension FeedPage {
    /// Each item as JSON text on one line.
    public var itemLines: [String] { items.map { JSONValue.embedded($0).text } }

    /// The shape `page`; `next` is the offset of the next page.
    public var json: JSONValue {
        let end = offset + UInt64(items.count)
        return JSONValue.list(items.map { .embedded($0) }, next: end < itemCount ? String(end) : nil)
            .adding(("offset", .count(offset)), ("itemCount", .count(itemCount)), ("pair", pair.json))
    }
}
