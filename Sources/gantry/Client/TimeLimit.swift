//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser

/// A duration on the command line: a whole number and `ms`, `s`, `m`, `h` or `d`, for example `250ms` or `30s`.
struct TimeLimit: Hashable, Sendable {
    var duration: Duration
    /// As it was typed, for texts.
    let text: String

    /// - Throws: `ValidationError` that says what is missing.
    init(argument: String) throws {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let name = String(argument.dropFirst(digits.count))
        let units: [String: Int64] = ["ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let count = Int64(digits), let unit = units[name], count < 1 << 32 else {
            let reason = !digits.isEmpty && name.isEmpty ? "it has no unit" : "it is not a whole number and a unit"
            throw ValidationError("\(reason): write for example 250ms or 30s; units are ms, s, m, h, d")
        }
        // Nothing answers in no time: it would be told as a front that is not there.
        guard count > 0 else { throw ValidationError("a wait of 0 is over before anything is asked: write for example 250ms or 30s") }
        (duration, text) = (.milliseconds(count * unit), argument)
    }
}
