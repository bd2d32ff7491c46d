//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// The front's clocks.
public protocol FrontClock: AnyObject {
    /// Both clocks, read now.
    func now() -> FrontTime
}
