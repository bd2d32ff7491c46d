//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Model

/// Commands that are advised: each asks the front that the one that advises it was told to ask.
enum AdvisedCommand {
    /// Puts options behind the name of each command of a client, or of a worker, that a text advises: of `gantry job show 7` comes
    /// `gantry job show --data /srv/gantry 7`.
    /// - Parameter words: the options as they are typed; none: the text stays.
    static func placing(_ words: [String], in text: String) -> String {
        guard !words.isEmpty else { return text }
        return text.replacing(/\bgantry ([a-z-]+)( [a-z-]+)?/) { match in
            let (name, rest) = (String(match.output.1), match.output.2 ?? "")
            let options = " " + words.joined(separator: " ")
            if groups.contains(name), !rest.isEmpty { return "gantry \(name)\(rest)\(options)" }
            // A worker is told of a front on TCP otherwise.
            let takes = clients.contains(name) || name == WorkerCommand.configuration.commandName && words.first != "--connect"
            return takes ? "gantry \(name)\(options)\(rest)" : String(match.output.0)
        }
    }

    /// Commands that ask a front, and those that have such commands.
    private static let (clients, groups): (Set<String>, Set<String>) = {
        let all = GantryCommand.configuration.subcommands
        func names(_ commands: [any ParsableCommand.Type]) -> Set<String> { Set(commands.compactMap { $0.configuration.commandName }) }
        return (
            names(all.filter { $0 is any FrontCommand.Type }),
            names(all.filter { $0.configuration.subcommands.contains { $0 is any FrontCommand.Type } })
        )
    }()
}

extension ConnectOptions {
    /// The options that were given, as they are typed. A folder is named by `--data`, which workers have too.
    var words: [String] {
        guard let connect else { return places.words }
        guard !connect.contains("://") else { return ["--connect", ShellWord.of(connect)] + places.words }
        var places = places
        places.data = connect
        return places.words
    }
}
