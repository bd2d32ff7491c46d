//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

extension WirePublication: Mapped {
    init(_ value: Publication) {
        self.init()
        switch value {
        case .change(let change): self.change = WireChange(change)
        case .beat(let beat): self.beat = WireBeat(beat)
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Publication {
        switch kind {
        case .change(let change): return .change(try change.value(within: bounds))
        case .beat(let beat): return .beat(beat.value(within: bounds))
        case nil: throw bounds.unknownKind("a publication")
        }
    }
}

extension WireBeat: Mapped {
    init(_ value: Publication.Beat) {
        self.init()
        front = value.front.rawValue
        epoch = value.epoch.rawValue
        sequence = value.sequence.rawValue
        digest = value.digest.sum
    }

    func value(within bounds: Bounds) -> Publication.Beat {
        Publication.Beat(front: FrontID(front), epoch: Epoch(epoch), sequence: Sequence(sequence), digest: TopicDigest(digest))
    }
}

extension WireChange: Mapped {
    init(_ value: Publication.Change) {
        self.init()
        beat = WireBeat(value.beat)
        puts = value.puts.map(WireTopicItem.init)
        removes = value.removes.map { Data($0) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Publication.Change {
        try bounds.demand(hasBeat, "a change's beat")
        try bounds.rows(removes.count, "removed items")
        var keys: [[UInt8]] = []
        keys.reserveCapacity(removes.count)
        for key in removes { keys.append(try bounds.key(key)) }
        return Publication.Change(beat: beat.value(within: bounds), puts: try bounds.values(puts, "put items"), removes: keys)
    }
}
