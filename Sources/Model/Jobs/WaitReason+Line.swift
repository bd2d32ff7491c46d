//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension WaitReason {
    /// One phrase for people.
    public var line: String {
        switch self {
        case .noWorker(let loader): "no registered worker offers the loader \(loader)"
        case .slotsTaken: "no slot is free for it"
        case .keyTaken(let job): "job \(job) of the same key is running"
        case .cancelledRunStopping(let job): "the cancelled job \(job) of the same key is still stopping"
        case .suspected: "its worker died; the next attempt runs alone on a worker"
        case .restarting(let until): "the front restarted: workers may come back until \(until.rfc3339)"
        case .storageFull: "too little is free on the disk of the front"
        }
    }
}
