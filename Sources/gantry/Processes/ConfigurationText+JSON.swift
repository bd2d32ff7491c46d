//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Settings
import StateJSON

extension ConfigurationText {
    /// What `JSONDecoder` reads again.
    var json: JSONValue { .object(("file", file.map { .string($0) }), ("text", .string(text))) }
}
