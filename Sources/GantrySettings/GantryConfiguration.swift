//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
package import GantryFeedSettings
package import GantryModel

/// What a `gantry.yaml` says, checked and with defaults filled in; knows nothing of files, flags or the environment.
package struct GantryConfiguration: Hashable, Sendable {
    /// The data folder as written; nil: the default place.
    package var data: String?
    /// Where the http loader may go although the address is loopback or private.
    package var allow: [AllowedAddress]
    /// What bounds each transfer.
    package var http: HTTPLimits
    /// The feeds in the order of the file, each name once.
    package var feeds: [ConfiguredFeed]
    /// How many workers `up` starts, 1 to 256.
    package var workers: Int
    /// How many jobs a worker runs at once, 1 to 64.
    package var slots: Int
    /// Limits, what they hold for, and what clients weigh.
    package var flow: FlowSettings
    /// How long the front knows jobs that have ended.
    package var retention = JobRetention()

    /// A configuration without feeds.
    package init() {
        allow = []
        http = HTTPLimits()
        feeds = []
        workers = 2
        slots = 4
        flow = FlowSettings()
    }

    /// The loaders of one's own that feeds need, each with the names of those feeds, in the order of the file.
    package var ownLoaders: [(name: String, feeds: [String])] {
        var loaders: [(name: String, feeds: [String])] = []
        for feed in feeds {
            guard let name = feed.settings.loaderSource?.name else { continue }
            if let index = loaders.firstIndex(where: { $0.name == name }) {
                loaders[index].feeds.append(feed.definition.name)
            } else {
                loaders.append((name, [feed.definition.name]))
            }
        }
        return loaders
    }

    /// What the front decides by, in the order of the file.
    package var definitions: [FeedDefinition] { feeds.map(\.definition) }
}

extension GantryConfiguration {
    // The keys that are known, which `deploy/CONFIGURATION.md` explains.
    static let keys = ["version", "data", "http", "workers", "slots", "feeds", "limits", "loaders", "clients", "jobs"]
    static let httpKeys = ["allow", "max-body", "timeout"]
    static let timeoutKeys = ["connect", "idle", "total"]
    static let jobKeys = EndedKind.allCases.map(\.configurationKey)
    static let keepKeys = ["for", "at-most"]

    /// Reads a text of the format.
    ///
    /// - Parameter yaml: At most 1 MiB.
    /// - Throws: `ConfigurationError` with the line, without a path: the first mistake found.
    package init(yaml: String) throws(ConfigurationError) {
        let root = try YAMLText.parse(yaml)
        let fields = try root.fields("the configuration", Self.keys, like: "version: 1")
        guard let version = fields["version"] else {
            throw ConfigurationError("the version is missing; begin the file with \"version: 1\"", line: 1)
        }
        let number = try version.text("version")
        guard number == "1" else {
            throw ConfigurationError("version \"\(number)\" is not known; this gantry reads version 1", line: version.line)
        }
        self.init()
        if let node = fields["data"] { data = try node.text("data") }
        if let node = fields["workers"] { workers = try node.integer("workers", in: 1...256) }
        if let node = fields["slots"] { slots = try node.integer("slots", in: 1...64) }
        if let node = fields["http"] { try readHTTP(node) }
        if let node = fields["feeds"] { try readFeeds(node) }
        flow = try FlowReader(feeds: feeds).read(fields)
        if let node = fields["jobs"] { try readJobs(node) }
    }

    private mutating func readJobs(_ node: ConfigurationNode) throws(ConfigurationError) {
        let fields = try node.fields("jobs", Self.jobKeys, like: "jobs: { keep-failed: { for: 7d } }")
        func read(_ kind: EndedKind) throws(ConfigurationError) {
            let key = kind.configurationKey
            if let node = fields[key] { try Self.read(node, "jobs.\(key)", into: &retention[kind]) }
        }
        try read(.succeeded)
        // What is not said of cancelled jobs is as of those that succeeded: so it was before they had a rule of their own.
        retention[.cancelled] = retention[.succeeded]
        for kind in EndedKind.allCases where kind != .succeeded { try read(kind) }
    }

    private static func read(
        _ node: ConfigurationNode, _ what: String, into rule: inout JobRetention.Rule
    ) throws(ConfigurationError) {
        let fields = try node.fields(what, keepKeys, like: "{ for: 7d, at-most: 100000 }")
        if let age = fields["for"] { rule.age = .milliseconds(try Quantity.time.count(of: age, "\(what).for")) }
        if let count = fields["at-most"] {
            rule.count = try count.integer("\(what).at-most", in: 1...JobRetention.Rule.greatestCount)
        }
        if let fault = rule.fault { throw ConfigurationError("\(what): \(fault)", line: node.line) }
    }

    private mutating func readFeeds(_ node: ConfigurationNode) throws(ConfigurationError) {
        for entry in try node.entries("feeds", like: "feeds: { todos: { editable: true, item: { id: /id } } }") {
            if feeds.contains(where: { $0.definition.name == entry.key }) {
                throw ConfigurationError("the feed \"\(entry.key)\" is given twice; rename one", line: entry.line)
            }
            feeds.append(try FeedReader(name: entry.key, line: entry.line, http: http).read(entry.node))
        }
    }

