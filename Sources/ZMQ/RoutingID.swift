//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The name a `Router` gives to one connection: 1 to 16 bytes, kept inline.
///
/// It is a claim, not an identity: take who somebody is from `Message.metadata(.userID)` or `peerCredentials` of the body.
/// Automatic names have 5 bytes and are new for each connection. Longer names of up to 255 bytes, which a peer may choose
/// itself, are refused as malformed.
public struct RoutingID: Hashable, Sendable, CustomStringConvertible {
    /// The longest name that is accepted, in bytes.
    public static let maximumByteCount = 16

    var storage: (UInt64, UInt64) = (0, 0)
    var count: UInt8 = 0

    init() {}

    /// Wraps bytes.
    /// - Returns: nil unless there are 1 to 16.
    public init?(bytes: [UInt8]) {
        guard 1...Self.maximumByteCount ~= bytes.count else { return nil }
        unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.copyBytes(from: bytes) }
        count = UInt8(bytes.count)
    }

    /// The bytes as they travel.
    public var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: storage) { unsafe Array($0.prefix(Int(count))) }
    }

    /// The bytes as hexadecimal digits.
    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Names are equal when their bytes are.
    public static func == (left: RoutingID, right: RoutingID) -> Bool {
        left.storage.0 == right.storage.0 && left.storage.1 == right.storage.1 && left.count == right.count
    }

    /// Feeds the bytes to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.0)
        hasher.combine(storage.1)
        hasher.combine(count)
    }
}
