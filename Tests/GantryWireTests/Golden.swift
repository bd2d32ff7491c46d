//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport

/// A file of `Protocol/golden`: bytes that protoc made of a text.
struct Golden {
    /// The file's name without its ending.
    let name: String
    /// What it holds.
    let kind: Sample.Kind
    /// The bytes that protoc made.
    let bytes: [UInt8]

    /// Reads one file.
    init(_ name: String) throws {
        let folder = CheckoutFolder.file("Protocol/golden")
        let text = try String(contentsOf: folder.appending(path: name + ".txtpb"), encoding: .utf8)
        let message = text.split(separator: "\n").first { $0.hasPrefix("# proto-message: gantry.v1.") }?.split(separator: ".").last ?? ""
        guard let kind = Sample.Kind(rawValue: String(message)) else { throw UnknownMessage(name: name) }
        self.name = name
        self.kind = kind
        self.bytes = [UInt8](try Data(contentsOf: folder.appending(path: name + ".bin")))
    }

    /// Reads all files, by name.
    static func all() throws -> [Golden] {
        try FileManager.default.contentsOfDirectory(atPath: CheckoutFolder.file("Protocol/golden").path)
            .filter { $0.hasSuffix(".txtpb") }.map { String($0.dropLast(6)) }.sorted().map(Golden.init)
    }

    /// A text that names no message of the protocol.
    struct UnknownMessage: Error { let name: String }
}
