//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Foundation

extension ClientError: LocalizedError {
    /// The same text as ``description``, so that views show it.
    public var errorDescription: String? { description }
}
