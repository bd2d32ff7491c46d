//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// A CURVE key: 32 bytes, written as 40 characters of Z85 (ZeroMQ RFC 32).
///
/// Public and secret keys have the same form. A description never shows the bytes, so a key cannot reach a log by accident.
public struct CurveKey: Hashable, Sendable, CustomStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Wraps 32 bytes.
    /// - Returns: nil for any other length.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Reads 40 characters of Z85.
    /// - Returns: nil for another length or a character outside of the Z85 alphabet.
    public init?(z85 text: String) {
        guard text.utf8.count == 40, !text.utf8.contains(0) else { return nil }
        let decoded = unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            let result = unsafe zmq_z85_decode(buffer.baseAddress, text)
            count = unsafe result == nil ? 0 : 32
        }
        self.init(bytes: decoded)
    }

    /// The key as 40 characters of Z85.
    public var z85: String {
        var text = [CChar](repeating: 0, count: 41)
        _ = unsafe zmq_z85_encode(&text, bytes, 32)
        return String(decoding: text.prefix(40).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// "CurveKey", never the key.
    public var description: String { "CurveKey" }
}
