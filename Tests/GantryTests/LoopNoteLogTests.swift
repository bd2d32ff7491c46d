//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import Logging
import Synchronization
import Testing

@testable import gantry

@Suite("The front's log")
struct LoopNoteLogTests {
    /// Keeps what is logged.
    private final class Lines: Sendable {
        let texts = Mutex<[String]>([])
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            lines.texts.withLock { $0.append("\(event.message)\(fields)") }
        }
    }

    @Test("names the event behind a frame that could not be sent, at level debug alone", arguments: [Logger.Level.debug, .info])
    func event(level: Logger.Level) {
        let lines = Lines()
        let sink = LoopNoteLog.sink(Logger(label: "test") { _ in Handler(lines: lines, logLevel: level) })
        #expect((sink == nil) == (level == .info))
        sink?(LoopNote(kind: .peerGone(byteCount: 17), peer: PeerID(4), cause: EventID(99)))
        let expected = "a frame of 17 bytes cannot be sent: its receiver is no longer connected event=99 peer=4"
        #expect(lines.texts.withLock { $0 } == (sink == nil ? [] : [expected]))
    }
}
