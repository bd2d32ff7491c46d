//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Model

/// Where a measurement keeps its files.
struct BenchPlace: ParsableArguments {
    @Option(name: .long, help: "Where the folder of the run is made; its disk is what full measures.")
    var folder = "/tmp"

    /// Bytes that an argument of a job may have.
    static let payloads = 0...MessageBounds.payloadByteCount
}
