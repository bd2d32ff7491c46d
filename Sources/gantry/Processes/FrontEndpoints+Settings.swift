//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontService
import Settings

extension FrontEndpoints {
    /// The addresses that the configuration resolved.
    init(_ endpoints: Endpoints) {
        self.init(requests: endpoints.requests, changes: endpoints.changes, workers: endpoints.workers, pages: endpoints.pages)
    }
}
