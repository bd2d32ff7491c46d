//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FeedSettings
import Model

extension GantryConfiguration {
    /// Reads a text of the format.
    ///
    /// - Parameter yaml: At most 1 MiB.
    /// - Throws: `ConfigurationError` with the line, without a path: the first mistake found.
    public init(yaml: String) throws(ConfigurationError) {
        let root = try YAMLText.parse(yaml)
        let fields = try root.fields("the configuration", ["version", "data", "http", "workers", "slots", "feeds"])
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
        guard let node = fields["feeds"] else { return }
        for entry in try node.entries("feeds") {
            if feeds.contains(where: { $0.definition.name == entry.key }) {
                throw ConfigurationError("the feed \"\(entry.key)\" is given twice; rename one", line: entry.line)
            }
            feeds.append(try FeedReader(name: entry.key, line: entry.line, http: http).read(entry.node))
        }
    }

    private mutating func readHTTP(_ node: ConfigurationNode) throws(ConfigurationError) {
        let fields = try node.fields("http", ["allow", "max-body", "timeout"])
        for entry in try fields["allow"]?.list("http.allow") ?? [] {
            let text = try entry.text("an entry of http.allow")
            guard let address = AllowedAddress(text) else {
                throw ConfigurationError(
                    "\"\(text)\" in http.allow is no address: write host:port or host:*", line: entry.line)
            }
            allow.append(address)
        }
        if let size = fields["max-body"] { http.maxBodyBytes = try Quantity.size(size, "http.max-body") }
        guard let times = try fields["timeout"]?.fields("http.timeout", ["connect", "idle", "total"]) else { return }
        if let time = times["connect"] { http.connectTimeoutSeconds = try Quantity.duration(time, "http.timeout.connect") }
        if let time = times["idle"] { http.idleTimeoutSeconds = try Quantity.duration(time, "http.timeout.idle") }
        if let time = times["total"] { http.totalTimeoutSeconds = try Quantity.duration(time, "http.timeout.total") }
    }
}
