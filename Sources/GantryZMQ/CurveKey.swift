//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// A CURVE key: 32 bytes, written as 40 characters of Z85 (ZeroMQ RFC 32).
///
/// Public and secret keys have the same form. A description never shows the bytes, so a key cannot reach a log by accident.
package struct CurveKey: Hashable, Sendable, CustomStringConvertible {
    /// The 32 bytes.
    package let bytes: [UInt8]

    /// Wraps 32 bytes.
    /// - Returns: nil for any other length.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Reads 40 characters of Z85.
    /// - Returns: nil for another length or a character outside of the Z85 alphabet.
    package init?(z85 text: String) {
        guard text.utf8.count == 40, !text.utf8.contains(0) else { return nil }
        let decoded = unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            let result = unsafe zmq_z85_decode(buffer.baseAddress, text)
            count = unsafe result == nil ? 0 : 32
        }
        self.init(bytes: decoded)
    }

    /// The key as 40 characters of Z85.
    package var z85: String {
        var text = [CChar](repeating: 0, count: 41)
        _ = unsafe zmq_z85_encode(&text, bytes, 32)
        return String(decoding: text.prefix(40).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// "CurveKey", never the key.
    package var description: String { "CurveKey" }
}

/// A public and a secret CURVE key that belong together.
package struct CurveKeyPair: Hashable, Sendable {
    /// May be given to anybody.
    package let publicKey: CurveKey
    /// Stays with its owner.
    package let secretKey: CurveKey

    /// Makes a new random pair.
    /// - Throws: libzmq's error when the library was built without CURVE; install libzmq5 of the distribution.
    package static func generate() throws(ZMQError) -> CurveKeyPair {
        var publicText = [CChar](repeating: 0, count: 41)
        var secretText = [CChar](repeating: 0, count: 41)
        guard unsafe zmq_curve_keypair(&publicText, &secretText) == 0 else {
            throw ZMQError.last("making a CURVE key pair; use a libzmq that was built with libsodium")
        }
        return try CurveKeyPair(publicText: publicText, secretText: secretText)
    }

    /// Derives the public key from a secret one.
    /// - Throws: libzmq's error when the library was built without CURVE.
    package init(secretKey: CurveKey) throws(ZMQError) {
        var publicText = [CChar](repeating: 0, count: 41)
        guard unsafe zmq_curve_public(&publicText, secretKey.z85) == 0 else {
            throw ZMQError.last("deriving a CURVE public key; use a libzmq that was built with libsodium")
        }
        let secretText = secretKey.z85.utf8.map { CChar(bitPattern: $0) }
        try self.init(publicText: publicText, secretText: secretText)
    }

    private init(publicText: [CChar], secretText: [CChar]) throws(ZMQError) {
        guard let publicKey = Self.key(publicText), let secretKey = Self.key(secretText) else {
            throw ZMQError(code: .invalidArgument, context: "reading a CURVE key pair of libzmq; report this")
        }
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    private static func key(_ text: [CChar]) -> CurveKey? {
        CurveKey(z85: String(decoding: text.prefix(40).map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}

extension CurveKey: SocketOptionValue {
    /// The 32 bytes.
    package func optionBytes(millisecondsPerUnit: Int64) -> [UInt8] { bytes }
    /// Reads 32 bytes.
    package static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> CurveKey? { CurveKey(bytes: bytes) }
    /// 32, which makes libzmq answer in binary.
    package static var optionCapacity: Int { 32 }
}
