//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model

extension GantryClient {
    /// The topic that people mean: its text, or a feed's name. Which feed that is, its snapshot says.
    func topic(named name: String) async throws -> Topic {
        switch Topic(name) {
        case .job(let job):
            // One that nobody knows would never change.
            return .job(try await explain(job).job.id)
        case .some(let topic): return topic
        case nil:
            // `job/abc` is meant as a job, not as a feed of a namespace.
            guard let key = FeedKey(text: name), !["feed", "view", "job"].contains(key.namespace) else {
                throw CommandFailure(
                    .usage, code: .usage, message: "\"\(name)\" names no topic",
                    nextStep: "give a feed, feed/KEY, view/KEY/NAME, job/ID, or one of \(Topic.shownOfFront)")
            }
            return .feed(key)
        }
    }
}
