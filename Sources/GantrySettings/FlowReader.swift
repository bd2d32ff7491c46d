//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryModel

/// Reads what a configuration says of limits, loaders and clients.
struct FlowReader {
    // The keys that are known, which `deploy/CONFIGURATION.md` explains.
    static let limitKeys = ["capacity", "rate", "burst", "beyond", "loaders", "groups", "value"]
    static let loaderKeys = ["group", "retry", "codes"]
    static let clientKeys = ["weight"]

    /// The feeds of the configuration, which may be in groups and have loaders of one's own.
    let feeds: [ConfiguredFeed]
    /// Loaders that limits may name.
    private var loaders: Set<String> = []
    private var flow = FlowSettings()

    init(feeds: [ConfiguredFeed]) {
        self.feeds = feeds
        loaders = Set(LoaderName.all)
        for feed in feeds { if let own = feed.settings.loaderSource?.name { loaders.insert(own) } }
    }

    /// Reads the keys `limits`, `loaders` and `clients`.
    /// - Throws: the first mistake found.
    func read(_ fields: [String: ConfigurationNode]) throws(ConfigurationError) -> FlowSettings {
        var reader = self
        for feed in feeds {
            if let group = feed.group { reader.flow.groups[group, default: GroupMembers()].feeds.insert(feed.definition.name) }
        }
        if let node = fields["loaders"] { try reader.readLoaders(node) }
        try reader.checkGroups(fields["loaders"]?.line ?? fields["feeds"]?.line ?? 0)
        if let node = fields["limits"] { try reader.readLimits(node) }
        if let node = fields["clients"] { try reader.readClients(node) }
        for feed in feeds { try reader.checkLoads(of: feed, fields["limits"]?.line ?? 0) }
        return reader.flow
    }

    private mutating func readLoaders(_ node: ConfigurationNode) throws(ConfigurationError) {
        for entry in try node.entries("loaders", like: "loaders: { crawl: { group: shop } }") {
            try Self.check(entry.key, "the loader", entry.line)
            let fields = try entry.node.fields("loader \(entry.key)", Self.loaderKeys, like: "\(entry.key): { group: shop }")
            loaders.insert(entry.key)
            flow.loaders.insert(entry.key)
            flow.retryRules[entry.key] = try RetryReader(loader: entry.key).read(fields)
            guard let node = fields["group"] else { continue }
            flow.groups[try Self.group(node, of: "loader \(entry.key)"), default: GroupMembers()].loaders.insert(entry.key)
        }
    }

    /// A paused group is one entry and one item with all that is in it.
    private func checkGroups(_ line: Int) throws(ConfigurationError) {
        let most = FlowSettings.groupMemberCount
        for (name, members) in flow.groups.sorted(by: { $0.key < $1.key }) where members.count > most {
            throw ConfigurationError(
                "the group \(name) has \(members.count) loaders and feeds, and a group has at most \(most): give some of them another group, and "
                    + "name both groups in the limits of this one", line: line)
        }
    }

    private mutating func readLimits(_ node: ConfigurationNode) throws(ConfigurationError) {
        let entries = try node.entries("limits", like: "limits: { api: { capacity: 5, rate: 10/m, loaders: [http] } }")
        guard entries.count <= FlowSettings.limitCount else {
            throw ConfigurationError(
                "\(entries.count) limits are too many: a configuration has at most \(FlowSettings.limitCount)", line: node.line)
        }
        for entry in entries {
            try Self.check(entry.key, "the limit", entry.line)
            guard flow.limits[entry.key] == nil else {
                throw ConfigurationError("the limit \"\(entry.key)\" is given twice; rename one", line: entry.line)
            }
            let what = "limit \(entry.key)"
            let fields = try entry.node.fields(what, Self.limitKeys, like: "\(entry.key): { capacity: 5, rate: 10/m, loaders: [http] }")
            flow.limits[entry.key] = try rule(fields, what, entry.line)
            for loader in try fields["loaders"]?.list("loaders of \(what)", like: "loaders: [http]") ?? [] {
                try give(entry.key, toLoader: try known(loader, what), at: loader.line)
            }
            for group in try fields["groups"]?.list("groups of \(what)", like: "groups: [shop]") ?? [] {
                try give(entry.key, toGroup: group)
            }
            if let node = fields["value"] { flow.limitValues[entry.key] = try value(node, ofLimit: entry.key) }
        }
    }

