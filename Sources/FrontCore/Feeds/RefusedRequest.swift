//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A request that cannot be taken, as a thrown-like value.
struct RefusedRequest: Error {
    let failure: Failure

    init(_ code: FailureCode, _ text: String) { failure = Failure(code: code, text: text) }
}
