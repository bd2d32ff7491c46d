//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryFeedSettings

/// Checks a JSON text (RFC 8259) as it arrives, in parts of any size, and cuts out the elements of one array in it.
///
/// Memory is bounded by the depth (512) and the largest element (16 MiB), whatever the text's size. Strings outside the elements are not checked for
/// well-formed UTF-8.
package struct JSONScanner {
    /// Deepest nesting that is read.
    static let depthLimit = 512
    /// Largest element that is cut out, in bytes.
    static let elementByteCount = 16 << 20

    private enum State {
        case value, valueOrEnd, keyOrEnd, key, colon, commaOrEnd, string, escape, hex, literal, end
        case number(NumberState)
    }

    private enum Signal { case none, began, ended, endedBefore }

    private struct Container {
        var isObject: Bool
        var index = 0
    }

    /// What a text may begin with though RFC 8259 forbids it (section 8.1 lets a reader ignore it).
    package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let steps: [JSONStep]?
    private let pointer: String
    private var state = State.value
    private var containers: [Container] = []
    private var pathDepth = 0
    private var stepMatches = false
    private var isKey = false
    private var key: [UInt8]?
    private var hexLeft = 0
    private var literalLeft: ArraySlice<UInt8> = []
    private var itemsDepth: Int?
    private var wasFound = false
    private var element: [UInt8] = []
    private var isInElement = false
    private var offset = 0
    /// How many bytes of a byte order mark have come.
    private var markCount = 0

    /// - Parameter items: where the array is; nil: the text is checked only.
    package init(items: JSONPointer?) {
        steps = items?.tokens.map(JSONStep.init)
        pointer = items.map { $0.tokens.isEmpty ? "the top level" : $0.description } ?? ""
    }

    /// Reads the next part.
    ///
    /// - Parameter item: receives each element's bytes in order.
    /// - Throws: `JSONFault` at the first byte that cannot be; what `item` throws.
    package mutating func push(_ chunk: [UInt8], item: ([UInt8]) throws -> Void) throws {
        var start = 0
        var index = 0
        while index < chunk.count {
            if case .string = state {
                let begin = index
                while index < chunk.count, chunk[index] >= 0x20, chunk[index] != 0x22, chunk[index] != 0x5C { index += 1 }
                if index > begin {
                    key?.append(contentsOf: chunk[begin..<index])
                    offset += index - begin
                    continue
                }
            }
            switch try step(chunk[index]) {
            case .none: break
            case .began: start = index
            case .ended:
                try collect(chunk[start...index])
                try item(element)
                element.removeAll(keepingCapacity: true)
            case .endedBefore:
                try collect(chunk[start..<index])
                try item(element)
                element.removeAll(keepingCapacity: true)
            }
            index += 1
            offset += 1
        }
        if isInElement { try collect(chunk[start...]) }
    }

    /// Ends the text.
    /// - Throws: `JSONFault` when it is not complete, or has nothing at the pointer.
    package mutating func finish() throws {
        if case .number(let number) = state, number.isComplete, containers.isEmpty { state = .end }
        guard offset > 0 else { throw JSONFault("the JSON text is empty") }
        guard case .end = state else { throw JSONFault("the JSON ends too early, after \(offset) bytes") }
        guard steps == nil || wasFound else {
            throw JSONFault("the JSON has nothing at \(pointer); set `items:` to the pointer of the array of items")
        }
    }

    private mutating func collect(_ part: ArraySlice<UInt8>) throws {
        guard element.count + part.count <= Self.elementByteCount else {
            throw JSONFault(
                "one item has more than \(Self.elementByteCount) bytes; set `items:` to the pointer of the array of items")
        }
        element.append(contentsOf: part)
    }

    private func fault(_ byte: UInt8, _ expected: String) -> JSONFault {
        let shown = (0x21...0x7E).contains(byte) ? "\"\(Character(Unicode.Scalar(byte)))\"" : "byte \(byte)"
        return JSONFault("invalid JSON at byte \(offset): \(shown) where \(expected) is expected")
    }

    private mutating func step(_ byte: UInt8) throws -> Signal {
        if offset == markCount, offset < Self.byteOrderMark.count {
            if byte == Self.byteOrderMark[offset] {
                markCount += 1
                return .none
            }
            guard offset == 0 else { throw fault(byte, "a byte order mark") }
        }
        switch state {
        case .string: return try stepString(byte)
        case .escape: return try stepEscape(byte)
        case .hex:
            guard Character(Unicode.Scalar(byte)).isHexDigit, byte < 0x80 else { throw fault(byte, "a hexadecimal digit") }
            key?.append(byte)
            hexLeft -= 1
            if hexLeft == 0 { state = .string }
            return .none
        case .number(let number):
            if let next = number.after(byte) {
                state = .number(next)
                return .none
            }
            guard number.isComplete else { throw fault(byte, "a digit") }
            let isElement = endValue()
            let signal = try stepStructure(byte)
            return isElement ? .endedBefore : signal
        case .literal:
            guard byte == literalLeft.first else { throw fault(byte, "true, false or null") }
            literalLeft = literalLeft.dropFirst()
            return literalLeft.isEmpty && endValue() ? .ended : .none
        case .value, .valueOrEnd, .keyOrEnd, .key, .colon, .commaOrEnd, .end: return try stepStructure(byte)
        }
    }

    private mutating func stepString(_ byte: UInt8) throws -> Signal {
        switch byte {
        case 0x22:
            guard isKey else { return endValue() ? .ended : .none }
            isKey = false
            state = .colon
            if let key, let steps { stepMatches = steps[containers.count - 1].matches(escaped: key[...]) }
            key = nil
        case 0x5C:
            key?.append(byte)
            state = .escape
        default: throw fault(byte, "a character of a text")
        }
        return .none
    }

    private mutating func stepEscape(_ byte: UInt8) throws -> Signal {
        key?.append(byte)
        if byte == UInt8(ascii: "u") {
            hexLeft = 4
            state = .hex
        } else if "\"\\/bfnrt".utf8.contains(byte) {
            state = .string
        } else {
            throw fault(byte, "an escape")
        }
        return .none
    }

    private mutating func stepStructure(_ byte: UInt8) throws -> Signal {
        if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { return .none }
        switch state {
        case .value: return try beginValue(byte)
        case .valueOrEnd: return try byte == UInt8(ascii: "]") ? close(byte, isObject: false) : beginValue(byte)
        case .keyOrEnd where byte == UInt8(ascii: "}"): return try close(byte, isObject: true)
        case .keyOrEnd, .key:
            guard byte == 0x22 else { throw fault(byte, "a name in quotes") }
            isKey = true
            key = containers.count == pathDepth && pathDepth <= (steps?.count ?? 0) ? [] : nil
            stepMatches = false
            state = .string
        case .colon:
            guard byte == UInt8(ascii: ":") else { throw fault(byte, "\":\"") }
            state = .value
        case .commaOrEnd:
            guard byte == UInt8(ascii: ",") else { return try close(byte, isObject: byte == UInt8(ascii: "}")) }
            containers[containers.count - 1].index += 1
            state = containers[containers.count - 1].isObject ? .key : .value
        case .end where byte == UInt8(ascii: "{") && steps != nil: throw JSONFault(fault(byte, "the end").context + "; \(Self.noArray)")
        case .end: throw fault(byte, "the end")
        case .string, .escape, .hex, .literal, .number: break
        }
        return .none
    }

    private mutating func beginValue(_ byte: UInt8) throws -> Signal {
        let isOnPath = self.isOnPath
        let isItems = isOnPath && containers.count == steps?.count
        guard containers.count > 0 || byte != UInt8(ascii: "<") else {
            throw JSONFault(
                "expected JSON, found HTML or XML; the address may be that of a page for people: configure the address of the data")
        }
        if isItems { try checkItems(byte) }
        let began: Signal = containers.count == itemsDepth ? .began : .none
        isInElement = isInElement || began == .began
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard containers.count < Self.depthLimit else { throw JSONFault("the JSON is nested deeper than \(Self.depthLimit)") }
            containers.append(Container(isObject: byte == UInt8(ascii: "{")))
            if isItems {
                wasFound = true
                itemsDepth = containers.count
            } else if isOnPath {
                pathDepth = containers.count
            }
            state = byte == UInt8(ascii: "{") ? .keyOrEnd : .valueOrEnd
        case 0x22: state = .string
        case UInt8(ascii: "t"): literal("rue")
        case UInt8(ascii: "f"): literal("alse")
        case UInt8(ascii: "n"): literal("ull")
        default:
            guard let number = NumberState(first: byte) else { throw fault(byte, "a value") }
            state = .number(number)
        }
        return began
    }

    /// Says what stands where the items should.
    private func checkItems(_ byte: UInt8) throws {
        guard !wasFound else { throw JSONFault("the JSON has \(pointer) twice; correct the source") }
        guard byte != UInt8(ascii: "["), let found = Self.kind(byte) else { return }
        throw JSONFault("expected \(JSONFault.accepted) at \(pointer), found \(found); \(Self.nextStep(byte))")
    }

    /// What helps where a value that begins so stands for the items.
    private static func nextStep(_ first: UInt8) -> String {
        switch first {
        case UInt8(ascii: "{"): "set `items:` to the pointer of one; \(noArray)"
        case UInt8(ascii: "n"): "let the origin send [] where it has no items, or set `items:` to the pointer of one"
        default: "set `items:` to the pointer of one, or let the origin send one"
        }
    }

    /// Usual forms of lists that are not read.
    private static let noArray = "one object a line (JSON Lines) and objects by name are no array: let the origin send one"

    /// What a value is, with an article, by its first byte; nil: nothing that JSON has.
    static func kind(_ first: UInt8) -> String? {
        switch first {
        case UInt8(ascii: "{"): "an object"
        case UInt8(ascii: "["): "an array"
        case 0x22: "a text"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): "true or false"
        case UInt8(ascii: "n"): "null"
        default: NumberState(first: first) == nil ? nil : "a number"
        }
    }

    private mutating func literal(_ rest: String) {
        literalLeft = Array(rest.utf8)[...]
        state = .literal
    }

    /// Whether the value that begins now is a step of the way to the items.
    private var isOnPath: Bool {
        guard let steps, containers.count == pathDepth, pathDepth <= steps.count else { return false }
        guard let innermost = containers.last else { return true }
        return innermost.isObject ? stepMatches : steps[pathDepth - 1].index == innermost.index
    }

    private mutating func close(_ byte: UInt8, isObject: Bool) throws -> Signal {
        guard byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]"), containers.last?.isObject == isObject else {
            throw fault(byte, containers.last?.isObject == true ? "\",\" or \"}\"" : "\",\" or \"]\"")
        }
        if containers.count == itemsDepth { itemsDepth = nil }
        containers.removeLast()
        pathDepth = min(pathDepth, containers.count)
        return endValue() ? .ended : .none
    }

    /// A value has ended; true if it was an element.
    private mutating func endValue() -> Bool {
        state = containers.isEmpty ? .end : .commaOrEnd
        guard isInElement, containers.count == itemsDepth else { return false }
        isInElement = false
        return true
    }
}
