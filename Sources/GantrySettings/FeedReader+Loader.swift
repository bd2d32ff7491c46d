//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryModel

extension FeedReader {
    /// Reads `loader: NAME` and `settings: { … }` of a source.
    func loaderSource(_ node: ConfigurationNode, _ settings: ConfigurationNode?) throws(ConfigurationError) -> LoaderSource {
        let loader = try node.text("source.loader of feed \(name)")
        try checkName(loader, "the loader", node.line)
        guard loader != LoaderName.http else {
            throw ConfigurationError(
                "the loader http of feed \(name) needs an address: write source: { http: { url: … } }", line: node.line)
        }
        guard !LoaderName.all.contains(loader) else {
            throw ConfigurationError(
                "the loader \(loader) comes with Gantry and gives feed \(name) no items: name a loader of your own", line: node.line)
        }
        guard let settings else { return LoaderSource(name: loader) }
        // Only a mapping can grow without changing what is there.
        _ = try settings.entries("source.settings of feed \(name)", like: "settings: { file: /srv/towns.txt }")
        try checkNumbers(settings)
        let json = settings.value == .empty ? "{}" : settings.json
        guard json.utf8.count <= LoaderSource.settingsByteCount else {
            throw ConfigurationError(
                "source.settings of feed \(name) have \(json.utf8.count) bytes as JSON (limit \(LoaderSource.settingsByteCount)): "
                    + "put what is long into a file, and its path here", line: settings.line)
        }
        return LoaderSource(name: loader, settings: json)
    }

    /// No loader could read a number beyond those of a double.
    private func checkNumbers(_ node: ConfigurationNode) throws(ConfigurationError) {
        switch node.value {
        case .empty: break
        case .scalar(let text):
            guard node.isNumber, (Double(text) ?? .infinity).isInfinite else { return }
            throw ConfigurationError(
                "the number \(text.prefix(60)) in source.settings of feed \(name) is too large: write a smaller one, or quotes for a text",
                line: node.line)
        case .list(let nodes):
            for node in nodes { try checkNumbers(node) }
        case .map(let entries):
            for entry in entries { try checkNumbers(entry.node) }
        }
    }
}

extension ConfigurationNode {
    /// The same as JSON, keys in the order of the file. Without quotes, `true`, `false` and the numbers of JSON (RFC 8259, section 6) are what
    /// they look like. An empty value, `~` and `null` without quotes are null; every other scalar is a text.
    var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.text
    }

    private func write(to writer: inout JSONWriter) {
        switch value {
        case .empty: writer.raw("null")
        case .scalar(let text) where isPlain && (["true", "false"].contains(text) || isNumber): writer.raw(text)
        case .scalar(let text): writer.string(text)
        case .list(let nodes):
            writer.open("[")
            for node in nodes { node.write(to: &writer) }
            writer.close("]")
        case .map(let entries):
            writer.open("{")
            for entry in entries {
                writer.key(entry.key)
                entry.node.write(to: &writer)
            }
            writer.close("}")
        }
    }

    /// Whether it becomes a number in JSON.
    fileprivate var isNumber: Bool {
        guard isPlain, case .scalar(let text) = value else { return false }
        return text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil
    }
}

// How the loads of a feed follow each other.
extension FeedReader {
    // The keys that are known, which `deploy/CONFIGURATION.md` explains.
    static let loadsKeys = ["debounce", "longest", "while-running"]

    /// Reads the key `loads`.
    /// - Parameter feed: What was read of the feed before.
    func loads(_ node: ConfigurationNode, of feed: FeedDefinition) throws(ConfigurationError) -> FeedLoadRule {
        let what = "loads of feed \(name)"
        let fields = try node.fields(what, Self.loadsKeys, like: "loads: { debounce: 300ms }")
        guard feed.sourceLoader != nil else {
            throw ConfigurationError("feed \(name) has no source, so nothing is loaded: leave its loads out", line: node.line)
        }
        var rule = FeedLoadRule()
        rule.debounce = try debounce(fields, what)
        if let node = fields["while-running"] {
            rule.buffersOne = try choice(node, "while-running", of: ["join", "again"]) == "again"
            if rule.buffersOne, feed.isEditable {
                throw ConfigurationError(
                    "feed \(name) is editable, and what is loaded is joined into its list before it is loaded again: write "
                        + "\"while-running: join\"", line: node.line)
            }
        }
        return rule
    }

    private func debounce(_ fields: [String: ConfigurationNode], _ what: String) throws(ConfigurationError) -> Debounce? {
        guard let node = fields["debounce"] else {
            guard let longest = fields["longest"] else { return nil }
            throw ConfigurationError(
                "the \(what) have a longest wait and no debounce: write for example debounce: 300ms", line: longest.line)
        }
        let quiet = Duration.milliseconds(try Quantity.time.count(of: node, "debounce of the \(what)"))
        let longest = try fields["longest"].map { node throws(ConfigurationError) in
            Duration.milliseconds(try Quantity.time.count(of: node, "longest of the \(what)"))
        }
        let debounce = Debounce(quiet: quiet, longest: longest)
        if let fault = debounce.fault { throw ConfigurationError("debounce of the \(what): \(fault)", line: node.line) }
        return debounce
    }
}
