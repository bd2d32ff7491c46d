//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Model

/// Why what somebody typed is no feed's key, for the one who typed it.
enum FeedKeyFault {
    private static let names = FeedKey.nameRule

    /// What is wrong with a key's text.
    static func text(of key: String) -> String {
        let parts = key.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let path = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard path.count <= 2, path.allSatisfy({ FeedKey.isName(String($0)) }), let name = path.last else {
            return "\"\(parts[0])\" is not a valid feed name: \(names)"
        }
        var parameters: [FeedKey.Parameter] = []
        for pair in parts.dropFirst().joined(separator: "").split(separator: "&", omittingEmptySubsequences: false) {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard halves.count == 2 else { return "the key's parameter \"\(pair)\" has no value: write name=value" }
            guard let value = halves[1].removingPercentEncoding else {
                return "the key's value \"\(halves[1])\" has \(escapeFault(in: halves[1]))"
            }
            parameters.append(FeedKey.Parameter(name: halves[0], value: value))
        }
        return text(of: parameters, of: String(name))
    }

    /// What is wrong with the parameters of a feed.
    static func text(of parameters: [FeedKey.Parameter], of feed: String) -> String {
        if let wrong = parameters.first(where: { !FeedKey.isName($0.name) }) {
            return "\"\(wrong.name)\" is not a valid parameter name: \(names)"
        }
        var seen: Set<String> = []
        if let twice = parameters.first(where: { !seen.insert($0.name).inserted }) {
            return "the parameter \(twice.name) of \(feed) is given twice: give it once"
        }
        return "the key of \(feed) is over \(FeedKey.byteCountLimit) bytes with its parameters: shorten their values"
    }

    private static func escapeFault(in value: String) -> String {
        value.contains(/%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)/) ? "an incomplete % escape" : "% escapes that are not UTF-8"
    }
}
