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
    /// How many permits the job takes, all together or none: 1 to `greatestWeight`. An attempt takes one token, whatever it weighs.
    public var weight: UInt32

    /// Longest value, in bytes.
    package static let valueByteCount = 64
    /// The most that a weight can be: as many permits as a limit can have.
    package static let greatestWeight = LimitRule.greatestCapacity

    /// A limit with one of its values.
    public init(_ limit: String, value: String = "", weight: UInt32 = 1) { (self.limit, self.value, self.weight) = (limit, value, weight) }

    /// The limit as people write it: `api`, `tenant=acme`, or with a weight `tenant:3=acme`.
    package var text: String { (weight == 1 ? limit : "\(limit):\(weight)") + (value.isEmpty ? "" : "=\(value)") }

    /// The permits that it is about, whoever takes how many of them.
    package var unweighted: LimitKey { LimitKey(limit, value: value) }

    /// A value for any text: the text where it can be one, else what can be shown of it and a number made of all of it, so that others do not share
    /// its permits.
    static func value(for text: String) -> String {
        guard LimitKey("any", value: text).fault != nil else { return text }
        var print = Fingerprint(kind: 0)
        print.add(text)
        let number = "~" + String(print.value, radix: 16)
        let shown = String(text.filter { !String($0).hasControlCharacters }.drop(while: \.isWhitespace))
        return shown.cut(to: valueByteCount - number.utf8.count) + number
    }

    /// What is wrong with it, as a sentence; nil: nothing.
    package var fault: String? {
        guard PlainName.isName(limit) else {
            // What cannot be shown is not repeated here either.
            let shown = limit.hasControlCharacters ? "" : limit
            return "\"\(shown.cut(to: MessageBounds.labelByteCount))\" cannot name a limit: \(PlainName.rule)"
        }
        guard (1...Self.greatestWeight).contains(weight) else {
            return "the weight of a job in a limit is 1 to \(Self.greatestWeight.grouped), not \(weight)"
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
        if weight != 1 { print.add(UInt64(weight)) }
    }
}

/// What observers see of a limit.
package struct LimitSummary: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// What it says.
    package var rule: LimitRule
    /// Permits that are taken, of all values together.
    package var inUse: UInt64
    /// Jobs that name the limit, have not ended and hold no permit: waiting, scheduled or backed off.
    package var waiting: UInt64
    /// Different values among the jobs that have not ended, and those of which tokens are missing; no value counts as one.
    package var valueCount: UInt64
    /// Of 1,024 values those that most jobs name, at most `shownValues`, most first.
    package var values: [LimitValue]
    /// When a value has all of its tokens of which none was taken since the rate was changed; nil: it has, or there is no rate. It may be over.
    package var fullAt: WallTime?
    /// What the configuration of the front says of it, which a command may have replaced; nil: it does not name it.
    package var configured: LimitRule?

    /// How many values are shown one by one.
    package static let shownValues = 32

    /// A limit in which nothing counts.
    package init(name: String, rule: LimitRule) {
        (self.name, self.rule) = (name, rule)
        (inUse, waiting, valueCount, values) = (0, 0, 0, [])
    }

    /// Whether what it says stands in the configuration of the front, and was not said by a command.
    package var isConfigured: Bool { configured == rule }
}

/// One value of a limit, as observers see it.
package struct LimitValue: Hashable, Sendable {
    /// The value; empty: none.
    package var value: String
    /// Permits that are taken: more than the capacity after that was lowered.
    package var inUse: UInt64
    /// Jobs that have none.
    package var waiting: UInt64
    /// When none of its tokens is missing any more, by the wall clock of the front; nil: none is, or the limit has no rate. It may be over.
    package var fullAt: WallTime?

    /// A value with these numbers.
    package init(_ value: String, inUse: UInt64, waiting: UInt64, fullAt: WallTime? = nil) {
        (self.value, self.inUse, self.waiting, self.fullAt) = (value, inUse, waiting, fullAt)
    }
}

