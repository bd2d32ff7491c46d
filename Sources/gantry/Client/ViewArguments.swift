//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Model

/// Which view of a feed.
struct ViewArguments: ParsableArguments {
    @Option(name: .customLong("view"), help: "The view; shared is everybody's.")
    var text = ViewName.shared

    /// The view's name.
    func name() throws -> String {
        guard FeedKey.isName(text) else { throw ValidationError("\"\(text)\" is not a view's name: \(FeedKey.nameRule)") }
        return text
    }
}
