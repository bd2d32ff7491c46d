//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One step of a JSON Pointer, prepared for comparing with raw bytes.
struct JSONStep: Hashable, Sendable {
    /// The name in UTF-8, unescaped.
    let name: [UInt8]
    /// What it means in an array; nil: a name only.
    let index: Int?

    init(_ token: String) {
        name = Array(token.utf8)
        index = JSONText.index(token)
    }

    /// Whether a name as it stands between its quotes, escapes and all, is this step's.
    func matches(escaped key: ArraySlice<UInt8>) -> Bool {
        guard key.contains(0x5C) else { return key.elementsEqual(name) }
        guard let text = JSONText.unescaped(key) else { return false }
        return text.utf8.elementsEqual(name)
    }
}
