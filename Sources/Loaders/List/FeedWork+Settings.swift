//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FeedSettings
import Model
import WorkerKit

extension FeedWork {
    /// The settings that came with the work.
    /// - Throws: `invalidData` when they are not those of this version.
    func loaderSettings() throws(LoaderFailure) -> LoaderSettings {
        do {
            return try LoaderSettings(json: settings)
        } catch {
            throw LoaderFailure(
                .invalidData, "the settings of feed \(key.name) cannot be read: front and worker must be of the same version")
        }
    }
}
