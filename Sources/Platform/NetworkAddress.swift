//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// Texts of IP addresses, as the system reads them.
public enum NetworkAddress {
    /// The bytes of an address in network order: 4 for IPv4 with four decimal numbers, 16 for the text forms of RFC 4291, section 2.2.
    ///
    /// - Returns: nil for anything else: names, short and octal spellings, zones.
    public static func bytes(of text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard !text.utf8.contains(0) else { return nil }
        let count = unsafe gantry_ip_address(text, &bytes)
        return count > 0 ? Array(bytes.prefix(Int(count))) : nil
    }

    /// Most addresses that are asked of one host.
    private static let hostAddressLimit = 16

    /// The addresses of a host in the order in which the system would try them (RFC 6724), 16 at most. Blocks for as long as name servers are silent.
    ///
    /// - Returns: their texts; empty when nobody knows the name.
    public static func addresses(ofHost host: String) -> [String] {
        guard !host.utf8.contains(0) else { return [] }
        let textByteCount = Int(gantry_address_text_size)
        var texts = [CChar](repeating: 0, count: hostAddressLimit * textByteCount)
        let count = unsafe gantry_host_addresses(host, &texts, Int32(hostAddressLimit))
        return (0..<max(0, Int(count))).map { number in
            let text = texts[(number * textByteCount)..<((number + 1) * textByteCount)].prefix { $0 != 0 }
            return String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
