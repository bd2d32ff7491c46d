//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// Bold words of errors at a terminal; nothing for pipes, files and `NO_COLOR` (https://no-color.org). Results are plain.
struct TextStyle: Hashable {
    var isColored: Bool

    /// The style for a descriptor of this process, 2 for errors.
    static func of(_ descriptor: Int32, environment: [String: String]) -> TextStyle {
        let isForbidden = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let isDumb = environment["TERM"] == "dumb"
        return TextStyle(isColored: !isForbidden && !isDumb && NumberedDescriptor.isTerminal(descriptor))
    }

    func bold(_ text: String) -> String { isColored ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}
