//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Machines of the core whose code stands in several files. Swift has no access for one type in all of its files: the compiler keeps what is
/// `private` to a file, and this rule what is not.
enum MachineRules {
    static let machines: Set<String> = [
        "ClientSessions", "FeedMachine", "FeedTable", "JobLifecycle", "JobQueue", "LimitTable", "Scheduler", "WorkerSessions", "Workforce",
    ]

    /// Members that are machines, or tables, with private state of their own: whoever may use the one may use the other.
    static let parts: Set<String> = ["Scheduler.limits", "WorkerSessions.offered"]
}

extension Rule {
    static let machineRules = [
        Rule("the state of a machine is changed by its own files only") { files in
            let own = files.filter { $0.isSource && $0.target == "FrontCore" }
            return MachineRules.machines.sorted().flatMap { foreignUses(of: $0, in: own) }
        },
        // The loop reads much of it, so here only what changes it counts.
        Rule("what the machine of the front holds is changed by its own methods only") { files in
            foreignChanges(of: "FrontMachine", in: files.filter { $0.isSource && $0.target == "FrontCore" })
        },
        // `jobs.ended` may be asked for what it holds, and `jobs.ended.bundled` not: which part knows what is the machine's own affair.
        Rule("files of other folders ask a machine or its part, and nothing deeper") { files in
            let own = files.filter { $0.isSource && $0.target == "FrontCore" }
            return MachineRules.machines.sorted().flatMap { deepChains(into: $0, in: own) }
        },
    ]

    private static func foreignUses(of machine: String, in files: [SourceFile]) -> [Violation] {
        guard let home = files.first(where: { openMembers(of: machine, in: $0.tokens) != nil }),
            let members = openMembers(of: machine, in: home.tokens)?.filter({ !MachineRules.parts.contains("\(machine).\($0)") })
        else {
            let isCore = files.contains { $0.path == "Sources/FrontCore/FrontMachine.swift" }
            return isCore ? [Violation(path: "Sources/FrontCore", line: 1, text: "the machine \(machine) of this rule is nowhere")] : []
        }
        let holders = Set(files.flatMap { names(of: machine, in: $0.tokens) })
        // A file with a part of the machine stands in the machine's folder.
        let others = files.filter { file in
            let isPart = file.folders == home.folders && file.tokens.indices.contains { isExtension(of: machine, file.tokens, $0) }
            return file.path != home.path && !isPart
        }
        return others.flatMap { file -> [Violation] in
            let tokens = file.tokens
            return tokens.indices.dropFirst(2).compactMap { index in
                guard members.contains(tokens[index].text), tokens[index - 1].text == ".", holders.contains(tokens[index - 2].text),
                    index + 1 == tokens.count || tokens[index + 1].text != "("
                else { return nil }
                return file.violation(tokens[index].line, "\(tokens[index].text) is the state of \(machine): let it answer the question")
            }
        }
    }

    /// Where other files assign to what a machine holds, pass it on to be changed, or call a method of it that changes it: as far as a chain
    /// of names goes.
    private static func foreignChanges(of machine: String, in files: [SourceFile]) -> [Violation] {
        guard let home = files.first(where: { openMembers(of: machine, in: $0.tokens) != nil }),
            let members = openMembers(of: machine, in: home.tokens)
        else { return [] }
        let holders = Set(files.flatMap { names(of: machine, in: $0.tokens) })
        let changing = changingMethods(in: files)
        return files.filter { $0.path != home.path }.flatMap { file -> [Violation] in
            let tokens = file.tokens
            return tokens.indices.dropFirst(2).compactMap { index in
                guard members.contains(tokens[index].text), tokens[index - 1].text == ".", holders.contains(tokens[index - 2].text),
                    isChanged(tokens, index, by: changing)
                else { return nil }
                return file.violation(tokens[index].line, "\(tokens[index].text) is the state of \(machine): let it change that itself")
            }
        }
    }

