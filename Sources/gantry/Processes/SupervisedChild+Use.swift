//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

extension SupervisedChild {
    /// What the process has in memory now and had at most, in bytes; 0 when it has ended.
    var memory: (resident: Int, peak: Int) {
        guard let number = processNumber, let text = try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8) else {
            return (0, 0)
        }
        func bytes(_ name: String) -> Int {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1_024 } ?? 0
        }
        return (bytes("VmRSS:"), bytes("VmHWM:"))
    }

    /// Time that the process has spent on processors, in microseconds at a resolution of 10,000; 0 when it has ended.
    var cpuMicroseconds: Double { processNumber.map { Self.cpuMicroseconds(ofProcess: $0) } ?? 0 }

    /// The same for any process of this machine.
    static func cpuMicroseconds(ofProcess number: Int32) -> Double { statistics("/proc/\(number)/stat")?.microseconds ?? 0 }

    /// The same for each thread of a process, by its number.
    /// - Parameter name: of threads that are left out.
    static func threadMicroseconds(ofProcess number: Int32, besides name: String? = nil) -> [Int32: Double] {
        let folder = "/proc/\(number)/task"
        var threads: [Int32: Double] = [:]
        // A thread may end while the folder is read: it is missing then.
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let id = Int32(thread), let found = statistics("\(folder)/\(thread)/stat"), found.name != name else { continue }
            threads[id] = found.microseconds
        }
        return threads
    }

    /// Name and time of a process or thread, as proc(5) has them: the name stands in brackets and may have some itself.
    private static func statistics(_ path: String) -> (name: String, microseconds: Double)? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8), let start = text.firstIndex(of: "("),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        return (String(text[text.index(after: start)..<end]), (user + system) * 10_000)
    }
}
