//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryModel

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
