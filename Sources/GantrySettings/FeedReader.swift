//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryModel

/// Reads one feed of the configuration.
struct FeedReader {
    // The keys that are known, which `deploy/CONFIGURATION.md` explains.
    static let keys = [
        "source", "parameters", "item", "detail", "policy", "screen", "editable", "load-on-attach", "loads", "sort", "group",
    ]
    static let sourceKeys = ["http", "loader", "settings"]
    static let httpKeys = ["url", "items"]
    static let parameterKeys = ["default", "required"]
    static let itemKeys =
        [ItemPart.id, .title].map(\.rawValue) + ["fields"] + [ItemPart.createdAt, .dueAt, .description, .icon].map(\.rawValue)
    static let fieldKeys = ["path", "type"]
    static let sortKeys = ["by", "order"]

    private static let httpExample = "http: { url: \"http://127.0.0.1:8000/list.json\" }"

    let name: String
    /// Line of the name.
    let line: Int
    let http: HTTPLimits

    func read(_ node: ConfigurationNode) throws(ConfigurationError) -> ConfiguredFeed {
        try checkName(name, "the feed", line)
        let fields = try node.fields("feed \(name)", Self.keys, like: "\(name): { editable: true, item: { id: /id } }")
        let parameters = try fields["parameters"].map { node throws(ConfigurationError) in try self.parameters(node) } ?? []
        let names = parameters.map(\.name)
        let source = try fields["source"].map { node throws(ConfigurationError) in try self.source(node, names) } ?? nil
        var settings = LoaderSettings(source: source, item: try item(fields["item"], source), http: http)
        let hasOwnDetails = try fields["detail"].map { node throws(ConfigurationError) in try detail(node, names, &settings) } ?? false
        if let policy = fields["policy"] { try choice(policy, "policy", of: ["network"]) }
        var screen = ConfiguredFeed.Screen.list
        if let node = fields["screen"] {
            let text = try choice(node, "screen", of: ConfiguredFeed.Screen.allCases.map(\.rawValue))
            screen = ConfiguredFeed.Screen(rawValue: text) ?? .list
        }
        var definition = FeedDefinition(name: name, sourceLoader: settings.loaderSource?.name ?? source.map { _ in LoaderName.http })
        definition.parameters = parameters
        if let node = fields["editable"] { definition.isEditable = try node.truth("editable") }
        if let node = fields["load-on-attach"] { definition.loadsOnAttach = try node.truth("load-on-attach") }
        if let node = fields["loads"] { definition.loads = try loads(node, of: definition) }
        if definition.isEditable, hasOwnDetails {
            throw ConfigurationError(
                "feed \(name) is editable, and its source knows nothing of items made by hand: write \"detail: item\"",
                line: fields["detail"]?.line ?? line)
        }
        definition.hasOwnDetails = hasOwnDetails
        definition.sourceHost = settings.httpSource.flatMap { FeedAddress(.load, $0.url) }?.host
        definition.detailHost = settings.detail.flatMap { FeedAddress(.detail, $0) }?.host
        definition.fields = settings.item.fields.map(\.name)
        if let node = fields["sort"] { definition.defaultSort = try sort(node, of: ItemPart.sortable + definition.fields) }
        if source == nil, !definition.isEditable {
            throw ConfigurationError(
                "feed \(name) can never have content: give it a source, or \"editable: true\"", line: line)
        }
        do {
            definition.settings = try settings.json()
        } catch {
            throw ConfigurationError("feed \(name) cannot be written as JSON", line: line, cause: ErrorCause(error))
        }
        let group = try fields["group"].map { node throws(ConfigurationError) in try FlowReader.group(node, of: "feed \(name)") }
        return ConfiguredFeed(definition: definition, settings: settings, screen: screen, group: group)
    }

