//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// An IP address; an IPv4 address written as IPv6 (`::ffff:10.0.0.1`) is the IPv4 address.
struct IPAddress: Hashable, Sendable {
    /// 4 or 16 bytes in network order.
    let bytes: [UInt8]

    /// Reads four decimal numbers with points, or the text form of RFC 4291, section 2.2; nil for anything else, other spellings of IPv4 included.
    init?(_ text: String) {
        if let bytes = Self.version4(text[...]) {
            self.bytes = bytes
        } else if let bytes = Self.version6(text) {
            let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            self.bytes = isMapped ? Array(bytes[12...]) : bytes
        } else {
            return nil
        }
    }

    /// Whether it is an address of the public internet: not loopback, private, link-local, shared, documentation, multicast or reserved
    /// (RFC 6890), nor a tunnel whose other end cannot be told.
    var isPublic: Bool {
        if bytes.count == 4 { return Self.isPublic(bytes) }
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        if bytes[0] == 0x20, bytes[1] == 0x02 { return Self.isPublic(Array(bytes[2..<6])) }
        let isSpecial = bytes[0] == 0x20 && bytes[1] == 0x01 && (bytes[2] < 2 || bytes[2] == 0x0D && bytes[3] == 0xB8)
        return !isSpecial
    }

    private static func isPublic(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (224..., _, _), (169, 254, _), (192, 168, _): false
        case (100, 64...127, _), (172, 16...31, _), (198, 18...19, _): false
        case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 51, 100), (203, 0, 113): false
        default: true
        }
    }

    private static func version4(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let bytes = parts.compactMap { part in
            part.utf8.allSatisfy { (48...57).contains($0) } && (part == "0" || part.first != "0") ? UInt8(part) : nil
        }
        return bytes.count == 4 ? bytes : nil
    }

    private static func version6(_ text: String) -> [UInt8]? {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2, text.contains(":"), let front = groups(halves[0]) else { return nil }
        guard halves.count == 2 else { return front.count == 16 ? front : nil }
        guard let back = groups(halves[1]), front.count + back.count <= 14 else { return nil }
        return front + [UInt8](repeating: 0, count: 16 - front.count - back.count) + back
    }

    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, let tail = version4(part) {
                bytes += tail
            } else {
                guard (1...4).contains(part.utf8.count), part.first != "+", let group = UInt16(part, radix: 16) else { return nil }
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            }
        }
        return bytes
    }
}
