//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Loading
import Logging
import StateJSON

/// One record of the log as one line, as text or JSON.
struct LogLine {
    var at: Date
    var level: Logger.Level
    var label: String
    var message: String
    var fields: Logger.Metadata

    private static let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// `2026-11-21T10:00:00.000Z info front: attached worker=7`
    var text: String {
        let pairs = fields.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted("\($0.value)"))" }.joined()
        return "\(at.formatted(Self.time)) \(level) \(label): \(Self.flat(Redaction.apply(to: message)))\(pairs)"
    }

    /// `{"at":…,"level":…,"logger":…,"message":…}` and the fields beside them.
    var json: String {
        var texts: [String: String] = [:]
        for (key, value) in fields { texts[key] = Redaction.apply(to: "\(value)") }
        texts["at"] = at.formatted(Self.time)
        texts["level"] = level.rawValue
        texts["logger"] = label
        texts["message"] = Redaction.apply(to: message)
        return JSONValue.object(texts.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, text: $0.value) }).text
    }

    private static func quoted(_ value: String) -> String {
        let value = flat(Redaction.apply(to: value))
        return value.contains(" ") || value.isEmpty ? "\"\(value)\"" : value
    }

    /// Line breaks and other control characters would begin a line that nobody wrote.
    private static func flat(_ text: String) -> String { LineFitting.clean(text.replacing("\n", with: " ")) }
}
