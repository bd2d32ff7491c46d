//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Platform

/// A folder that is removed with everything in it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = "/tmp/platform-\(try SystemRandom.next())"
        _ = try DirectoryDescriptor(creating: path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
