//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform

/// Waits for the ends of many processes, children or not, behind one descriptor for a poller.
///
/// A process is known by its descriptor, so that its number may come again for another one meanwhile. Used by one thread.
package final class ExitWatch {
    /// For a poller; readable while `takeEnded` has something. Open as long as this object lives.
    package let fileDescriptor: Int32
    /// The descriptors of watched processes, by token.
    private var descriptors: [UInt64: Int32] = [:]

    /// A watch over nobody.
    /// - Throws: `tooManyOpen`.
    package init() throws(SystemError) {
        fileDescriptor = try checked(gantry_exits_make(), "making a watch over processes; raise the limit of open files")
    }

    deinit {
        for descriptor in descriptors.values { gantry_close(descriptor) }
        gantry_close(fileDescriptor)
    }

    /// Waits for the end of whoever has that number now; a process that has ended and was not reaped is named at once.
    /// - Parameter token: what `takeEnded` calls it, another for each.
    /// - Throws: `noSuchProcess`, `tooManyOpen`, `notImplemented`.
    package func watch(_ process: ProcessID, as token: UInt64) throws(SystemError) {
        let descriptor = try ProcessControl.exitDescriptor(of: process).release()
        let code = gantry_exits_add(fileDescriptor, descriptor, token)
        if code < 0 { gantry_close(descriptor) }
        try checked(code, "watching process \(process)")
        descriptors[token] = descriptor
    }

    /// Waits for that one no longer.
    package func unwatch(_ token: UInt64) {
        // Closing the only descriptor takes it out of the kernel's set too.
        if let descriptor = descriptors.removeValue(forKey: token) { gantry_close(descriptor) }
    }

    /// The token of a process that has ended, each once; nil: no other one.
    package func takeEnded() -> UInt64? {
        var token: UInt64 = 0
        guard unsafe gantry_exits_next(fileDescriptor, &token) == 1 else { return nil }
        unwatch(token)
        return token
    }
}
