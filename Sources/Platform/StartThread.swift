//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// Starts a thread of the system, for loops that own sockets or block in system calls.
///
/// All signals are blocked in it, so they reach the signal descriptor of the process; only faults of the thread itself end
/// the process. Tasks and actors hop between threads and must not own sockets: use this instead.
///
/// - Parameters:
///   - name: shown by the system's tools, cut at 15 bytes.
///   - stackSize: bytes; at least what the system demands.
///   - body: runs on the new thread, once.
/// - Throws: the system's error when it has no thread left.
/// - Returns: the thread, to be joined or dropped.
public func startThread(
    name: String, stackSize: Int = 1 << 20, body: @escaping @Sendable () -> Void
) throws(SystemError) -> JoinableThread {
    let box = unsafe Unmanaged.passRetained(ThreadBody(body))
    var number: UInt64 = 0
    let code = unsafe gantry_thread_start(
        name, max(stackSize, 0),
        { argument in
            guard let argument = unsafe argument else { return }
            unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
        }, box.toOpaque(), &number)
    guard code == 0 else {
        unsafe box.release()
        throw SystemError(code: SystemErrorCode(rawValue: -code), context: "starting the thread \(name); end some threads")
    }
    return JoinableThread(number: number)
}
