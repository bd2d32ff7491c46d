//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Settings

/// An option that a command does not have, where the parser only says which argument is missing.
enum UnknownOption {
    /// What to say when the command line has an option that its command does not have; nil when it has none.
    static func failure(in arguments: [String]) -> CommandFailure? {
        let (command, path) = UnknownCommand.named(by: arguments)
        let takesValue = options(of: command)
        var isValue = false
        for word in arguments.prefix(while: { $0 != "--" }) {
            guard !isValue, word.hasPrefix("--") else {
                isValue = false
                continue
            }
            let name = String(word.prefix { $0 != "=" })
            guard let takes = takesValue[name] else {
                let hint = SpellingDistance.nearest(to: name, in: takesValue.keys.sorted()).map { "; did you mean \"\($0)\"?" } ?? ""
                return CommandFailure(
                    .usage, code: .usage, message: "\(path) has no option \"\(name)\"\(hint)", nextStep: "\(path) --help")
            }
            isValue = takes && name == word
        }
        return nil
    }

    /// The options that the help of a command lists, and whether a value follows.
    private static func options(of command: any ParsableCommand.Type) -> [String: Bool] {
        let help = GantryCommand.helpMessage(for: command, includeHidden: true)
        let lines = help.matches(of: /(?m)^  (?:-[a-z], )?(?<name>--[a-z][a-z-]*)(?<value> <)?/)
        return Dictionary(lines.map { (String($0.output.name), $0.output.value != nil) }) { first, _ in first }
    }
}
