//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform

/// What the machine says about itself and about the memory of processes.
package enum HostInformation {
    /// The machine's name; "localhost" if it does not tell.
    package static var name: String {
        var text = [CChar](repeating: 0, count: 256)
        guard unsafe gantry_host_name(&text, text.count) == 0 else { return "localhost" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The number of the machine's boot: another after each start of the kernel.
    /// - Throws: `notFound` where the kernel does not tell.
    package static func bootID() throws(SystemError) -> String {
        let file = try OwnedDescriptor(path: "/proc/sys/kernel/random/boot_id", options: .read)
        var bytes: [UInt8] = []
        try file.read(into: &bytes, count: 64)
        return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
    }
}

extension HostInformation {
    /// What numbers of processes count in: the machine's boot and this process's PID namespace, as `BOOT/INODE`.
    /// - Throws: `notFound` where the kernel does not tell, `invalidArgument` where `/proc` is that of another namespace.
    package static func processNamespace() throws(SystemError) -> String {
        let own = try statistics(of: nil)
        guard own.number == ProcessControl.currentID else {
            throw SystemError(code: .invalidArgument, context: "reading /proc/self/stat: it belongs to another PID namespace")
        }
        let inode = try OwnedDescriptor(path: "/proc/self/ns/pid", options: .read).status().inode
        return "\(try bootID())/\(inode)"
    }

    /// When a process began, in the kernel's ticks since the boot.
    /// - Parameter process: nil means this one.
    /// - Throws: `notFound` when there is none of that number.
    package static func processStart(of process: ProcessID? = nil) throws(SystemError) -> UInt64 { try statistics(of: process).start }

    /// Whether a signal has stopped a process.
    /// - Throws: `notFound` when there is none of that number.
    package static func isStopped(_ process: ProcessID) throws(SystemError) -> Bool {
        try statistics(of: process).state == UInt8(ascii: "T")
    }

    /// The words that a process was started with, as far as they are in the first 4,096 bytes; none when it has ended or this user may not see it.
    package static func commandLine(of process: Int32) -> [String] {
        var bytes: [UInt8] = []
        guard let file = try? OwnedDescriptor(path: "/proc/\(process)/cmdline", options: .read),
            (try? file.read(into: &bytes, count: 4_096)) != nil
        else { return [] }
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The fields of `/proc/N/stat` behind the name, which may hold anything, and the number before it.
    private static func statistics(of process: ProcessID?) throws(SystemError) -> (number: Int32, state: UInt8?, start: UInt64) {
        let path = "/proc/\(process.map(\.description) ?? "self")/stat"
        let file = try OwnedDescriptor(path: path, options: .read)
        var bytes: [UInt8] = []
        try file.read(into: &bytes, count: 4_096)
        let number = Int32(String(decoding: bytes.prefix { $0 != 32 }, as: UTF8.self))
        let fields = bytes.lastIndex(of: 41).map { bytes[($0 + 1)...].split(separator: 32) } ?? []
        // Field 22 of all; the two before these are the number and the name.
        guard let number, fields.count > 19, let start = UInt64(String(decoding: fields[19], as: UTF8.self)) else {
            throw SystemError(code: .invalidArgument, context: "reading \(path): it has no 22 fields")
        }
        return (number, fields[0].first, start)
    }
}

/// Texts of IP addresses, as the system reads them.
package enum NetworkAddress {
    /// The bytes of an address in network order: 4 for IPv4 with four decimal numbers, 16 for the text forms of RFC 4291, section 2.2.
    ///
    /// - Returns: nil for anything else: names, short and octal spellings, zones.
    package static func bytes(of text: String) -> [UInt8]? {
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
    package static func addresses(ofHost host: String) -> [String] {
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
