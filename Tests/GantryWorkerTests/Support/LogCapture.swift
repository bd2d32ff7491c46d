//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Logging
import Synchronization

/// Keeps what is logged.
final class LogCapture: Sendable {
    private struct Handler: LogHandler {
        let capture: LogCapture
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
            capture.retained.withLock { $0.append("\(event.message) " + fields.joined(separator: " ")) }
        }
    }

    private let retained = Mutex<[String]>([])

    /// Each record's message and fields.
    var lines: [String] { retained.withLock { $0 } }

    /// A logger whose records are kept here.
    var logger: Logger { Logger(label: "test") { _ in Handler(capture: self) } }
}
