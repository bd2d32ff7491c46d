//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension FeedKey {
    /// The key that a text names; for texts that are part of the test.
    public static func named(_ text: String) -> FeedKey {
        guard let key = FeedKey(text: text) else { preconditionFailure("\(text) is no feed's key") }
        return key
    }
}
