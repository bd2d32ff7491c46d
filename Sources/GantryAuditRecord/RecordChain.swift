//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform

/// The hashes of a record's lines: each counts the one before it, so that no line can be changed, taken out or put in behind which another one stands.
///
/// A line is the hash as 64 digits, a blank, some JSON and a newline. The hash is the SHA-256 of the hash of the line before, a blank and that JSON, so
/// `printf '%s %s' HASH JSON | sha256sum` checks it. Who may write the folder can write a whole other record: who wants to hold somebody to one keeps
/// its last hash.
package struct RecordChain: Hashable, Sendable {
    /// Digits of a hash.
    package static let digits = 64
    /// The hash of the last line.
    package private(set) var last: [UInt8]

    /// Goes on behind a line with that hash.
    package init(after hash: String = RecordHead.noHash) { last = Array(hash.utf8) }

    /// The hash of the last line, as text.
    package var lastText: String { String(decoding: last, as: UTF8.self) }

    /// The next line, whole.
    package mutating func append(_ json: [UInt8]) -> [UInt8] {
        last = Self.hash(of: json[...], after: last)
        return last + [UInt8(ascii: " ")] + json + [UInt8(ascii: "\n")]
    }

    /// Whether a line, without its newline, is the next one.
    /// - Returns: its JSON; nil: it is not.
    package mutating func take(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard line.count > Self.digits, line[line.startIndex + Self.digits] == UInt8(ascii: " ") else { return nil }
        let json = line.dropFirst(Self.digits + 1)
        let hash = Self.hash(of: json, after: last)
        guard hash[...] == line.prefix(Self.digits) else { return nil }
        last = hash
        return json
    }

    private static func hash(of json: ArraySlice<UInt8>, after last: [UInt8]) -> [UInt8] {
        var bytes = last
        bytes.reserveCapacity(last.count + 1 + json.count)
        bytes.append(UInt8(ascii: " "))
        bytes += json
        var text: [UInt8] = []
        text.reserveCapacity(digits)
        for byte in SHA256.hash(bytes) {
            text.append(hexadecimal[Int(byte >> 4)])
            text.append(hexadecimal[Int(byte & 15)])
        }
        return text
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)
}
