//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Where an object lies below the objects folder: two hexadecimal digits, a slash, the other 62.
struct ObjectPath {
    let folder: String
    let name: String

    init(_ digest: ObjectDigest) {
        let hex = String(describing: digest)
        folder = String(hex.prefix(2))
        name = String(hex.dropFirst(2))
    }

    var text: String { "\(folder)/\(name)" }

    /// Whether a name in the objects folder can be a folder of objects.
    static func isFolder(_ name: String) -> Bool { name.utf8.count == 2 && name.utf8.allSatisfy(isDigit) }

    /// The object that a name in a folder stands for; nil for anything that is not ours.
    static func digest(folder: String, name: String) -> ObjectDigest? {
        guard name.utf8.count == 62, name.utf8.allSatisfy(isDigit) else { return nil }
        return ObjectDigest(hex: folder + name)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
}
