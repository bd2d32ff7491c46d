//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryModel
import GantryPlatform

/// `--output` and `--quiet`, for every command that prints.
struct OutputOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, json, jsonl
    }

    @Option(
        name: .customLong("output"),
        help: "How to print: table, json, or jsonl with one value on each line. table is the default; feed items into a pipe are jsonl.")
    var named: Format?

    /// How to print.
    var output: Format { named ?? .table }

    @Flag(name: .long, help: "Print nothing on standard error but errors, as json and jsonl do by themselves.")
    var quiet = false

    /// Whether programs read the output.
    var isJSON: Bool { output != .table }

    /// Whether a command line asks for JSON, also one that the parser refuses.
    static func isJSON(in arguments: [String]) -> Bool {
        let words = arguments.prefix { $0 != "--" }
        let joined = words.filter { $0.hasPrefix("--output=") }.map { String($0.dropFirst("--output=".count)) }
        let formats = zip(words, words.dropFirst()).filter { $0.0 == "--output" }.map(\.1) + joined
        return formats.contains { Format(rawValue: $0).map { $0 != .table } ?? false }
    }

    /// How wide the terminal is that a person looks at; nil: a program reads, or a file is written.
    var columns: Int? { isJSON ? nil : NumberedDescriptor.terminalSize(1)?.columns }

    /// Writes one line on standard output; a terminal gets it in pieces that fit.
    ///
    /// - Throws: `CommandFailure` with 73 when it cannot be written; a reader that has gone ends the program quietly.
    func line(_ text: String) throws {
        ProgressLine.shared.clear()
        guard !isJSON else { return try Self.write(text, to: 1) }
        let clean = TextFit.clean(text)
        try Self.write(columns.map { TextFit.fold(clean, columns: $0) } ?? clean, to: 1)
    }

    /// Writes lines as they are, for a program; a reader that has gone ends the program quietly.
    /// - Throws: `CommandFailure` with 73 when they cannot be written.
    func lines(asTheyAre lines: [String]) throws {
        ProgressLine.shared.clear()
        try Self.write(lines.joined(separator: "\n"), to: 1)
    }

    /// Writes one line of progress or notice on standard error, unless `--quiet`. A program that reads JSON finds one object there at most:
    /// why the command failed.
    func notice(_ text: String) {
        guard !quiet, !isJSON else { return }
        ProgressLine.shared.clear()
        // Nobody can be told that standard error is closed.
        let clean = TextFit.clean(text)
        try? Self.write(NumberedDescriptor.terminalSize(2).map { TextFit.fold(clean, columns: $0.columns) } ?? clean, to: 2)
    }

    /// Says how far work is, in one line of the terminal that is written again, or in a line of its own where standard error is none.
    func progress(_ text: String) {
        guard let columns = ProgressLine.shared.columns else { return notice(text) }
        if !quiet, !isJSON { ProgressLine.shared.draw(text, columns: columns) }
    }

    /// Writes a text and the end of its line.
    /// - Throws: `CommandFailure` when it cannot be written; where nobody reads it, that the command is done.
    static func write(_ text: String, to descriptor: Int32) throws {
        do throws(SystemError) {
            try NumberedDescriptor.write(Array((text + "\n").utf8), to: descriptor)
        } catch  where error.code == .brokenPipe {
            throw ExitStatus.done.exitCode
        } catch {
            let hasNoRoom = [.diskFull, .quotaFull].contains(error.code)
            throw CommandFailure(
                .cannotWrite, code: .cannotWrite, message: "the output cannot be written: \(error)",
                nextStep: hasNoRoom ? "free some space there, or write elsewhere" : "give it a standard output that can be written")
        }
    }
}

/// A command that prints, so that its failure is printed in the same form.
protocol GantrySubcommand: AsyncParsableCommand {
    /// `--output` and `--quiet`.
    var printing: OutputOptions { get }
}

extension ParsableCommand {
    /// Refuses a number out of its range, with the range.
    static func check<Number: BinaryInteger>(_ option: String, _ value: Number?, _ range: ClosedRange<Number>) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError("\(option) is \(range.lowerBound.grouped) to \(range.upperBound.grouped), not \(value)")
    }
}
