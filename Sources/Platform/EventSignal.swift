//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// Wakes a thread that polls: any thread signals, the owner of the poller drains.
///
/// Signals add up to one: after `drain` everything that was appended before the signals must be looked at.
public final class EventSignal: Sendable {
    /// For a poller; readable while signalled. Open as long as this object lives.
    public let fileDescriptor: Int32

    /// Makes a signal that is not set.
    /// - Throws: `tooManyOpen`.
    public init() throws(SystemError) {
        fileDescriptor = try checked(gantry_eventfd(), "making an event descriptor; raise the limit of open files")
    }

    deinit {
        gantry_close(fileDescriptor)
    }

    /// Sets the signal. Never blocks; any thread may call it.
    public func signal() {
        // It cannot fail: the descriptor is ours, open, and a full counter counts as signalled.
        let code = gantry_eventfd_signal(fileDescriptor)
        precondition(code == 0, "an event descriptor was closed by somebody else")
    }

    /// Takes the signal back.
    /// - Returns: whether it was set.
    @discardableResult
    public func drain() -> Bool {
        gantry_eventfd_drain(fileDescriptor) > 0
    }
}