    private func rule(
        _ fields: [String: ConfigurationNode], _ what: String, _ line: Int
    ) throws(ConfigurationError) -> LimitRule {
        let most = Int(LimitRule.greatestCapacity)
        let capacity = try fields["capacity"].map { node throws(ConfigurationError) in
            try node.integer("the capacity of \(what)", in: 1...most)
        }
        let burst = try fields["burst"].map { node throws(ConfigurationError) in
            try node.integer("the burst of \(what)", in: 1...Int(LimitRefill.greatestCount))
        }
        var rule = LimitRule(capacity: capacity.map { UInt32($0) })
        if let node = fields["rate"] {
            let text = try node.text("the rate of \(what)")
            guard let rate = LimitRate(text) else {
                throw ConfigurationError("the rate of \(what) is \"\(text)\": \(LimitRate.advice)", line: node.line)
            }
            rule.refill = LimitRefill(
                rate.count, per: rate.period, burst: burst.map { UInt32($0) }, beyond: try beyond(fields["beyond"], what))
        } else if let key = ["burst", "beyond"].first(where: { fields[$0] != nil }) {
            throw ConfigurationError("\(what) has a \(key) and no rate: give it a rate, as in rate: 10/m", line: fields[key]?.line ?? line)
        }
        if let fault = rule.fault { throw ConfigurationError("\(what): \(fault)", line: fields["rate"]?.line ?? line) }
        return rule
    }

    private func beyond(_ node: ConfigurationNode?, _ what: String) throws(ConfigurationError) -> LimitBeyond {
        guard let node else { return .wait }
        let word = try node.text("beyond of \(what)")
        guard let beyond = LimitBeyond(word: word) else {
            throw ConfigurationError("beyond of \(what) is \"\(word)\": write wait or refuse", line: node.line)
        }
        return beyond
    }

    /// A loader that a limit names.
    private func known(_ node: ConfigurationNode, _ what: String) throws(ConfigurationError) -> String {
        let name = try node.text("a loader of \(what)")
        guard loaders.contains(name) else {
            let nearest = SpellingDistance.nearest(to: name, in: loaders.sorted()).map { "did you mean \"\($0)\"? " } ?? ""
            throw ConfigurationError(
                "\(what) names the loader \"\(name)\", which is not known; \(nearest)one of your own is named under loaders, as in "
                    + "loaders: { my-loader: {} }", line: node.line)
        }
        return name
    }

    private mutating func give(_ limit: String, toLoader loader: String, at line: Int) throws(ConfigurationError) {
        try Self.add(limit, to: &flow.limitsOfLoaders[loader, default: []], of: "loader \(loader)", line)
    }

    /// A limit holds for all loaders and feeds of a group.
    private mutating func give(_ limit: String, toGroup node: ConfigurationNode) throws(ConfigurationError) {
        let group = try node.text("a group of limit \(limit)")
        guard let members = flow.groups[group] else {
            let nearest = SpellingDistance.nearest(to: group, in: flow.groups.keys.sorted()).map { "did you mean \"\($0)\"?" }
            throw ConfigurationError(
                "limit \(limit) names the group \"\(group)\", which no loader and no feed has; "
                    + (nearest ?? "give one of them \"group: \(group)\""), line: node.line)
        }
        for loader in members.loaders.sorted() { try give(limit, toLoader: loader, at: node.line) }
        for name in members.feeds.sorted() {
            try Self.add(limit, to: &flow.limitsOfFeeds[name, default: []], of: "feed \(name)", node.line)
        }
    }

    /// For what of feeds a limit counts them apart: something that the feeds have for whose jobs it holds.
    private func value(_ node: ConfigurationNode, ofLimit limit: String) throws(ConfigurationError) -> FeedLimitValue {
        let what = "limit \(limit)"
        // Without quotes YAML takes the braces for a mapping.
        if case .map(let entries) = node.value, entries.count == 1, entries[0].node.value == .empty {
            throw ConfigurationError("the value of \(what) needs quotes: write value: \"{\(entries[0].key)}\"", line: node.line)
        }
        let text = try node.text("the value of \(what)")
        guard let value = FeedLimitValue(text) else {
            throw ConfigurationError(
                "the value of \(what) is \"\(text)\": write host, or a parameter of its feeds, as in \"{tenant}\"", line: node.line)
        }
        let holders = holders(of: limit)
        guard !holders.isEmpty else {
            throw ConfigurationError("\(what) has a value and holds for no feed: name a loader or a group of feeds", line: node.line)
        }
        for (holder, feeds) in holders where !feeds.contains(where: value.isKnown) {
            throw lacking(value, what, holder, feeds, node.line)
        }
        return value
    }