/// What a configuration says of limits, loaders and clients: see `deploy/CONFIGURATION.md`. It holds from the start of a front on.
package struct FlowSettings: Hashable, Sendable {
    /// The limits that it names.
    package var limits: [String: LimitRule] = [:]
    /// By a loader the limits that its jobs count in though they do not name them, in order.
    package var limitsOfLoaders: [String: [String]] = [:]
    /// By a feed those of its jobs that are about its source.
    package var limitsOfFeeds: [String: [String]] = [:]
    /// By a limit that counts feeds apart for what it does so.
    package var limitValues: [String: FeedLimitValue] = [:]
    /// By the name of a client the share of each loader's turns that it gets beside one of weight 1, where it is another one.
    package var clientWeights: [String: UInt32] = [:]
    /// By the name of a group the loaders and feeds that are in it.
    package var groups: [String: GroupMembers] = [:]
    /// Loaders that it names by themselves: jobs of them are accepted though no worker has offered them yet.
    package var loaders: Set<String> = []
    /// By a loader how often its jobs are tried, as far as they do not say so themselves.
    package var retryRules: [String: RetryRule] = [:]

    /// Most limits of a configuration.
    package static let limitCount = 256
    /// Most loaders and feeds of a group, together: one entry and one item name all of them while it is paused, 64 KiB at most. That has room for many
    /// times the feeds of a large configuration, and in a frame for all that stands beside it.
    package static let groupMemberCount = 1_024
    /// The most that a client's weight can be.
    package static let greatestClientWeight = 1_000

    /// One that says nothing.
    package init() {}

    /// The limits that a job counts in: those that it names, and those that hold for its loader or feed.
    ///
    /// - Parameters:
    ///   - feed: The feed whose source the job is about; nil: none.
    ///   - value: What the feed is counted apart for; empty where there is no feed.
    package func limitKeys(
        of options: JobOptions, loader: String, feed: String? = nil, value: (FeedLimitValue) -> String = { _ in "" }
    ) -> [LimitKey] {
        let given = limitsOfLoaders[loader, default: []] + (feed.map { limitsOfFeeds[$0, default: []] } ?? [])
        var keys = options.limitKeys
        for name in given where !keys.contains(where: { $0.limit == name }) {
            keys.append(LimitKey(name, value: limitValues[name].map(value) ?? ""))
        }
        return keys
    }

    /// Whether a submitted job of a loader gets anything that it does not say itself.
    package func adds(to loader: String) -> Bool { limitsOfLoaders[loader] != nil || retryRules[loader] != nil }

    /// What a submitted job of a loader is accepted with: what it says itself, and what is said here of its loader.
    package func options(of given: JobOptions, loader: String) -> JobOptions {
        var options = given
        options.limitKeys = limitKeys(of: given, loader: loader)
        if let rule = retryRules[loader] { options.retry = given.retry.filled(by: rule) }
        return options
    }

    /// What a job of a loader says itself: what is said here of the loader adds the rest. A job that repeats another one carries both.
    package func given(in options: JobOptions, loader: String) -> JobOptions {
        var given = options
        if let rule = retryRules[loader], options.retry == RetryRule().filled(by: rule) { given.retry = RetryRule() }
        return given
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

/// A limit that a job counts in, as it is at the job's grant.
package struct GrantedLimit: Hashable, Sendable {
    /// The limit, with the value that the job counts for.
    package var key: LimitKey
    /// What it allows; nil: not known, because the grant is sent once more.
    package var rule: LimitRule?
    /// How many permits the job takes of it.
    package var weight: UInt32
    /// The first lease since it has a rate: by another one its tokens were counted anew.
    package var ratedFrom: UInt64

    /// A limit with what it allows.
    package init(_ key: LimitKey, _ rule: LimitRule?, weight: UInt32 = 1, ratedFrom: UInt64 = 0) {
        (self.key, self.rule, self.weight, self.ratedFrom) = (key, rule, weight, ratedFrom)
    }
}

/// What a worker writes down of a job with limits before it runs.
package struct LimitedRun: Hashable, Sendable {
    /// The lease of its grant: of two runs the one with the greater lease of a front was granted later.
    package var lease: LeaseID
    /// Which front granted it.
    package var front: FrontID
    /// What it counts in.
    package var limits: [GrantedLimit]
    /// When it took its tokens, by that front's clock of lengths; 0: not known.
    package var takenAt: Int64

    /// A run under a lease.
    package init(lease: LeaseID, front: FrontID, limits: [GrantedLimit], takenAt: Int64) {
        (self.lease, self.front, self.limits, self.takenAt) = (lease, front, limits, takenAt)
    }
}

/// For what of a feed its jobs count in a limit: each has permits of its own.
package enum FeedLimitValue: Hashable, Sendable, CustomStringConvertible {
    /// The host that the feed's address names, in small letters.
    case host
    /// What the feed's parameter of this name is.
    case parameter(String)

    /// Reads what a configuration says, `host` or `{tenant}`; nil: it is neither.
    package init?(_ text: String) {
        if text == "host" {
            self = .host
        } else if text.hasPrefix("{"), text.hasSuffix("}"), PlainName.isName(String(text.dropFirst().dropLast())) {
            self = .parameter(String(text.dropFirst().dropLast()))
        } else {
            return nil
        }
    }

    /// As a configuration says it.
    package var description: String {
        switch self {
        case .host: "host"
        case .parameter(let name): "{\(name)}"
        }
    }
}
