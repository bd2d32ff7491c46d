//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A codec that knows nothing but the tables of the document: what somebody would write from them in another language.
struct TableCodec {
    let document: ProtocolDocument

    /// A value as the tables describe it.
    indirect enum Tree: Hashable {
        case number(UInt64)
        case bytes([UInt8])
        case message(String, [Row])
    }

    /// A field that was there, with its values.
    struct Row: Hashable {
        let field: ProtocolDocument.Field
        var values: [Tree]
    }

    /// What does not follow the tables.
    struct Mismatch: Error {
        let message: String
        let reason: String
    }

    // MARK: Reading

    func read(_ name: String, _ bytes: [UInt8]) throws -> Tree {
        guard let table = document.messages[name] else { throw Mismatch(message: name, reason: "it has no table") }
        var rest = bytes[...]
        var rows: [Row] = []
        while !rest.isEmpty {
            let tag = try varint(&rest, name)
            guard let field = table.first(where: { $0.number == Int(tag >> 3) }) else {
                throw Mismatch(message: name, reason: "its table has no field \(tag >> 3)")
            }
            let packed = field.isRepeated && isNumber(field.type)
            guard tag & 7 == (packed ? 2 : kind(field.type)) else {
                throw Mismatch(message: name, reason: "\(field.name) has kind \(tag & 7)")
            }
            var values: [Tree] = []
            if packed {
                var part = try block(&rest, name)
                while !part.isEmpty { values.append(try value(field.type, &part, name)) }
            } else {
                values.append(try value(field.type, &rest, name))
            }
            if let last = rows.indices.last, rows[last].field == field, field.isRepeated {
                rows[last].values += values
            } else {
                rows.append(Row(field: field, values: values))
            }
        }
        return .message(name, rows)
    }

    private func value(_ type: String, _ rest: inout ArraySlice<UInt8>, _ name: String) throws -> Tree {
        switch kind(type) {
        case 0: return .number(try varint(&rest, name))
        case 1:
            guard rest.count >= 8 else { throw Mismatch(message: name, reason: "it ends in a number") }
            defer { rest = rest.dropFirst(8) }
            return .number(rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
        default:
            let part = Array(try block(&rest, name))
            return ["string", "bytes"].contains(type) ? .bytes(part) : try read(type, part)
        }
    }

    private func block(_ rest: inout ArraySlice<UInt8>, _ name: String) throws -> ArraySlice<UInt8> {
        let count = Int(try varint(&rest, name))
        guard rest.count >= count else { throw Mismatch(message: name, reason: "it ends in a block") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private func varint(_ rest: inout ArraySlice<UInt8>, _ name: String) throws -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { break }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        throw Mismatch(message: name, reason: "it ends in a varint")
    }

    // MARK: Writing

    func write(_ tree: Tree) -> [UInt8] {
        switch tree {
        case .number(let number): varint(number)
        case .bytes(let bytes): bytes
        case .message(_, let rows): rows.sorted { $0.field.number < $1.field.number }.flatMap(write)
        }
    }

    private func write(_ row: Row) -> [UInt8] {
        let (field, kind) = (row.field, kind(row.field.type))
        if field.isRepeated, isNumber(field.type) {
            let part = row.values.flatMap { plain($0, kind) }
            return varint(UInt64(field.number << 3 | 2)) + varint(UInt64(part.count)) + part
        }
        return row.values.flatMap { value -> [UInt8] in
            if !field.isRepeated, !field.hasPresence, value == .number(0) || value == .bytes([]) { return [] }
            let part = plain(value, kind)
            return varint(UInt64(field.number) << 3 | kind) + (kind == 2 ? varint(UInt64(part.count)) : []) + part
        }
    }

    private func plain(_ tree: Tree, _ kind: UInt64) -> [UInt8] {
        guard kind == 1, case .number(let number) = tree else { return write(tree) }
        return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private func varint(_ number: UInt64) -> [UInt8] {
        number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + varint(number >> 7)
    }

    // MARK: Kinds

    private func isNumber(_ type: String) -> Bool { kind(type) < 2 }

    private func kind(_ type: String) -> UInt64 {
        switch type {
        case "fixed64", "double": 1
        case "uint32", "uint64", "int64", "bool": 0
        default: document.enumerations[type] == nil ? 2 : 0
        }
    }
}
