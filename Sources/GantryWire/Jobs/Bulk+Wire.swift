//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWireMessages

extension WireBulkRequest: Mapped {
    init(_ value: BulkRequest) {
        self.init()
        (selection, isDry) = (WireJobQuery(value.selection), value.isDry)
        switch value.action {
        case .cancel: cancel = WireNothing()
        case .promote: promote = WireNothing()
        case .delay(let start): delay = WireDelayRequest(.none, start)
        case .reprioritize(let priority): self.priority = UInt32(priority)
        case .forgive: forgive = WireNothing()
        case .retry: retry = WireNothing()
        }
    }

    /// As it is asked; whether that can be is decided by the front.
    func value(within bounds: Bounds) throws(CodecError) -> BulkRequest {
        try JournalNumbers.check(self, "an action with many jobs")
        let action: BulkAction =
            switch self.action {
            case .cancel: .cancel
            case .promote: .promote
            case .delay(let delay): .delay(try delay.start())
            // What is beyond a byte is no priority either: the front says so, as of every option.
            case .priority(let priority): .reprioritize(UInt8(exactly: priority) ?? .max)
            case .forgive: .forgive
            case .retry: .retry
            case nil: throw bounds.unknownKind("an action with many jobs")
            }
        return BulkRequest(action, try selection.value(within: bounds), isDry: isDry)
    }
}

extension WireBulkActionWork: Mapped {
    init(_ value: JournalEntry.BulkActionWork) {
        self.init()
        request = WireBulkRequest(BulkRequest(value.action, value.selection))
        (number, by, client, done, passedOver) = (value.number, value.by.label, value.by.client, value.done, value.passedOver)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.BulkActionWork {
        let request = try request.value(within: bounds)
        let asker = JobTerms.Asker(
            label: try bounds.label(by, "a client's label"), client: try bounds.label(client, "a client's name"))
        var work = JournalEntry.BulkActionWork(number, request.selection, request.action, by: asker)
        (work.done, work.passedOver) = (done, passedOver)
        return work
    }
}

extension WireBulkSummary: Mapped {
    init(_ value: BulkSummary) {
        self.init()
        (number, action, by, since) = (value.number, value.action, value.by, value.since.milliseconds)
        (done, passedOver, isFinished, waitsFor) = (value.done, value.passedOver, value.isFinished, value.waitsFor)
    }

    func value(within bounds: Bounds) throws(CodecError) -> BulkSummary {
        var summary = BulkSummary(
            number: number, action: try bounds.label(action, "an action"), by: try bounds.label(by, "a client's label"),
            since: WallTime(milliseconds: since))
        (summary.done, summary.passedOver, summary.isFinished) = (done, passedOver, isFinished)
        summary.waitsFor = try bounds.text(waitsFor, "what an action waits for")
        return summary
    }
}
