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
}
