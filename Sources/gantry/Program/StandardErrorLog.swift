//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Logging

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
        ErrorLines.shared.append(isJSON ? line.json : line.text)
    }

    /// Sets the log of this process up, once: `GANTRY_LOG_FORMAT=json` for JSON, `GANTRY_LOG_LEVEL` for another level than info.
    static func install(environment: [String: String]) {
        let isJSON = environment["GANTRY_LOG_FORMAT"] == "json"
        let level = environment["GANTRY_LOG_LEVEL"].flatMap(Logger.Level.init(rawValue:)) ?? .info
        LoggingSystem.bootstrap { StandardErrorLog(label: $0, isJSON: isJSON, logLevel: level) }
    }
}
