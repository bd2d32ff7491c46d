//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The numbers of an encoded row, found without knowing its messages: whatever may be a number of some field is taken for one.
///
/// So every field of every entry is reached, those too that are added later; what was none after all makes bytes that are refused, or other text.
enum RowNumbers {
    private struct Field {
        let number: Int
        let wireType: UInt8
        /// Where it begins, and its content, without the length before it.
        let start: Int
        let content: Range<Int>
    }

    /// Changed bytes, and the numbers of the fields on the way to what was changed.
    typealias Variant = (path: [Int], bytes: [UInt8])

    /// All that come of a message when each of its numbers in turn becomes each of `values`.
    static func variants(of message: [UInt8], _ values: [UInt64]) -> [Variant] {
        (fields(of: message) ?? []).flatMap { field in
            contents(of: field, in: message, values).map { content in
                var bytes = Array(message[..<field.start])
                append(UInt64(field.number) << 3 | UInt64(field.wireType), to: &bytes)
                if field.wireType == 2 { append(UInt64(content.bytes.count), to: &bytes) }
                return ([field.number] + content.path, bytes + content.bytes + message[field.content.upperBound...])
            }
        }
    }

    private static func contents(of field: Field, in message: [UInt8], _ values: [UInt64]) -> [Variant] {
        let content = Array(message[field.content])
        switch field.wireType {
        case 0: return values.map { ([], varint($0)) }
        case 1: return values.map { ([], fixed($0)) }
        case 2:
            let packed = packedFixed(content, values) + packedVarints(content, values) + packedBytes(content)
            return variants(of: content, values) + packed.map { ([], $0) }
        default: return []
        }
    }

    /// As a column of numbers of 64 bits: the first and the last one become each value.
    private static func packedFixed(_ content: [UInt8], _ values: [UInt64]) -> [[UInt8]] {
        guard !content.isEmpty, content.count.isMultiple(of: 8) else { return [] }
        return [0, content.count - 8].flatMap { place in
            values.map { Array(content[..<place]) + fixed($0) + content[(place + 8)...] }
        }
    }

    /// As a column of numbers of any length.
    private static func packedVarints(_ content: [UInt8], _ values: [UInt64]) -> [[UInt8]] {
        var place = 0
        guard !content.isEmpty, content.count <= 16, readVarint(content, &place) != nil else { return [] }
        return values.map { varint($0) + content[place...] }
    }

    /// As a column of bytes.
    private static func packedBytes(_ content: [UInt8]) -> [[UInt8]] {
        guard !content.isEmpty, content.count <= 16 else { return [] }
        return [0, 1, 127, 128, 255].map { [$0] + content.dropFirst() }
    }

    private static func fields(of message: [UInt8]) -> [Field]? {
        var (fields, place): ([Field], Int) = ([], 0)
        while place < message.count {
            let start = place
            guard let key = readVarint(message, &place), key >> 3 > 0, key >> 3 < 1 << 12 else { return nil }
            let wireType = UInt8(key & 7)
            var begin = place
            switch wireType {
            case 0: if readVarint(message, &place) == nil { return nil }
            case 1: place += 8
            case 2:
                guard let length = readVarint(message, &place), length <= UInt64(message.count) else { return nil }
                begin = place
                place += Int(length)
            default: return nil
            }
            guard place <= message.count else { return nil }
            fields.append(Field(number: Int(key >> 3), wireType: wireType, start: start, content: begin..<place))
        }
        return fields
    }

    private static func readVarint(_ bytes: [UInt8], _ place: inout Int) -> UInt64? {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while place < bytes.count, shift < 64 {
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 127) << shift
            if byte < 128 { return value }
            shift += 7
        }
        return nil
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, to: &bytes)
        return bytes
    }

    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest > 127 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func fixed(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
}
