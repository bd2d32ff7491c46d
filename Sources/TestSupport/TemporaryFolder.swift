//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// A folder for one test, only for its user, removed with everything in it.
public final class TemporaryFolder: Sendable {
    /// Where it is.
    public let path: String

    /// Makes one.
    /// - Throws: what making a folder throws.
    public init() throws {
        path = FileManager.default.temporaryDirectory.path + "/gantry-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
