//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Duration {
    /// What a field in milliseconds says for this length of time: rounded up, so that nobody comes too early, and kept within the field.
    var wireMilliseconds: UInt32 { UInt32(clamping: millisecondsRoundedUp) }
}
