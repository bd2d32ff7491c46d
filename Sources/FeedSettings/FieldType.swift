//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How the values of a configured field are read and compared.
public enum FieldType: String, Codable, Hashable, Sendable, CaseIterable {
    /// Text; numbers and booleans become their JSON text.
    case string
    /// A JSON number, or text that holds one.
    case number
    /// `true` or `false`; false is the smaller.
    case boolean
    /// A point in time as text by RFC 3339.
    case date
}
