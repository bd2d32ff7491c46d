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

    /// Has a function called with each signal, on a thread that it may block. Returns once none is lost any more.
    ///
    /// A source is registered some time after it is resumed. A signal that came before would be lost for ever if it were ignored by then, so until
    /// the source is there it ends the process, as it did before the call.
    /// - Returns: what is to be kept for so long, or cancelled.
    package static func sources(_ handle: @escaping @Sendable (Int32) -> Void) -> [any DispatchSourceSignal] {
        let registered = DispatchSemaphore(value: 0)
        let sources = taken.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { handle(number) }
            source.setRegistrationHandler {
                signal(number, SIG_IGN)
                registered.signal()
            }
            source.resume()
            return source
        }
        for _ in sources { registered.wait() }
        return sources
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
