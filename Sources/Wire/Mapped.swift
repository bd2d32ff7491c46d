//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import SwiftProtobuf

/// A message of the protocol and the value of the model that it stands for.
protocol Mapped: SwiftProtobuf.Message {
    /// What it stands for.
    associatedtype Value

    /// The message that says `value`.
    init(_ value: Value)

    /// What the message says, if it keeps the bounds.
    func value(within bounds: Bounds) throws(CodecError) -> Value
}
