//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// What the machine says about itself and about the memory of processes.
public enum HostInformation {
    /// The machine's name; "localhost" if it does not tell.
    public static var name: String {
        var text = [CChar](repeating: 0, count: 256)
        guard unsafe gantry_host_name(&text, text.count) == 0 else { return "localhost" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The number of the machine's boot: another after each start of the kernel.
    /// - Throws: `notFound` where the kernel does not tell.
    public static func bootID() throws(SystemError) -> String {
        let file = try OwnedDescriptor(path: "/proc/sys/kernel/random/boot_id", options: .read)
        var bytes: [UInt8] = []
        try file.read(into: &bytes, count: 64)
        return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
    }
}
