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

    /// Bytes of memory that a process has in RAM (VmRSS).
    /// - Parameter process: nil means this one.
    /// - Throws: `notFound` when the process has ended.
    public static func residentByteCount(of process: ProcessID? = nil) throws(SystemError) -> Int {
        let path = "/proc/\(process.map(\.description) ?? "self")/statm"
        let file = try OwnedDescriptor(path: path, options: .read)
        var bytes: [UInt8] = []
        try file.read(into: &bytes, count: 256)
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else {
            throw SystemError(code: .invalidArgument, context: "reading \(path): it has no second number")
        }
        return pages * Int(gantry_page_size())
    }
}
