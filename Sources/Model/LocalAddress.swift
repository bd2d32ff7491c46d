//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Which addresses of sockets stay on this machine. Until there are keys, nothing else may be bound or connected to: whoever reaches a front
/// over a network could do everything.
public enum LocalAddress {
    /// Why an address must not be used; nil: it may.
    public static func refusal(of text: String) -> String? {
        guard let address = SocketAddress(text) else {
            return "\"\(text)\" is not an address: write tcp://127.0.0.1:PORT or ipc:///PATH"
        }
        return address.isLocal ? nil : "\"\(text)\" is not of this machine, and without keys everybody could use it: use 127.0.0.1"
    }
}
