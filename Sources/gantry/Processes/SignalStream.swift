//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import Glibc

/// SIGINT and SIGTERM as values; they end nothing by themselves any more.
// Proof: the sources are only kept alive; they are made in `init` and never touched again, and the rest is immutable and Sendable.
final class SignalStream: @unchecked Sendable {
    /// One element for each signal.
    let stream: AsyncStream<Int32>
    private let continuation: AsyncStream<Int32>.Continuation
    private let sources: [any DispatchSourceSignal]

    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(16))
        let continuation = continuation
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            return source
        }
    }

    /// Ends the stream.
    func finish() { continuation.finish() }
}
