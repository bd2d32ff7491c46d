//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser

/// The value of `--memory`: a size with its unit, at least 16 MiB, as sizes are written in the configuration.
struct MemorySize: Hashable, CustomStringConvertible {
    private static let units = ["MiB": 20, "GiB": 30]

    let byteCount: Int

    init(byteCount: Int) { self.byteCount = byteCount }

    /// - Throws: `ValidationError` where there is no unit, another one, less than 16 MiB or more than 1,024 GiB.
    init(argument: String) throws {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits), (1...1 << 20).contains(count), let shift = Self.units[String(argument.dropFirst(digits.count))],
            (16 << 20...1 << 40).contains(count << shift)
        else { throw ValidationError("it is 16MiB to 1024GiB, written with its unit, for example 256MiB") }
        byteCount = count << shift
    }

    /// As `--help` shows it, and as it can be given.
    var description: String { "\(byteCount >> 20)MiB" }
}
