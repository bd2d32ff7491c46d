//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import Glibc

/// SIGINT, SIGTERM and SIGHUP as calls; they end nothing by themselves any more. SIGHUP comes when the terminal is closed: `up` then stops
/// as on Ctrl-C, instead of leaving its parts to the kernel.
// Proof: the sources are made in `init`, cancelled once in `end`, and never touched otherwise.
final class SignalWatch: @unchecked Sendable {
    private let sources: [any DispatchSourceSignal]

    /// Calls `onSignal` for each signal, on a thread of its own.
    init(_ onSignal: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { onSignal() }
            source.resume()
            return source
        }
    }

    /// Ends the calls.
    func end() { for source in sources { source.cancel() } }
}
