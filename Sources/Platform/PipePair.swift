//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// The two ends of a pipe, both close-on-exec. Take each end once.
public struct PipePair: ~Copyable, Sendable {
    private var reader: OwnedDescriptor?
    private var writer: OwnedDescriptor?

    /// Opens a pipe.
    /// - Throws: `tooManyOpen`.
    public init() throws(SystemError) {
        var readNumber: Int32 = -1
        var writeNumber: Int32 = -1
        let code = unsafe gantry_pipe(&readNumber, &writeNumber)
        guard code == 0 else {
            throw SystemError(code: SystemErrorCode(rawValue: -code), context: "opening a pipe; raise the limit of open files")
        }
        reader = OwnedDescriptor(adopting: readNumber, name: "the read end of a pipe")
        writer = OwnedDescriptor(adopting: writeNumber, name: "the write end of a pipe")
    }

    /// Takes the end to read from. Taking it twice is a programmer error.
    public mutating func takeReader() -> OwnedDescriptor {
        guard let end = reader.take() else { preconditionFailure("the read end of this pipe was taken before") }
        return end
    }

    /// Takes the end to write to. Taking it twice is a programmer error.
    public mutating func takeWriter() -> OwnedDescriptor {
        guard let end = writer.take() else { preconditionFailure("the write end of this pipe was taken before") }
        return end
    }
}