    /// Reads where details come from.
    /// - Returns: whether an item is not its own detail.
    private func detail(
        _ node: ConfigurationNode, _ names: [String], _ settings: inout LoaderSettings
    ) throws(ConfigurationError) -> Bool {
        let text = try node.text("detail")
        guard text != "item" else { return false }
        if case .loader(var source) = settings.source {
            guard text == "loader" else {
                throw ConfigurationError(
                    "the detail of feed \(name) is \"\(text)\", and its source is the loader \(source.name): "
                        + "write \"detail: item\" or \"detail: loader\"", line: node.line)
            }
            source.givesDetails = true
            settings.source = .loader(source)
            return true
        }
        let address = try template(node, "detail", names: ["id"] + names)
        guard address.names.contains("id") else {
            throw ConfigurationError(
                "the detail of feed \(name) has no {id}, so every item would have the same detail", line: node.line)
        }
        settings.detail = address
        return true
    }

    func checkName(_ name: String, _ what: String, _ line: Int) throws(ConfigurationError) { try FlowReader.check(name, what, line) }

    private func source(_ node: ConfigurationNode, _ names: [String]) throws(ConfigurationError) -> FeedSource? {
        switch node.value {
        case .scalar("none"), .empty: return nil
        case .scalar, .list, .map: break
        }
        let kinds = try node.fields("source of feed \(name)", Self.sourceKeys, like: "source: { \(Self.httpExample) }")
        if let loader = kinds["loader"] {
            guard kinds["http"] == nil else {
                throw ConfigurationError("the source of feed \(name) is http and a loader: leave one of the two out", line: node.line)
            }
            return .loader(try loaderSource(loader, kinds["settings"]))
        }
        guard kinds["settings"] == nil else {
            throw ConfigurationError(
                "the source of feed \(name) has settings and no loader: write source: { loader: NAME, settings: { … } }", line: node.line)
        }
        guard let http = kinds["http"] else { return nil }
        let fields = try http.fields("source.http of feed \(name)", Self.httpKeys, like: Self.httpExample)
        guard let url = fields["url"] else { throw ConfigurationError("the source of feed \(name) has no url", line: http.line) }
        let items = try pointer(fields["items"], "items") ?? JSONPointer.root
        return .http(HTTPSource(url: try template(url, "url", names: names), items: items))
    }

