//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension WallTime {
    /// Day and minute in UTC, for example `2026-11-20 19:43`.
    var minute: String { String(rfc3339.prefix(16)).replacing("T", with: " ") }

    /// The time of day in UTC, for example `19:43:50`; of another day its date, for example `2026-11-20`.
    public func clock(at now: WallTime) -> String {
        let text = rfc3339
        return text.prefix(10) == now.rfc3339.prefix(10) ? String(text.dropFirst(11).prefix(8)) : String(text.prefix(10))
    }
}
