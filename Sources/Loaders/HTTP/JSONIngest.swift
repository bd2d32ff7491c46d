//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Synchronization

/// Gathers a JSON text of bounded size and checks its grammar as it arrives.
final class JSONIngest: Sendable {
    private struct State {
        var scanner = JSONScanner(items: nil)
        var bytes: [UInt8] = []
        var share: MemoryShare?
    }

    private let state = Mutex(State())

    /// Keeps the memory that was granted for the text as long as the text is kept.
    func hold(_ share: MemoryShare) { state.withLock { $0.share = share } }

    /// Reads the next part.
    /// - Throws: `JSONFault` at the first byte that cannot be.
    func append(_ part: [UInt8]) throws {
        try state.withLock { state in
            try state.scanner.push(part) { _ in }
            state.bytes.append(contentsOf: part)
        }
    }

    /// The whole text, without a byte order mark.
    /// - Throws: `JSONFault` when it is not complete or no UTF-8.
    func finish() throws -> [UInt8] {
        try state.withLock { state in
            try state.scanner.finish()
            guard String(validating: state.bytes, as: UTF8.self) != nil else { throw JSONFault(text: "the JSON is not in UTF-8") }
            let hasMark = state.bytes.starts(with: JSONScanner.byteOrderMark)
            return hasMark ? Array(state.bytes.dropFirst(JSONScanner.byteOrderMark.count)) : state.bytes
        }
    }
}
