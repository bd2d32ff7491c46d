//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// Bold and colours for a terminal; nothing for pipes, files and `NO_COLOR` (https://no-color.org).
struct TextStyle: Hashable {
    var isColored: Bool

    /// The style for a descriptor of this process: 1 for output, 2 for errors.
    static func of(_ descriptor: Int32, environment: [String: String]) -> TextStyle {
        let isForbidden = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let isDumb = environment["TERM"] == "dumb"
        return TextStyle(isColored: !isForbidden && !isDumb && NumberedDescriptor.isTerminal(descriptor))
    }

    func bold(_ text: String) -> String { wrap(text, 1) }
    func red(_ text: String) -> String { wrap(text, 31) }
    func green(_ text: String) -> String { wrap(text, 32) }
    func yellow(_ text: String) -> String { wrap(text, 33) }

    private func wrap(_ text: String, _ number: Int) -> String {
        isColored ? "\u{1B}[\(number)m\(text)\u{1B}[0m" : text
    }
}
