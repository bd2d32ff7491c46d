//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Synchronization

/// Gathers a JSON text of bounded size and checks its grammar as it arrives.
final class JSONIngest: Sendable {
    private struct State {
        var scanner = JSONScanner(items: nil)
        var bytes: [UInt8] = []
        var share: MemoryShare?
    }

    private let state = Mutex(State())

    /// Up to this size a text goes into a result, which keeps nothing but its bytes.
    private static let smallByteCount = MessageBounds.payloadByteCount

    /// Keeps the memory that was granted for the text as long as the text is kept, and sets it aside: an array that grows takes twice its size for a
    /// moment.
    func hold(_ share: MemoryShare) {
        state.withLock { state in
            state.share = share
            state.bytes.reserveCapacity(share.byteCount)
        }
    }

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
            guard Self.isText(state.bytes) else { throw JSONFault(text: "the JSON is not in UTF-8") }
            if state.bytes.starts(with: JSONScanner.byteOrderMark) { state.bytes.removeFirst(JSONScanner.byteOrderMark.count) }
            guard state.bytes.count <= Self.smallByteCount else { return state.bytes }
            // Not the same array: room for far more may have been set aside.
            return state.bytes.map { $0 }
        }
    }

    /// Looks at the bytes where they are: a copy would take as much again.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        do {
            _ = try UTF8Span(validating: bytes.span)
            return true
        } catch {
            return false
        }
    }
}
