//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

extension HostInformation {
    /// What numbers of processes count in: the machine's boot and this process's PID namespace, as `BOOT/INODE`.
    /// - Throws: `notFound` where the kernel does not tell, `invalidArgument` where `/proc` is that of another namespace.
    public static func processNamespace() throws(SystemError) -> String {
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
    public static func processStart(of process: ProcessID? = nil) throws(SystemError) -> UInt64 { try statistics(of: process).start }

    /// Whether a signal has stopped a process.
    /// - Throws: `notFound` when there is none of that number.
    public static func isStopped(_ process: ProcessID) throws(SystemError) -> Bool {
        try statistics(of: process).state == UInt8(ascii: "T")
    }

    /// The words that a process was started with, as far as they are in the first 4,096 bytes; none when it has ended or this user may not see it.
    public static func commandLine(of process: Int32) -> [String] {
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