    private func template(_ node: ConfigurationNode, _ what: String, names: [String]) throws(ConfigurationError) -> URLTemplate {
        let text = try node.text(what)
        guard let template = URLTemplate(text) else {
            throw ConfigurationError("the \(what) \"\(text)\" is no URL template: write names in braces, as in {id}", line: node.line)
        }
        guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
            throw ConfigurationError("the \(what) \"\(text)\" must begin with http:// or https://", line: node.line)
        }
        if template.hasNameInAuthority {
            throw ConfigurationError(
                "the \(what) \"\(text)\" has a name in its host or port, so any client could choose the server: write host and port out",
                line: node.line)
        }
        if text.contains("#") {
            throw ConfigurationError(
                "the \(what) of feed \(name) has a #, and no server is asked for what stands behind it: remove it and what follows",
                line: node.line)
        }
        if text.utf8.contains(where: { $0 <= 32 || $0 == 127 }) {
            throw ConfigurationError("the \(what) of feed \(name) has a space in it: write %20", line: node.line)
        }
        if let fault = template.authorityFault { throw wrongAuthority(fault, what, node.line) }
        if let unknown = template.names.first(where: { !names.contains($0) }) {
            throw ConfigurationError(
                "the \(what) of feed \(name) uses {\(unknown)}, which is no parameter of it; declare it under parameters",
                line: node.line)
        }
        return template
    }

    /// What is said of an address whose host or port cannot be; never the address itself, which may hold a password.
    private func wrongAuthority(_ fault: URLTemplate.AuthorityFault, _ what: String, _ line: Int) -> ConfigurationError {
        switch fault {
        case .noHost: ConfigurationError("the \(what) of feed \(name) names no host: write http://host/path", line: line)
        case .credentials:
            ConfigurationError(
                "the \(what) of feed \(name) has a user or password in it, and a feed cannot send any yet: use an address that needs none",
                line: line)
        case .port(let text):
            ConfigurationError("the \(what) of feed \(name) has the port \"\(text)\": a port is 1 to 65535", line: line)
        }
    }

    private func parameters(_ node: ConfigurationNode) throws(ConfigurationError) -> [FeedDefinition.Parameter] {
        var parameters: [FeedDefinition.Parameter] = []
        for entry in try node.entries("parameters of feed \(name)", like: "parameters: { category: {} }") {
            try checkName(entry.key, "the parameter", entry.line)
            let fields = try entry.node.fields("parameter \(entry.key)", Self.parameterKeys, like: "\(entry.key): { default: all }")
            var parameter = FeedDefinition.Parameter(name: entry.key)
            if let value = fields["default"] { parameter.defaultValue = try value.text("default") }
            if let required = fields["required"] { parameter.isRequired = try required.truth("required") }
            if parameter.isRequired, parameter.defaultValue?.isEmpty == true {
                throw ConfigurationError(
                    "the parameter \(entry.key) of feed \(name) is required and has an empty default: leave one of the two out",
                    line: entry.line)
            }
            parameters.append(parameter)
        }
        return parameters
    }

    private func item(_ node: ConfigurationNode?, _ source: FeedSource?) throws(ConfigurationError) -> ItemMapping {
        if case .loader(let loader) = source { return try writtenItem(node, by: loader.name) }
        guard let node else {
            throw ConfigurationError("feed \(name) has no item; say at least \"item: { id: /id }\"", line: line)
        }
        let fields = try node.fields("item of feed \(name)", Self.itemKeys, like: "item: { id: /id, title: /name }")
        guard let id = try pointer(fields, .id) else {
            throw ConfigurationError("the item of feed \(name) has no id; say where it is, as in \"id: /id\"", line: node.line)
        }
        var item = ItemMapping(id: id)
        item.title = try pointer(fields, .title)
        item.createdAt = try pointer(fields, .createdAt)
        item.dueAt = try pointer(fields, .dueAt)
        item.description = try pointer(fields, .description)
        item.icon = try pointer(fields, .icon)
        for (entry, parts) in try declaredFields(fields["fields"], like: "path: /people, type: number") {
            guard let path = try pointer(parts["path"], "path") else {
                throw ConfigurationError("the field \"\(entry.key)\" has no path", line: entry.line)
            }
            item.fields.append(.init(name: entry.key, path: path, type: try type(parts["type"])))
            if source == nil, let node = parts["path"] { try checkManual(path, entry.key, "item.fields.\(entry.key).path", node.line) }
        }
        guard source == nil else { return item }
        let parts: [(ItemPart, JSONPointer?)] = [
            (.id, item.id), (.title, item.title), (.createdAt, item.createdAt), (.dueAt, item.dueAt), (.description, item.description),
            (.icon, item.icon),
        ]
        for case (let part, let pointer?) in parts {
            let line = fields[part.rawValue]?.line ?? node.line
            try checkManual(pointer, part.rawValue, "item.\(part.rawValue)", mayLack: part != .id, line)
        }
        return item
    }

    /// Items that are made by hand have each part under its own name: a pointer to another place would change nothing.
    private func checkManual(
        _ pointer: JSONPointer, _ part: String, _ what: String, mayLack: Bool = false, _ line: Int
    ) throws(ConfigurationError) {
        guard pointer.tokens != [part] else { return }
        throw ConfigurationError(
            "feed \(name) has no source, and items made by hand have their \(part) at /\(part): "
                + "write /\(part) for \(what)\(mayLack ? ", or leave it out" : "")",
            line: line)
    }

    /// Items that a loader writes have all parts where they belong: only the types of their fields remain to be said.
    private func writtenItem(_ node: ConfigurationNode?, by loader: String) throws(ConfigurationError) -> ItemMapping {
        let (what, example) = ("item of feed \(name)", "item: { fields: { people: { type: number } } }")
        let parts = try node?.fields(what, Self.itemKeys, like: example) ?? [:]
        if let (key, part) = parts.filter({ $0.key != "fields" }).min(by: { $0.key < $1.key }) {
            throw ConfigurationError(
                "the loader \(loader) of feed \(name) writes whole items, so item.\(key) says nothing: leave it out", line: part.line)
        }
        var fields: [(name: String, type: FieldType)] = []
        for (entry, parts) in try declaredFields(parts["fields"], like: "type: number") {
            if let path = parts["path"] {
                throw ConfigurationError(
                    "the loader \(loader) of feed \(name) writes the field \(entry.key) itself: leave its path out", line: path.line)
            }
            fields.append((entry.key, try type(parts["type"])))
        }
        return ItemMapping(written: fields)
    }

    /// The further fields in the order of the file, each with what is said of it.
    /// - Parameter example: what may be said of one.
    private func declaredFields(
        _ node: ConfigurationNode?, like example: String
    ) throws(ConfigurationError) -> [(ConfigurationNode.Entry, [String: ConfigurationNode])] {
        var fields: [(ConfigurationNode.Entry, [String: ConfigurationNode])] = []
        for entry in try node?.entries("item.fields", like: "fields: { people: { \(example) } }") ?? [] {
            try checkName(entry.key, "the field", entry.line)
            if ItemPart.names.contains(entry.key) {
                throw ConfigurationError("the field \"\(entry.key)\" is a part of every item; choose another name", line: entry.line)
            }
            let own = example.replacing("people", with: entry.key)
            let parts = try entry.node.fields("field \(entry.key)", Self.fieldKeys, like: "\(entry.key): { \(own) }")
            fields.append((entry, parts))
        }
        return fields
    }

    private func type(_ node: ConfigurationNode?) throws(ConfigurationError) -> FieldType {
        guard let node else { return .string }
        return FieldType(rawValue: try choice(node, "type", of: FieldType.allCases.map(\.rawValue))) ?? .string
    }

    /// Where a part of each item stands.
    private func pointer(_ fields: [String: ConfigurationNode], _ part: ItemPart) throws(ConfigurationError) -> JSONPointer? {
        try pointer(fields[part.rawValue], "item.\(part.rawValue)")
    }

    private func pointer(_ node: ConfigurationNode?, _ what: String) throws(ConfigurationError) -> JSONPointer? {
        guard let node else { return nil }
        let text = try node.text(what)
        guard let pointer = JSONPointer(text) else {
            throw ConfigurationError("\(what) \"\(text)\" is no JSON Pointer: write for example /data/items", line: node.line)
        }
        return pointer
    }

    private func sort(_ node: ConfigurationNode, of names: [String]) throws(ConfigurationError) -> SortOrder {
        let fields = try node.fields("sort of feed \(name)", Self.sortKeys, like: "sort: { by: title }")
        guard let by = fields["by"] else { throw ConfigurationError("the sort of feed \(name) has no \"by\"", line: node.line) }
        let field = try choice(by, "sort.by", of: names)
        let order = try fields["order"].map { node throws(ConfigurationError) in
            try choice(node, "sort.order", of: ["ascending", "descending"])
        }
        return SortOrder(field: field, ascending: order != "descending")
    }

    @discardableResult
    func choice(_ node: ConfigurationNode, _ what: String, of choices: [String]) throws(ConfigurationError) -> String {
        let text = try node.text(what)
        guard choices.contains(text) else {
            throw ConfigurationError("\(what) \"\(text)\" is not known; choose \(choices.joined(separator: ", "))", line: node.line)
        }
        return text
    }
}
