//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A request that cannot be taken, as a thrown-like value.
struct RefusedRequest: Error {
    let failure: Failure

    /// - Parameter arguments: names and values in turns.
    init(_ code: FailureCode, _ text: String, arguments: [String] = []) { failure = Failure(code: code, text: text, arguments: arguments) }

    /// The arguments of a request that a change of the feed's configuration helps.
    static func arguments(setting: String, of feed: FeedKey) -> [String] { [Failure.settingArgument, setting, "feed", feed.text] }
}
