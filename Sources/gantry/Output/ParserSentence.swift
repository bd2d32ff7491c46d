//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser

/// What the parser says of a command line, in the style of this program's own sentences: in small letters, without a full stop.
enum ParserSentence {
    /// With what the parser begins the line of the help of an option.
    private static let helpMark = "Help:  "

    /// What is wrong with a command line. Of a value that is none the parser says only that, unless there are only some: what it may be stands in
    /// the help of its option.
    static func of(_ error: any Error, in options: any ParsableArguments.Type) -> String {
        let message = options.message(for: error)
        // The parser's own text ends with the usage of whatever command it had come to.
        let sentence = plain(message.split(separator: "\nUsage: ", maxSplits: 1).first.map(String.init) ?? message)
        let isAlone = sentence.contains(" is invalid for '") && sentence.hasSuffix("'") && !sentence.contains("; give one of '")
        guard isAlone else { return sentence }
        // The name of the option with its value, two blanks, and what its help says.
        let help = options.fullMessage(for: error).split(separator: "\n").first { $0.hasPrefix(helpMark) }?.dropFirst(helpMark.count)
        guard let help, let gap = help.firstRange(of: "  ") else { return sentence }
        let about = plain(String(help[gap.upperBound...]))
        return about.isEmpty ? sentence : "\(sentence): \(about)"
    }

    static func plain(_ text: String) -> String {
        let advised = text.replacing(". Please provide ", with: "; give ").replacing(". Did you mean ", with: "; did you mean ")
        // A first word that is no plain one, such as an option, stays as it is.
        let hasWord = advised.prefixMatch(of: #/[A-Z][a-z]* /#) != nil
        let sentence = hasWord ? advised.prefix(1).lowercased() + advised.dropFirst() : advised
        return sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }
}
