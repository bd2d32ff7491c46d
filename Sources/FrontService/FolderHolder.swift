//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Platform

/// Who keeps a front from a data folder: whoever has locked its lock file.
public enum FolderHolder: Hashable, Sendable {
    /// A front, by the number of its process.
    case front(Int32)
    /// Another program, which a front cannot work beside.
    case other(Int32, commandLine: [String])

    /// The first word after the program's name that a front is started with: the list of processes tells by it what else has locked its file.
    public static let commandName = "front"

    /// Looks for the process that has locked a file, among all that there are. The lock itself is not tried: that could stop a front from starting.
    /// - Returns: nil when nobody has, or nobody who can be seen.
    public init?(lock path: String) {
        guard let process = LockFile.anyHolder(of: path) else { return nil }
        self.init(process: process)
    }

    /// A process that has locked the file of a folder: what it is by the list of processes.
    public init(process: Int32) {
        let words = HostInformation.commandLine(of: process)
        // This process locks the file for a front alone. Of one that may not be seen only the file's word is known.
        let isFront = process == ProcessControl.currentID || words.isEmpty || words.dropFirst().first == Self.commandName
        self = isFront ? .front(process) : .other(process, commandLine: words)
    }

    /// What is said where another program has locked the file, and what helps; nil for a front.
    public func sentence(of path: String) -> (text: String, nextStep: String)? {
        guard case .other(let process, let words) = self else { return nil }
        let command = words.joined(separator: " ").cut(to: Self.commandByteCount)
        return (
            "process \(process) (\(command)), which was not started as gantry front, has locked \(path)",
            "see what it is, for it may run a front of its own; then end it, or choose another data folder"
        )
    }

    /// So much of a command line is said: its first words tell which program that is, and one of the others may be a whole program's text (`sh -c`).
    private static let commandByteCount = 200
}
