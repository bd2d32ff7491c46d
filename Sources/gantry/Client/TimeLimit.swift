//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser

/// A duration on the command line: a whole number and `ms`, `s`, `m`, `h` or `d`, for example `250ms` or `30s`.
struct TimeLimit: ExpressibleByArgument, Hashable, Sendable {
    var duration: Duration
    /// As it was typed, for texts.
    let text: String

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let units: [String: Int64] = ["ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let count = Int64(digits), let unit = units[String(argument.dropFirst(digits.count))], count < 1 << 32 else { return nil }
        (duration, text) = (.milliseconds(count * unit), argument)
    }
}