    private mutating func readHTTP(_ node: ConfigurationNode) throws(ConfigurationError) {
        let fields = try node.fields("http", Self.httpKeys, like: "http: { max-body: 64MiB }")
        for entry in try fields["allow"]?.list("http.allow", like: "allow: [\"127.0.0.1:8000\"]") ?? [] {
            let text = try entry.text("an entry of http.allow")
            guard let address = AllowedAddress(text) else {
                throw ConfigurationError(
                    "\"\(text)\" in http.allow is no address: write host:port or host:*", line: entry.line)
            }
            allow.append(address)
        }
        if let size = fields["max-body"] { http.maxBodyBytes = try Quantity.size.count(of: size, "http.max-body") }
        guard let times = try fields["timeout"]?.fields("http.timeout", Self.timeoutKeys, like: "timeout: { total: 60s }") else { return }
        if let time = times["connect"] {
            http.connectTimeout = .milliseconds(try Quantity.time.count(of: time, "http.timeout.connect"))
        }
        if let time = times["idle"] { http.idleTimeout = .milliseconds(try Quantity.time.count(of: time, "http.timeout.idle")) }
        if let time = times["total"] { http.totalTimeout = .milliseconds(try Quantity.time.count(of: time, "http.timeout.total")) }
    }
}

/// A feed of the configuration: what the front decides by, what the loaders need, and how it is shown.
package struct ConfiguredFeed: Hashable, Sendable {
    /// For the front; its `settings` are the JSON text of `settings`.
    package var definition: FeedDefinition
    /// For the loaders.
    package var settings: LoaderSettings
    /// How screens show it.
    package var screen: Screen
    /// What limits may name instead of it and others together; nil: it is in no group.
    package var group: String?

    /// Where its loaders connect to.
    package var addresses: [FeedAddress] {
        [settings.httpSource.flatMap { FeedAddress(.load, $0.url) }, settings.detail.flatMap { FeedAddress(.detail, $0) }].compactMap { $0 }
    }

    /// How screens show a feed.
    package enum Screen: String, Hashable, Sendable, CaseIterable {
        /// Rows under each other.
        case list
        /// Rows, and the selected one's detail beside them.
        case split
        /// Pictures.
        case gallery
    }

    package init(definition: FeedDefinition, settings: LoaderSettings, screen: Screen, group: String? = nil) {
        self.definition = definition
        self.settings = settings
        self.screen = screen
        self.group = group
    }
}

/// Where a loader of a feed connects to, as far as the configuration says: a name is not looked up.
package struct FeedAddress: Hashable, Sendable {
    /// What is done there.
    package enum Work: String, Hashable, Sendable {
        /// The list is loaded.
        case load
        /// The detail of an item is loaded.
        case detail
    }

    /// What is done there.
    package let work: Work
    /// A name or a written address, in small letters, without the brackets of IPv6.
    package let host: String
    /// Its port, 1 to 65,535; that of the scheme where none is written.
    package let port: Int

    /// The address of a template; nil: there is none before its parameters have values.
    init?(_ work: Work, _ template: URLTemplate) {
        guard let text = try? template.expanded({ _ in "x" }), let url = URL(string: text), let host = url.host else { return nil }
        self.work = work
        // RFC 3986, section 3.2.2: case means nothing in a host.
        self.host = HostAndPort.bare(host).lowercased()
        port = url.port ?? (url.scheme == "https" ? 443 : 80)
    }

    /// As a URL and `http.allow` write it: `127.0.0.1:80`, `[::1]:80`.
    package var text: String { HostAndPort(host: host, port: port).description }
}

/// What is wrong with a configuration, where, and what to do; exit code 78.
package struct ConfigurationError: CodedError {
    /// Kinds of mistakes; more may come.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The word that programs read.
        package let description: String

        /// A key or a value is none, or does not fit another.
        package static let invalid = Self(description: "invalid")
        /// The text is not YAML, or more of it than a configuration needs.
        package static let syntax = Self(description: "syntax")
        /// A file that was named is not there.
        package static let missing = Self(description: "missing")
    }

    /// The kind of mistake.
    package var code: Code
    /// The file; nil: not from a file.
    package var path: String?
    /// Line in the file from 1; nil: the file as a whole.
    package var line: Int?
    /// What is wrong, and the next step where `nextStep` does not say it; one sentence each.
    package var context: String
    /// What to do; empty: correct it, then look with `gantry doctor`, which does not know every place.
    package var nextStep: String
    /// What the reader of the text, or the system, said.
    package var cause: ErrorCause?

    package init(
        _ context: String, line: Int? = nil, path: String? = nil, nextStep: String = "", code: Code = .invalid, cause: ErrorCause? = nil
    ) {
        self.code = code
        self.context = context
        self.line = line
        self.path = path
        self.nextStep = nextStep
        self.cause = cause
    }

    /// What is wrong and where, without the next step: `gantry.yaml:12: unknown key "feed"; did you mean "feeds"?`
    package var description: String {
        let place = [path, line.map(String.init)].compactMap { $0 }.joined(separator: ":")
        return place.isEmpty ? summary : place + ": " + summary
    }
}

extension EndedKind {
    /// What says how long its jobs are known, and how many of them.
    fileprivate var configurationKey: String {
        switch self {
        case .succeeded: "keep-ended"
        case .cancelled: "keep-cancelled"
        case .failed: "keep-failed"
        }
    }
}
