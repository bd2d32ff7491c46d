//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import SwiftProtobuf

extension SwiftProtobuf.Enum {
    /// The value of the protocol with the model's number.
    init(_ value: some RawRepresentable<UInt8>) { self = Self(rawValue: Int(value.rawValue)) ?? Self() }
}
