//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
package import GantryModel

/// A folder for one test, removed with everything in it.
package final class TemporaryFolder: Sendable {
    /// Where it is.
    package let path: String

    /// Makes one, with a short name: the path of a socket in it has at most 108 bytes.
    ///
    /// - Parameter permissions: who may do what in it; only its user, unless something else is said.
    /// - Throws: what making a folder throws.
    package init(permissions: Int = 0o700) throws {
        path = FileManager.default.temporaryDirectory.path + "/gantry-test-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: permissions])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

extension FeedKey {
    /// The key that a text names; for texts that are part of the test.
    package static func named(_ text: String) -> FeedKey {
        guard let key = FeedKey(text: text) else { preconditionFailure("\(text) is no feed's key") }
        return key
    }
}
