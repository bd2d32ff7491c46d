//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Foundation

/// The checkout that these tests were compiled in: tests compare its pages, tables and scripts with the code.
package enum CheckoutFolder {
    /// The folder of Package.swift.
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A file or folder in it.
    /// - Parameter path: from the root, for example `Protocol/PROTOCOL.md`.
    package static func file(_ path: String) -> URL { root.appending(path: path) }

    /// The text of a file.
    /// - Parameter path: from the root.
    /// - Throws: for a file that is not there.
    package static func text(_ path: String) throws -> String { try String(contentsOf: file(path), encoding: .utf8) }
}
