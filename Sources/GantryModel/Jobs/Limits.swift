//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A limit that a job counts in, with the value that it counts for. Jobs that name a limit with the same value share its permits; those that
/// name it without one share them too, apart from all values.
public struct LimitKey: Hashable, Sendable {
    /// The limit's name.
    public var limit: String
    /// For what of it: a tenant, a host, an account; empty: none, and such jobs have permits of their own.
    public var value: String

    /// Longest value, in bytes.
    public static let valueByteCount = 64

    /// A limit with one of its values.
    public init(_ limit: String, value: String = "") { (self.limit, self.value) = (limit, value) }

    /// The limit as people write it: `api`, or `tenant=acme`.
    public var text: String { value.isEmpty ? limit : "\(limit)=\(value)" }

    /// What is wrong with it, as a sentence; nil: nothing.
    package var fault: String? {
        guard PlainName.isName(limit) else {
            // What cannot be shown is not repeated here either.
            let shown = limit.hasControlCharacters ? "" : limit
            return "\"\(shown.cut(to: MessageBounds.labelByteCount))\" cannot name a limit: \(PlainName.rule)"
        }
        guard value.utf8.count <= Self.valueByteCount else {
            return "a value of a limit has at most \(Self.valueByteCount) bytes, not \(value.utf8.count)"
        }
        guard !value.hasControlCharacters else {
            return "a value of a limit has no control characters"
        }
        guard value.first?.isWhitespace != true, value.last?.isWhitespace != true else {
            return "a value of a limit has no blank at its ends, unlike \"\(value)\""
        }
        return nil
    }

    /// Its share of a request's fingerprint.
    func add(to print: inout Fingerprint) {
        print.add(limit)
        print.add(value)
    }
}

/// What observers see of a limit.
public struct LimitSummary: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// What it says.
    public var rule: LimitRule
    /// Permits that are taken, of all values together.
    public var inUse: UInt64
    /// Jobs that name the limit, have not ended and hold no permit: waiting, scheduled or backed off.
    public var waiting: UInt64
    /// Different values among the jobs that have not ended, and those of which tokens are missing; no value counts as one.
    public var valueCount: UInt64
    /// Of 1,024 values those that most jobs name, at most `shownValues`, most first.
    public var values: [LimitValue]
    /// When a value has all of its tokens of which none was taken since the rate was changed; nil: it has, or there is no rate. It may be over.
    public var fullAt: WallTime?

    /// How many values are shown one by one.
    public static let shownValues = 32

    /// A limit in which nothing counts.
    package init(name: String, rule: LimitRule) {
        (self.name, self.rule) = (name, rule)
        (inUse, waiting, valueCount, values) = (0, 0, 0, [])
    }
}

/// One value of a limit, as observers see it.
public struct LimitValue: Hashable, Sendable {
    /// The value; empty: none.
    public var value: String
    /// Permits that are taken: more than the capacity after that was lowered.
    public var inUse: UInt64
    /// Jobs that have none.
    public var waiting: UInt64
    /// When none of its tokens is missing any more, by the wall clock of the front; nil: none is, or the limit has no rate. It may be over.
    public var fullAt: WallTime?

    /// A value with these numbers.
    package init(_ value: String, inUse: UInt64, waiting: UInt64, fullAt: WallTime? = nil) {
        (self.value, self.inUse, self.waiting, self.fullAt) = (value, inUse, waiting, fullAt)
    }
}

/// What a request asks of the limits.
///
/// All that is known of a kind of such request without looking at the front stands in this file, so that a new one is described only here.
package enum LimitRequest: Hashable, Sendable {
    /// A limit says that from now on, be it a new one.
    case set(String, LimitRule)
    /// A limit is no more.
    case delete(String)

    /// Bytes of what it carries: what bounds of memory count beside its place.
    var byteCount: Int {
        switch self {
        case .set(let name, _), .delete(let name): name.utf8.count
        }
    }

    /// Adds what is asked.
    func add(to print: inout Fingerprint) {
        switch self {
        case .set(let name, let rule):
            print.add(name)
            rule.add(to: &print)
        case .delete(let name): print.add(name)
        }
    }

    /// The number of the request's field in `gantry.proto`.
    var kindNumber: UInt8 {
        switch self {
        case .set: 23
        case .delete: 24
        }
    }
}
