//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Something that had to come did not.
struct EndToEndError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
