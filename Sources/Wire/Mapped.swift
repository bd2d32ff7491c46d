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

    /// What the message says.
    ///
    /// - Throws: `invalidData` or `tooLarge` when it breaks a rule of the protocol or says what this version does not know.
    func value(within bounds: Bounds) throws(CodecError) -> Value
}
