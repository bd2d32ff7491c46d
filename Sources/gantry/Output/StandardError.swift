//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Loading
import Logging
import RegexBuilder
import StateFormatting
import Synchronization

// What stands on standard error beside failures: records of the log, and the line of progress.

/// Writes log records on standard error, one line each.
struct StandardErrorLog: LogHandler {
    let label: String
    let isJSON: Bool
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = event.metadata.map { metadata.merging($0) { _, new in new } } ?? metadata
        let line = LogLine(at: Date(), level: event.level, label: label, message: "\(event.message)", fields: fields)
        if isJSON { ErrorLines.shared.append(line.json) } else { ErrorLines.shared.append(folding: line.text) }
    }

    /// Sets the log of this process up, once: `GANTRY_LOG_FORMAT=json` for JSON, `GANTRY_LOG_LEVEL` for another level than info.
    static func install(environment: [String: String]) {
        let isJSON = environment["GANTRY_LOG_FORMAT"] == "json"
        let level = environment["GANTRY_LOG_LEVEL"].flatMap(Logger.Level.init(rawValue:)) ?? .info
        LoggingSystem.bootstrap { StandardErrorLog(label: $0, isJSON: isJSON, logLevel: level) }
    }
}

/// One record of the log as one line, as text or JSON.
struct LogLine {
    var at: Date
    var level: Logger.Level
    var label: String
    var message: String
    var fields: Logger.Metadata

    private static let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// `2026-11-21T10:00:00.000Z info front: registered worker=7`
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

/// Takes out of addresses what may be secret: user and password, up to the last `@` before the path, and the query.
enum Redaction {
    static func apply(to text: String) -> String {
        guard text.contains("://") else { return text }
        return text.replacing(/(?<scheme>[A-Za-z][A-Za-z0-9+.\-]*:\/\/)(?<user>[^\/?#\s"]*@)?(?<rest>[^?#\s"]*)(?<query>\?[^#\s"]*)?/) {
            match in
            let user = match.output.user == nil ? "" : "…@"
            let query = match.output.query == nil ? "" : "?…"
            return String(match.output.scheme) + user + String(match.output.rest) + query
        }
    }
}

/// The one line of a terminal that is written over and over while a command waits. It goes before anything else is written there, so that
/// results and errors stand alone.
final class ProgressLine: Sendable {
    /// That of standard error.
    static let shared = ProgressLine()

    private let isDrawn = Mutex(false)

    /// How wide the terminal is; nil: there is none, or one that cannot clear a line.
    var columns: Int? {
        guard ProcessInfo.processInfo.environment["TERM"] != "dumb" else { return nil }
        return NumberedDescriptor.terminalSize(2)?.columns
    }

    /// Writes the line over the one before.
    func draw(_ text: String, columns: Int) {
        isDrawn.withLock { isDrawn in
            write(Self.drawing(of: text, columns: columns))
            isDrawn = true
        }
    }

    /// Takes the line away.
    func clear() {
        isDrawn.withLock { isDrawn in
            if isDrawn { write(Self.clearing) }
            isDrawn = false
        }
    }

    /// What writes a text over the line before. The last column stays free: a terminal that is about to begin a new line would clear the
    /// character in it.
    static func drawing(of text: String, columns: Int) -> String { "\r" + TextFit.cut(text, columns: columns - 1) + "\u{1B}[K" }

    /// What takes the line away, for one who may not wait for a terminal that stands still; empty where there is none.
    var clearing: String { isDrawn.withLockIfAvailable { $0 ? Self.clearing : "" } ?? "" }

    /// To the first column, and clear to the end of the line.
    private static let clearing = "\r\u{1B}[K"

    private func write(_ text: String) {
        // Nobody can be told that standard error is closed.
        try? NumberedDescriptor.write(Array(text.utf8), to: 2)
    }
}
