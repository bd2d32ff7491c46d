//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A number as JSON writes it (RFC 8259, section 6), read as a double, and whether that makes another number of it.
///
/// The rule, here alone: a whole number from 2^53 on, in whatever form it is written, keeps its value only if its decimal digits are those of
/// the double's shortest form or of the double's exact value; up to 15 digits they always are. Every other number is read as the nearest
/// double, which is what all readers of JSON take `0.1` for.
struct WrittenNumber {
    /// Decimal digits without zeros at either end, and how many zeros follow them: 1200 is 12 and 2.
    private struct Digits: Equatable {
        var digits: [UInt8] = []
        var exponent = 0

        /// Reads digits with any of a sign, a point and an exponent; nil for an exponent beyond all numbers.
        init?(_ text: String) {
            let parts = text.utf8.split(maxSplits: 1) { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
            if parts.count == 2 {
                guard let written = Int(String(decoding: parts[1], as: UTF8.self)) else { return nil }
                exponent = written
            }
            var isFraction = false
            for byte in parts.first.map({ Array($0) }) ?? [] {
                if byte == UInt8(ascii: ".") { isFraction = true }
                guard (0x30...0x39).contains(byte) else { continue }
                if isFraction { exponent -= 1 }
                if byte != 0x30 || !digits.isEmpty { digits.append(byte) }
            }
            while digits.last == 0x30 {
                digits.removeLast()
                exponent += 1
            }
        }
    }

    /// Whole numbers below it are doubles all.
    private static let wholeLimit = 0x1p53

    /// The nearest double.
    let value: Double
    private let text: String

    /// - Returns: nil for what JSON does not write so, and for a number beyond all doubles.
    init?(_ text: String) {
        guard let first = text.utf8.first, var state = NumberState(first: first) else { return nil }
        for byte in text.utf8.dropFirst() {
            guard let next = state.after(byte) else { return nil }
            state = next
        }
        guard state.isComplete, let value = Double(text), value.isFinite else { return nil }
        (self.value, self.text) = (value, text)
    }

    /// Whether it is a whole number and the double another one.
    var isChanged: Bool {
        guard value.magnitude >= Self.wholeLimit else { return false }
        guard let written = Digits(text) else { return true }
        guard written.exponent >= 0 else { return false }
        return written != Digits(value.description) && written != Digits(Self.exactText(value.magnitude))
    }

    /// All digits of a double that is at least 2^53, and so a whole number.
    private static func exactText(_ value: Double) -> String {
        let base: UInt64 = 1_000_000_000
        var limbs = [value.significandBitPattern | 1 << 52]
        var bits = Int(value.exponent) - 52
        repeat {
            let step = min(bits, 29)
            var carry: UInt64 = 0
            // The first limb may be larger than the base: it is the only one then, and the first round shifts nothing.
            let shift = limbs.count == 1 && limbs[0] >= base ? 0 : step
            for index in limbs.indices {
                let sum = limbs[index] << UInt64(shift) + carry
                (limbs[index], carry) = (sum % base, sum / base)
            }
            while carry > 0 {
                limbs.append(carry % base)
                carry /= base
            }
            bits -= shift
        } while bits > 0
        let parts = limbs.reversed().map { String($0) }
        return parts.dropFirst().reduce(parts.first ?? "") { $0 + String(repeating: "0", count: 9 - $1.utf8.count) + $1 }
    }
}

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