    /// The loaders that a limit holds for, each with its feeds, and the feeds of its groups.
    private func holders(of limit: String) -> [(name: String, feeds: [FeedDefinition])] {
        let loaders = flow.limitsOfLoaders.filter { $0.value.contains(limit) }.keys.sorted()
        let grouped = feeds.map(\.definition).filter { flow.limitsOfFeeds[$0.name]?.contains(limit) == true }
        return loaders.map { loader in ("the loader \(loader)", feeds.map(\.definition).filter { $0.sourceLoader == loader }) }
            + (grouped.isEmpty ? [] : [("its groups", grouped)])
    }

    /// Why a limit cannot count by a value: none of these feeds has it.
    private func lacking(
        _ value: FeedLimitValue, _ what: String, _ holder: String, _ feeds: [FeedDefinition], _ line: Int
    ) -> ConfigurationError {
        guard !feeds.isEmpty else {
            return ConfigurationError(
                "the value of \(what) is that of a feed, and \(holder), for which it holds, is no feed's: take the loader out of the limit, "
                    + "or the value", line: line)
        }
        guard case .parameter(let name) = value else {
            return ConfigurationError("the value of \(what) is the host of a url, and no feed of \(holder) has a url", line: line)
        }
        let nearest = SpellingDistance.nearest(to: name, in: Set(feeds.flatMap(\.parameters).map(\.name)).sorted())
        let step = nearest.map { "did you mean \"{\($0)}\"?" } ?? "declare it under parameters of one of them"
        return ConfigurationError(
            "the value of \(what) is the parameter \"\(name)\", which no feed of \(holder) has; \(step)", line: line)
    }

    private static func add(_ limit: String, to names: inout [String], of what: String, _ line: Int) throws(ConfigurationError) {
        guard !names.contains(limit) else { return }
        names.append(limit)
        guard names.count <= JobOptions.limitKeyLimit else {
            throw ConfigurationError(
                "\(what) has \(names.count) limits (\(names.joined(separator: ", "))), and a job counts in at most \(JobOptions.limitKeyLimit): "
                    + "leave one out", line: line)
        }
    }

    /// A load of a feed counts in the limits of the feed and in those of its loader.
    private func checkLoads(of feed: ConfiguredFeed, _ line: Int) throws(ConfigurationError) {
        guard let loader = feed.definition.sourceLoader else { return }
        let keys = flow.limitKeys(of: JobOptions(), loader: loader, feed: feed.definition.name)
        guard keys.count > JobOptions.limitKeyLimit else { return }
        throw ConfigurationError(
            "the loads of feed \(feed.definition.name) count in \(keys.count) limits, those of the feed and of its loader \(loader) "
                + "(\(keys.map(\.limit).joined(separator: ", "))), and a job counts in at most \(JobOptions.limitKeyLimit): leave one out",
            line: line)
    }

    private mutating func readClients(_ node: ConfigurationNode) throws(ConfigurationError) {
        for entry in try node.entries("clients", like: "clients: { importer: { weight: 2 } }") {
            guard (1...MessageBounds.labelByteCount).contains(entry.key.utf8.count), !entry.key.hasControlCharacters else {
                throw ConfigurationError("the name of a client has 1 to \(MessageBounds.labelByteCount) bytes", line: entry.line)
            }
            let what = "client \(entry.key)"
            let fields = try entry.node.fields(what, Self.clientKeys, like: "\(entry.key): { weight: 2 }")
            guard let weight = fields["weight"] else {
                throw ConfigurationError("\(what) has no weight: write for example \(entry.key): { weight: 2 }", line: entry.line)
            }
            guard flow.clientWeights[entry.key] == nil else {
                throw ConfigurationError("the client \"\(entry.key)\" is given twice; remove one", line: entry.line)
            }
            flow.clientWeights[entry.key] = UInt32(try weight.integer("the weight of \(what)", in: 1...FlowSettings.greatestClientWeight))
        }
    }
}

extension FlowReader {
    /// The group that something is in.
    static func group(_ node: ConfigurationNode, of what: String) throws(ConfigurationError) -> String {
        let group = try node.text("the group of \(what)")
        try check(group, "the group", node.line)
        return group
    }

