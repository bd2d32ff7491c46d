//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// A public and a secret CURVE key that belong together.
public struct CurveKeyPair: Hashable, Sendable {
    /// May be given to anybody.
    public let publicKey: CurveKey
    /// Stays with its owner.
    public let secretKey: CurveKey

    /// Makes a new random pair.
    /// - Throws: libzmq's error when the library was built without CURVE; install libzmq5 of the distribution.
    public static func generate() throws(ZMQError) -> CurveKeyPair {
        var publicText = [CChar](repeating: 0, count: 41)
        var secretText = [CChar](repeating: 0, count: 41)
        guard unsafe zmq_curve_keypair(&publicText, &secretText) == 0 else {
            throw ZMQError.last("making a CURVE key pair; use a libzmq that was built with libsodium")
        }
        return try CurveKeyPair(publicText: publicText, secretText: secretText)
    }

    /// Derives the public key from a secret one.
    /// - Throws: libzmq's error when the library was built without CURVE.
    public init(secretKey: CurveKey) throws(ZMQError) {
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
