//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore

extension World {
    /// Notes an event of the front and what it decided because of it, each action with the event's number. What decides nothing is left out.
    func trace(_ event: FrontEvent?, _ actions: FrontActions, of name: String) {
        guard isTraced, !actions.isEmpty else { return }
        for (index, (cause, action)) in actions.enumerated() {
            if index == 0 { note("\(name) event=\(cause): \(event.map(brief) ?? "start")") }
            note("\(name) event=\(cause) -> \(brief(action))")
        }
    }
}

/// The name of a case with those of the cases in it: `send 7 41 reply`. Whole values would be pages long and slow to make.
private func brief(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum else { return value is any CustomStringConvertible && isBulk(mirror) ? "\(value)" : "" }
    guard let content = mirror.children.first, let name = content.label else { return "\(value)" }
    let inner = Mirror(reflecting: content.value)
    let parts = inner.displayStyle == .tuple ? inner.children.map { brief($0.value) } : [brief(content.value)]
    return ([name] + parts.filter { !$0.isEmpty }).joined(separator: " ")
}

/// Whether it is a number or a name, and no collection of them.
private func isBulk(_ mirror: Mirror) -> Bool { mirror.displayStyle == nil || mirror.displayStyle == .struct }
