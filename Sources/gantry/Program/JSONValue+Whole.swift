//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import StateJSON

extension JSONValue {
    /// A whole number, also one below zero.
    static func whole(_ number: Int) -> JSONValue { .number(Double(number)) }

    /// Texts in order.
    static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