    /// Where files of other folders go through a part of a machine: as far as a chain of names goes.
    private static func deepChains(into machine: String, in files: [SourceFile]) -> [Violation] {
        let homes = files.lazy.compactMap { file in members(of: machine, in: file.tokens).map { (folders: file.folders, parts: $0) } }
        guard let home = homes.first else { return [] }
        let holders = Set(files.flatMap { names(of: machine, in: $0.tokens) })
        return files.filter { $0.folders != home.folders }.flatMap { file -> [Violation] in
            let tokens = file.tokens
            return tokens.indices.dropLast(5).compactMap { index in
                let part = tokens[index + 2]
                guard holders.contains(tokens[index].text), home.parts[part.text] != nil, tokens[index + 4].isWord,
                    [1, 3, 5].allSatisfy({ tokens[index + $0].text == "." }), !MachineRules.parts.contains("\(machine).\(part.text)")
                else { return nil }
                return file.violation(part.line, "\(part.text) is a part of \(machine): let the machine answer the question")
            }
        }
    }

    /// Whether what a member's chain of names leads to is changed there.
    private static func isChanged(_ tokens: [Token], _ member: Int, by changing: Set<String>) -> Bool {
        // `&machine.member`, but not `isSo && machine.member`.
        if tokens[..<(member - 2)].suffix(2).reversed().prefix(while: { $0.text == "&" }).count == 1 { return true }
        var last = member
        while last + 2 < tokens.count, tokens[last + 1].text == ".", tokens[last + 2].isWord { last += 2 }
        let behind = tokens[(last + 1)...].prefix(6).map(\.text)
        if behind.first == "(" { return changing.contains(tokens[last].text) }
        // `=` and `+=`, but not `==`.
        let sign = behind.drop(while: { ["+", "-", "*", "/", "&", "|", "^"].contains($0) })
        return sign.first == "=" && sign.dropFirst().first != "="
    }

    /// Methods that change what they are called on, whoever has one of that name.
    private static func changingMethods(in files: [SourceFile]) -> Set<String> {
        var (changing, reading): (Set<String>, Set<String>) = ([], [])
        for tokens in files.map(\.tokens) {
            for index in tokens.indices.dropFirst().dropLast() where tokens[index].text == "func" {
                let name = tokens[index + 1].text
                if tokens[index - 1].text == "mutating" { changing.insert(name) } else { reading.insert(name) }
            }
        }
        return changing.subtracting(reading)
    }

    private static func isExtension(of machine: String, _ tokens: [Token], _ index: Int) -> Bool {
        tokens[index].text == machine && index > 0 && tokens[index - 1].text == "extension"
    }

    /// The variables of the machine that other files may write; nil: it is declared elsewhere.
    private static func openMembers(of machine: String, in tokens: [Token]) -> Set<String>? {
        members(of: machine, in: tokens).map { Set($0.filter(\.value).keys) }
    }

    /// Those that other files may read, and whether they may write them; nil: it is declared elsewhere.
    private static func members(of machine: String, in tokens: [Token]) -> [String: Bool]? {
        let start = tokens.indices.dropFirst().first { tokens[$0].text == machine && ["struct", "class"].contains(tokens[$0 - 1].text) }
        guard let start else { return nil }
        var (depth, members): (Int, [String: Bool]) = (0, [:])
        for index in tokens.indices[start...] {
            switch tokens[index].text {
            case "{": depth += 1
            case "}": depth -= 1
            case "var" where depth == 1 && index + 1 < tokens.count:
                // `private` stands before it, or `private(set)`; a value that is computed has a brace and no `=` before it.
                let before = tokens[..<index].suffix(4).map(\.text)
                let isOpen = before != ["private", "(", "set", ")"]
                let line = tokens[(index + 2)...].prefix { $0.line == tokens[index].line }.map(\.text)
                let isStored = line.firstIndex(of: "{").map { line[..<$0].contains("=") } ?? true
                guard before.last != "private", isStored else { continue }
                // `var one`, or `var (one, other)`.
                let names = tokens[(index + 1)...].prefix { $0.isWord || ["(", ","].contains($0.text) }.filter(\.isWord)
                for name in names { members[name.text] = isOpen }
            default: break
            }
            if depth == 0, tokens[index].text == "}" { break }
        }
        return members
    }

    /// What variables and parameters with a machine are called.
    private static func names(of machine: String, in tokens: [Token]) -> [String] {
        tokens.indices.dropFirst(2).compactMap { index in
            guard tokens[index].text == machine else { return nil }
            // `name: Machine`, `name: inout Machine`, `name = Machine(`.
            let sign = tokens[index - 1].text == "inout" ? index - 2 : index - 1
            return sign > 0 && [":", "="].contains(tokens[sign].text) ? tokens[sign - 1].text : nil
        }
    }
}
