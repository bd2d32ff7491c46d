//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FeedSettings
import Model

/// The most bytes that a body may have, and what to do about one that has more.
struct BodyBound: Hashable, Sendable {
    let byteCount: Int
    /// The next step for people.
    let nextStep: String

    /// Of a list: the configuration's.
    init(list limits: HTTPLimits) { (byteCount, nextStep) = (limits.maxBodyBytes, "ask for less, or raise http.max-body") }

    /// Of a detail: what clients can hold, and never more than the configuration's.
    init(detail limits: HTTPLimits) {
        let largest = MessageBounds.storedDetailByteCount
        guard limits.maxBodyBytes > largest else {
            self = BodyBound(list: limits)
            return
        }
        self = BodyBound(byteCount: largest, nextStep: "no detail is larger; choose an address that answers with less")
    }

    private init(byteCount: Int, nextStep: String) { (self.byteCount, self.nextStep) = (byteCount, nextStep) }
}
