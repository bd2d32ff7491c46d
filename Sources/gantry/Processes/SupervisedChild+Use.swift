//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

extension SupervisedChild {
    /// Time that the process has spent on processors, in microseconds at a resolution of 10,000; 0 when it has ended.
    var cpuMicroseconds: Double {
        guard let number = processNumber, let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return 0 }
        let fields = text[text.index(end, offsetBy: 2)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) * 10_000
    }
}
