//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension BinaryInteger {
    /// The number as sentences and help texts write it, for example 1,000,000.
    public var grouped: String {
        let text = String(self)
        let digits = Array(text.drop { $0 == "-" })
        return digits.indices.reduce(into: String(text.prefix { $0 == "-" })) { text, index in
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digits[index])
        }
    }
}