    /// - Throws: an error that names one which would do, if there is such a one.
    static func check(_ name: String, _ what: String, _ line: Int) throws(ConfigurationError) {
        guard PlainName.isName(name) else {
            let example = Self.name(like: name).map { ", for example \($0)" } ?? ""
            throw ConfigurationError(
                "\(what) \"\(name)\" needs another name: a small letter, then up to 62 small letters, digits and hyphens\(example)",
                line: line)
        }
    }

    /// The name that reads most like a text that is none: `unit-price` for `unitPrice`; nil: none does.
    private static func name(like text: String) -> String? {
        guard text.utf8.allSatisfy({ $0 < 128 }) else { return nil }
        let words = text.replacing(/([a-z0-9])([A-Z])/) { "\($0.output.1)-\($0.output.2)" }.lowercased()
        let name = words.replacing(/[^a-z0-9]+/, with: "-")
        return PlainName.isName(name) ? name : nil
    }
}

/// Reads how often jobs of a loader are tried.
struct RetryReader {
    // The keys that are known, which `deploy/CONFIGURATION.md` explains.
    static let keys = ["attempts", "back-off", "longest", "jitter"]

    let loader: String

    /// Reads the keys `retry` and `codes` of a loader.
    /// - Returns: nil where nothing is said.
    /// - Throws: the first mistake found.
    func read(_ fields: [String: ConfigurationNode]) throws(ConfigurationError) -> RetryRule? {
        var usual = RetryRule()
        if let node = fields["retry"] {
            let own = try rule(node, "loader \(loader)", like: "retry: { attempts: 8, back-off: 2s, longest: 5m, jitter: false }")
            usual = RetryRule(attempts: own.attempts, backOff: own.backOff)
        }
        var codes: [CodeRetryRule] = []
        for entry in try fields["codes"]?.entries("codes of loader \(loader)", like: "codes: { unreachable: { attempts: 20 } }") ?? [] {
            let code = FailureCode(rawValue: entry.key)
            if let fault = code.faultOfName { throw ConfigurationError("codes of loader \(loader): \(fault)", line: entry.line) }
            codes.append(try rule(after: code, entry.node, beside: usual.backOff))
        }
        let rule = RetryRule(attempts: usual.attempts, backOff: usual.backOff, codes: codes)
        return rule == RetryRule() ? nil : rule
    }

    private func rule(
        after code: FailureCode, _ node: ConfigurationNode, beside usual: BackOff
    ) throws(ConfigurationError) -> CodeRetryRule {
        if case .scalar(let word) = node.value {
            guard word == "never" else {
                throw ConfigurationError(
                    "code \(code) of loader \(loader) is \"\(word)\": write never, or for example \(code): { attempts: 20 }",
                    line: node.line)
            }
            return .never(after: code)
        }
        let what = "code \(code) of loader \(loader)"
        let example = "\(code): { attempts: 20, back-off: 1m } or \(code): never"
        let rule = try rule(node, what, like: example)
        guard rule.attempts != nil || rule.backOff != BackOff() else {
            throw ConfigurationError("\(what) says nothing: write for example \(example)", line: node.line)
        }
        // What it leaves out is as the loader says, which must not contradict it.
        let own = BackOff(first: rule.backOff.first ?? usual.first, longest: rule.backOff.longest ?? usual.longest)
        if let fault = own.fault {
            let missing = rule.backOff.first == nil ? "back-off" : "longest"
            throw ConfigurationError("\(what), beside what the loader says: \(fault), or give the code its own \(missing)", line: node.line)
        }
        return CodeRetryRule(code, attempts: rule.attempts, backOff: rule.backOff)
    }

    private func rule(
        _ node: ConfigurationNode, _ what: String, like example: String
    ) throws(ConfigurationError) -> (attempts: UInt32?, backOff: BackOff) {
        let fields = try node.fields("retry of \(what)", Self.keys, like: example)
        let attempts = try fields["attempts"].map { node throws(ConfigurationError) in
            UInt32(try node.integer("attempts of \(what)", in: 1...Int(RetryRule.mostAttempts)))
        }
        var backOff = BackOff()
        if let node = fields["back-off"] { backOff.first = .milliseconds(try Quantity.time.count(of: node, "back-off of \(what)")) }
        if let node = fields["longest"] { backOff.longest = .milliseconds(try Quantity.time.count(of: node, "longest of \(what)")) }
        if let node = fields["jitter"] { backOff.hasJitter = try node.truth("jitter of \(what)") }
        if let fault = backOff.fault { throw ConfigurationError("back-off and longest of \(what): \(fault)", line: node.line) }
        return (attempts, backOff)
    }
}
