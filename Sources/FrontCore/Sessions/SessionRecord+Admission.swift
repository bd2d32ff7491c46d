//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension SessionRecord {
    /// Takes the numbers of a request; they are compared by subtraction, because a client may say any.
    mutating func admit(_ number: RequestNumber, lowest: RequestNumber, fingerprint: UInt64, window: UInt64) -> Admission {
        if let fault = fault(of: number.rawValue, lowest: lowest.rawValue, window: window) {
            // It is answered all the same, so the client's mark may pass it.
            note(number)
            return .refused(fault)
        }
        note(number)
        forget(below: lowest.rawValue)
        guard let kept = reply(to: number) else { return .run }
        return kept.fingerprint == fingerprint ? .repeated(kept) : .refused(.otherBody)
    }

    /// Takes the mark of a heartbeat; what is wrong with it leaves everything as it is.
    mutating func takeMark(_ lowest: RequestNumber) -> AdmissionFault? {
        if let fault = fault(ofMark: lowest.rawValue) { return fault }
        forget(below: lowest.rawValue)
        return nil
    }

    private func fault(of number: UInt64, lowest: UInt64, window: UInt64) -> AdmissionFault? {
        if number == 0 { return .noNumber }
        if lowest > number { return .markAboveNumber }
        if let fault = fault(ofMark: lowest) { return fault }
        let mark = max(lowest, lowestUnanswered)
        if number < mark { return .belowMark(mark) }
        return number - mark < window ? nil : .outsideWindow
    }

    /// A client has only replies to requests that came. What an earlier life saw of a session is not known: its first mark is believed.
    private func fault(ofMark mark: UInt64) -> AdmissionFault? {
        guard let highest = highestNumber, mark > 0, mark - 1 > highest else { return nil }
        return .markAboveSeen(highest: highest)
    }

    private mutating func note(_ number: RequestNumber) { highestNumber = max(highestNumber ?? 0, number.rawValue) }
}
