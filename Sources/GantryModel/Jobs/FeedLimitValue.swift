//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
