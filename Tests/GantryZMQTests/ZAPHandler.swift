//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryZMQ

/// A ZAP handler (ZeroMQ RFC 27) that knows one key and tells a socket about everybody else.
struct ZAPHandler: Sendable {
    let context: Context
    let allowed: CurveKey

    /// Answers until the context is shut down. Runs on a thread of its own.
    func run(ready: @Sendable () -> Void) {
        do {
            let replier = try Socket<Replier>(context)
            let refusals = try Socket<Dealer>(context)
            try replier.bind("inproc://zeromq.zap.01")
            try refusals.connect("inproc://refusals")
            ready()
            var poller = Poller()
            _ = try poller.add(replier)
            while true {
                _ = try poller.wait(upTo: nil)
                guard let request = try replier.receiveFrames(), request.count == 7 else { continue }
                let isKnown = request[6] == allowed.bytes && request[2] == Array("workers".utf8)
                let answer = isKnown ? ["200", "OK", "worker-1", ""] : ["400", "unknown key", "", ""]
                _ = try replier.sendFrames([Array("1.0".utf8), request[1]] + answer.map { Array($0.utf8) })
                if !isKnown { _ = try refusals.send(request[6]) }
            }
        } catch {
            // The context has ended, and with it this thread.
        }
    }
}
