//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform

/// A process to start (`posix_spawn`, never a bare fork).
///
/// It gets the given descriptors and no others, default signal handling and no blocked signals.
package struct SpawnRequest: Hashable, Sendable {
    /// The program's path; `PATH` is not searched.
    package var executable: String
    /// What the program is told that it is called, which `ps` and `pgrep -f` show; nil: its path.
    package var name: String?
    /// The arguments behind the program's name.
    package var arguments: [String]
    /// The whole environment of the new process, as `NAME=VALUE` made of keys and values.
    package var environment: [String: String]
    /// Where it starts; nil means where this process is.
    package var workingFolder: String?
    /// Whether it leads a process group of its own, so that it can be ended with everything it starts.
    package var leadsOwnGroup = false
    /// Its standard input.
    package var standardInput = SpawnStream.null
    /// Its standard output.
    package var standardOutput = SpawnStream.inherit
    /// Its standard error.
    package var standardError = SpawnStream.inherit
    /// Further descriptors, for example for `--ready-fd`.
    package var inherited: [InheritedDescriptor] = []

    /// Names a program, its arguments and its environment.
    package init(executable: String, arguments: [String] = [], environment: [String: String] = [:]) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
    }

    /// Names this program once more, under the name that it was started with itself: the name of its file in `/proc` tells people nothing.
    package init(ofThisProgramWith arguments: [String], environment: [String: String]) {
        self.init(executable: "/proc/self/exe", arguments: arguments, environment: environment)
        name = CommandLine.arguments.first
    }

    /// Starts the process. Reap it with `ProcessControl.reap` after its end.
    /// - Throws: `notFound`, `permissionDenied`, `invalidArgument` for a text with a zero byte or a number that is used twice, else the
    ///   system's error, as for a descriptor that is not open.
    package func spawn() throws(SystemError) -> ProcessID {
        try validate()
        let null = try OwnedDescriptor(path: "/dev/null", options: [.read, .write])
        var sources: [Int32] = []
        for (number, stream) in [standardInput, standardOutput, standardError].enumerated() {
            switch stream {
            case .inherit: sources.append(Int32(number))
            case .null: sources.append(null.rawValue)
            case .descriptor(let given): sources.append(given)
            }
        }
        sources += inherited.map(\.parentNumber)
        let targets = [0, 1, 2] + inherited.map(\.childNumber)
        let texts = ([name ?? executable] + arguments).flatMap { Array($0.utf8) + [0] }.map { CChar(bitPattern: $0) }
        let variables = environment.sorted { $0.key < $1.key }
            .flatMap { Array("\($0.key)=\($0.value)".utf8) + [0] }.map { CChar(bitPattern: $0) }
        let folder = workingFolder.map { Array($0.utf8CString) }
        let result = start(texts, variables, folder, sources, targets)
        try checked(result.code, "starting \(executable)")
        guard let process = ProcessID(rawValue: result.process) else {
            throw SystemError(code: .invalidArgument, context: "starting \(executable) gave no process number")
        }
        return process
    }

    private func start(
        _ texts: [CChar], _ variables: [CChar], _ folder: [CChar]?, _ sources: [Int32], _ targets: [Int32]
    ) -> (code: Int32, process: Int32) {
        var process: Int32 = 0
        let code = unsafe executable.withCString { path in
            unsafe texts.withUnsafeBufferPointer { texts in
                unsafe variables.withUnsafeBufferPointer { variables in
                    unsafe (folder ?? []).withUnsafeBufferPointer { folderText in
                        unsafe sources.withUnsafeBufferPointer { sources in
                            unsafe targets.withUnsafeBufferPointer { targets in
                                var request = unsafe gantry_spawn(
                                    path: path, arguments: texts.baseAddress, argument_count: arguments.count + 1,
                                    environment: variables.baseAddress, environment_count: environment.count,
                                    folder: folder == nil ? nil : folderText.baseAddress, own_group: leadsOwnGroup ? 1 : 0,
                                    sources: sources.baseAddress, targets: targets.baseAddress,
                                    descriptor_count: sources.count)
                                return unsafe gantry_spawn(&request, &process)
                            }
                        }
                    }
                }
            }
        }
        return (code, process)
    }

    private func validate() throws(SystemError) {
        let texts = [executable, name ?? ""] + arguments + environment.flatMap { [$0.key, $0.value] } + [workingFolder ?? ""]
        guard texts.allSatisfy({ !$0.utf8.contains(0) }) else {
            throw SystemError(code: .invalidArgument, context: "starting \(executable): a text contains a zero byte")
        }
        let numbers = inherited.map(\.childNumber)
        guard numbers.allSatisfy({ 3...1_000 ~= $0 }), Set(numbers).count == numbers.count else {
            throw SystemError(
                code: .invalidArgument, context: "starting \(executable): give each descriptor its own number, 3 to 1000")
        }
    }
}

/// What a spawned process has as standard input, output or error.
package enum SpawnStream: Hashable, Sendable {
    /// The parent's own.
    case inherit
    /// `/dev/null`.
    case null
    /// An open descriptor of the parent, which keeps it.
    case descriptor(Int32)
}

/// A descriptor that a spawned process gets beside its three standard streams.
package struct InheritedDescriptor: Hashable, Sendable {
    /// Its number here.
    package let parentNumber: Int32
    /// Its number there, 3 or above.
    package let childNumber: Int32

    /// Names both sides.
    package init(parentNumber: Int32, childNumber: Int32) {
        self.parentNumber = parentNumber
        self.childNumber = childNumber
    }
}

/// The two ends of a pipe, both close-on-exec. Take each end once.
package struct PipePair: ~Copyable, Sendable {
    private var reader: OwnedDescriptor?
    private var writer: OwnedDescriptor?

    /// Opens a pipe.
    /// - Throws: `tooManyOpen`.
    package init() throws(SystemError) {
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
    package mutating func takeReader() -> OwnedDescriptor {
        guard let end = reader.take() else { preconditionFailure("the read end of this pipe was taken before") }
        return end
    }

    /// Takes the end to write to. Taking it twice is a programmer error.
    package mutating func takeWriter() -> OwnedDescriptor {
        guard let end = writer.take() else { preconditionFailure("the write end of this pipe was taken before") }
        return end
    }
}
