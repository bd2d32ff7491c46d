//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

/// Somebody who speaks to the front and keeps to nothing: what it sends is malformed, extreme or repeated.
///
/// It speaks for itself only: no promise to the others may break, and no frame may end the front.
class Hostile: Process {
    private let kind: Endpoint.Kind
    private(set) lazy var endpoint = Endpoint(self, kind)
    /// What it has sent, to be sent again as it was or spoiled.
    private var sent: [[UInt8]] = []

    init(_ world: World, name: String, _ kind: Endpoint.Kind) {
        self.kind = kind
        super.init(world, name: name)
    }

    /// Begins to speak.
    final func begin() {
        world.network.open(endpoint)
        act()
    }

    /// The next frame that it makes up, readable or not.
    func frame() -> [UInt8] { [] }

    /// Takes what the front says.
    func received(_ bytes: [UInt8]) {}

    override func turn() {
        while let frame = endpoint.inbox.popFirst() { received(frame.payload) }
    }

    private func act() {
        world.after(world.chance.spread(5, 400)) { [self] in
            guard world.isStormy else { return }
            for _ in 0..<1 + world.chance.below(4) { send() }
            act()
        }
    }

    private func send() {
        var bytes = sent.isEmpty || world.chance.chance(0.6) ? frame() : world.chance.pick(sent) ?? []
        if sent.count < 50 { sent.append(bytes) }
        switch world.chance.below(5) {
        case 0: spoil(&bytes)
        case 1: bytes = Array(bytes.prefix(world.chance.below(bytes.count + 1)))
        case 2: bytes += world.chance.pick(sent) ?? []
        default: break
        }
        // A socket drops what is larger, and its connection with it: that is libzmq's to show.
        guard bytes.count <= world.variation.workerFrame else { return }
        world.count(.hostileFrame)
        _ = world.network.send(bytes, from: endpoint)
    }

    private func spoil(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        for _ in 0..<1 + world.chance.below(8) { bytes[world.chance.below(bytes.count)] = UInt8(truncatingIfNeeded: world.chance.next()) }
    }

    /// A number as an attacker likes it: next to a bound, or any.
    final func number() -> UInt64 {
        switch world.chance.below(8) {
        case 0: .max
        case 1: .max - 1
        case 2: 0
        case 3: 1
        case 4: UInt64(Int64.max)
        case 5: UInt64(UInt32.max)
        case 6: world.chance.next()
        default: UInt64(world.chance.below(2_000))
        }
    }

    /// A text, often longer than any bound.
    final func text() -> String {
        switch world.chance.below(6) {
        case 0: ""
        case 1: String(repeating: "x", count: 1 << world.chance.below(15))
        case 2: "../../\u{0}\u{202E}%00"
        case 3: "todos"
        case 4: "hostile"
        default: "items?parameter=\(world.chance.below(100))"
        }
    }
}
