//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Dispatch
internal import Glibc
import Synchronization

/// SIGINT and SIGTERM as values; they end nothing by themselves any more.
package final class SignalStream: Sendable {
    /// The signals that it takes.
    package static let taken = [SIGINT, SIGTERM]
    /// One element for each signal.
    package let stream: AsyncStream<Int32>
    private let continuation: AsyncStream<Int32>.Continuation
    /// Only kept alive.
    private let sources: Mutex<[any DispatchSourceSignal]>

    /// Handles the signals from now on.
    package init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(16))
        let continuation = continuation
        sources = Mutex(Self.sources { continuation.yield($0) })
    }

    /// Has a function called with each signal, on a thread that it may block.
    /// - Returns: what is to be kept for so long, or cancelled.
    package static func sources(_ handle: @escaping @Sendable (Int32) -> Void) -> [any DispatchSourceSignal] {
        taken.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { handle(number) }
            source.resume()
            return source
        }
    }

    /// Handles signals no longer: they end the process again.
    package static func release(_ sources: [any DispatchSourceSignal]) {
        for source in sources { source.cancel() }
        leave(taken)
    }

    /// Leaves signals to the system, which ends the process.
    package static func leave(_ numbers: [Int32]) { for number in numbers { signal(number, SIG_DFL) } }

    /// Ends the stream.
    package func finish() { continuation.finish() }
}
