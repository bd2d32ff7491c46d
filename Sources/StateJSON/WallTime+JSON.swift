//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension WallTime {
    /// Seconds from `earlier` to this instant.
    public func seconds(since earlier: WallTime) -> Double { Double(milliseconds - earlier.milliseconds) / 1_000 }

    var json: JSONValue { .string(rfc3339) }
}
