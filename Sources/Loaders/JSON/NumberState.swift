//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where in a JSON number (RFC 8259, section 6) the scanner stands.
enum NumberState {
    /// After the minus sign; a digit must follow.
    case minus
    /// After a leading 0; no digit may follow.
    case zero
    /// In the digits of the integer part.
    case integer
    /// After the point; a digit must follow.
    case point
    /// In the digits of the fraction.
    case fraction
    /// After `e`; a sign or a digit must follow.
    case exponent
    /// After the sign of the exponent; a digit must follow.
    case exponentSign
    /// In the digits of the exponent.
    case exponentDigits

    /// The state after the first byte of a number; nil if none begins so.
    init?(first byte: UInt8) {
        switch byte {
        case UInt8(ascii: "-"): self = .minus
        case UInt8(ascii: "0"): self = .zero
        case UInt8(ascii: "1")...UInt8(ascii: "9"): self = .integer
        default: return nil
        }
    }

    /// Whether the number may end here.
    var isComplete: Bool {
        switch self {
        case .zero, .integer, .fraction, .exponentDigits: true
        case .minus, .point, .exponent, .exponentSign: false
        }
    }

    /// The state after one more byte; nil if the byte is no part of the number.
    func after(_ byte: UInt8) -> NumberState? {
        let isDigit = (48...57).contains(byte)
        let isExponent = byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E")
        switch self {
        case .minus: return isDigit ? (byte == 48 ? .zero : .integer) : nil
        case .zero: return byte == UInt8(ascii: ".") ? .point : isExponent ? .exponent : nil
        case .integer: return isDigit ? .integer : byte == UInt8(ascii: ".") ? .point : isExponent ? .exponent : nil
        case .point: return isDigit ? .fraction : nil
        case .fraction: return isDigit ? .fraction : isExponent ? .exponent : nil
        case .exponent:
            if isDigit { return .exponentDigits }
            return byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") ? .exponentSign : nil
        case .exponentSign, .exponentDigits: return isDigit ? .exponentDigits : nil
        }
    }
}
