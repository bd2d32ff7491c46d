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
    static func cpuMicroseconds(ofProcess number: Int32) -> Double {
        guard let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return 0 }
        let fields = text[text.index(end, offsetBy: 2)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) * 10_000
    }
}
