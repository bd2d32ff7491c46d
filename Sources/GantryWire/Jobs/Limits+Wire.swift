//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWireMessages

extension WireLimitKey: Mapped {
    init(_ value: LimitKey) {
        self.init()
        (limit, self.value) = (value.limit, value.value)
    }

    func value(within bounds: Bounds) throws(CodecError) -> LimitKey {
        LimitKey(try bounds.label(limit, "a limit's name"), value: try bounds.label(value, "a limit's value"))
    }
}

extension WireLimitRule {
    init(_ value: LimitRule) {
        self.init()
        capacity = value.capacity
    }

    /// As it is said; whether that can be is decided by the front.
    var value: LimitRule { LimitRule(capacity: capacity) }
}

extension WireLimitFull {
    init(_ key: LimitKey, inUse: UInt64, capacity: UInt32) {
        self.init()
        (self.key, self.inUse, self.capacity) = (WireLimitKey(key), inUse, capacity)
    }

    func value(within bounds: Bounds) throws(CodecError) -> WaitReason {
        .limitFull(try key.value(within: bounds), inUse: inUse, capacity: capacity)
    }
}

extension WireLimitSummary: Mapped {
    init(_ value: LimitSummary) {
        self.init()
        (name, rule) = (value.name, WireLimitRule(value.rule))
        (inUse, waiting, valueCount) = (value.inUse, value.waiting, value.valueCount)
        values = value.values.map(WireLimitValue.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> LimitSummary {
        var summary = LimitSummary(name: try bounds.label(name, "a limit's name"), rule: rule.value)
        (summary.inUse, summary.waiting, summary.valueCount) = (inUse, waiting, valueCount)
        for value in values {
            let named = try bounds.label(value.value, "a limit's value")
            summary.values.append(LimitValue(named, inUse: value.inUse, waiting: value.waiting))
        }
        return summary
    }
}

extension WireLimitValue {
    init(_ value: LimitValue) {
        self.init()
        (self.value, inUse, waiting) = (value.value, value.inUse, value.waiting)
    }
}

extension WireLimitChanged: Mapped {
    init(_ value: JournalEntry.LimitChanged) {
        self.init()
        name = value.name
        if let rule = value.rule { self.rule = WireLimitRule(rule) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.LimitChanged {
        JournalEntry.LimitChanged(try bounds.label(name, "a limit's name"), hasRule ? rule.value : nil)
    }
}
