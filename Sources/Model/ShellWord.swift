//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Texts in commands that people are advised to type.
package enum ShellWord {
    /// The text as one word of a shell: as it is, or in quotes where a shell would read something else into it.
    package static func of(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "-_./:=@%+,".utf8.contains(byte)
            }
        }
        return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}

extension FeedKey {
    /// The whole key as one word of a shell.
    package var shellWord: String { ShellWord.of(text) }
}
