//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Which folder of a module may name types of which others.
enum FolderRules {
    /// The folders of a module, lowest first: each names types of its own and of those before it. "" is the module's root.
    static let orders: [String: [String]] = [
        "GantryModel": [
            "", "Time", "Checksums", "Identity", "Failure", "Objects", "Jobs", "Feeds", "Topics", "Messages", "Entries", "Contracts",
        ],
        "FrontCore": [
            "Collections", "Contracts", "Context", "Records", "Scheduler", "Sessions", "Workers", "Jobs", "Feeds", "State", "Entries",
            "Queue",
            "FeedMachine", "Workforce", "", "Loop",
        ],
        "FrontService": ["Settings", "Folder", "Objects", "Sockets", "Pages", ""],
        "GantryClient": ["Core", "Observing", "Driver", "API", "RemoteFeed"],
        "GantryFileCache": ["Limits", "Layout", "Disk", "Items", "Objects", "Orders", "Lists", "Sorting", ""],
        "GantryPlatform": ["", "Threads", "Processes", "Files"],
        "GantryWire": ["Mapping", "Feeds", "Jobs", "Clients", "Workers", "Entries", ""],
        "GantryWorker": ["Core", "Blocking", "Loaders", "Drivers", ""],
        "Journal": ["Log", "Store", ""],
        "SampleOrigin": ["Core", "Server", ""],
        "StateFormatting": ["JSON", ""],
        "gantry": ["Failures", "Output", "Options", "Processes", "Client", "Doctor", "Commands", "", "Program"],
    ]

    /// Files that name types of a folder above theirs, and why.
    static let exceptions: [String: String] = [
        "Sources/FrontCore/Context/EntryTurn.swift": "only the file of the key makes keys, so who applies entries stands in it"
    ]

    /// The name of the folder of a file within its module.
    static func folder(of file: SourceFile) -> String { file.folders.count > 2 ? String(file.folders[2]) : "" }
}

extension Rule {
    static let folderRules = [
        Rule("folders of a module name types of those below them only") { files in
            FolderRules.orders.keys.sorted().flatMap { module in
                let own = files.filter { $0.isSource && $0.target == module }
                return namesOfHigherFolders(in: own, FolderRules.orders[module] ?? [])
            }
        }
    ]

    private static func namesOfHigherFolders(in files: [SourceFile], _ order: [String]) -> [Violation] {
        let levels = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($0.element, $0.offset) })
        var homes: [String: (level: Int, folder: String)] = [:]
        var doubled: Set<String> = []
        for file in files {
            let folder = FolderRules.folder(of: file)
            for (name, isTopLevel) in declaredTypes(in: file.tokens) {
                // A nested type with the name of another one: which of them is meant, its name alone does not say.
                if !isTopLevel || homes[name] != nil { doubled.insert(name) }
                if isTopLevel, let level = levels[folder] { homes[name] = (level, folder) }
            }
        }
        return files.flatMap { file -> [Violation] in
            let folder = FolderRules.folder(of: file)
            guard let level = levels[folder] else { return [file.violation(1, "\(folder) has no place in the order of folders")] }
            guard FolderRules.exceptions[file.path] == nil else { return [] }
            return file.tokens.indices.compactMap { index in
                let token = file.tokens[index]
                // Behind a point stands a nested type or a member.
                guard let home = homes[token.text], home.level > level, !doubled.contains(token.text),
                    index == 0 || file.tokens[index - 1].text != "."
                else { return nil }
                return file.violation(token.line, "\(folder) stands below \(home.folder), and names its \(token.text)")
            }
        }
    }

    /// The names of the types that a file declares, and whether each stands in no other one.
    private static func declaredTypes(in tokens: [Token]) -> [(name: String, isTopLevel: Bool)] {
        let kinds: Set<String> = ["struct", "enum", "class", "actor", "protocol", "typealias"]
        var depth = 0
        return tokens.indices.compactMap { index in
            switch tokens[index].text {
            case "{": depth += 1
            case "}": depth -= 1
            case let kind where kinds.contains(kind) && index + 1 < tokens.count:
                // Of `class func` and `class var` no type comes.
                let name = tokens[index + 1].text
                return name.first?.isUppercase == true ? (name, depth == 0) : nil
            default: break
            }
            return nil
        }
    }
}
