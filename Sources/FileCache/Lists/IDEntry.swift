//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// One item in a list's id index: entries are in order of sum, then of the sum's second half, then of position.
struct IDEntry {
    var sum: UInt64
    var position: UInt32

    func append(to bytes: inout [UInt8]) {
        LittleEndian.append(sum, to: &bytes)
        LittleEndian.append(position, to: &bytes)
    }
}
