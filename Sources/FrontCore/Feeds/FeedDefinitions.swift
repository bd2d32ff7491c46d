//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The feeds that the configuration declares, by name.
struct FeedDefinitions {
    private let byName: [String: FeedDefinition]
    /// The greatest settings of a feed, in bytes.
    private let settingsLimit: Int
    /// The feeds whose parameters all have defaults, or need no value, with these, by key: their name alone names them.
    private(set) var needingNoParameter: [FeedState] = []

    init(_ settings: FrontSettings) {
        byName = Dictionary(settings.feeds.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        settingsLimit = settings.bounds.payloadByteCount
        for definition in byName.values {
            guard let key = FeedKey(name: definition.name), case .success(let resolved) = resolve(key) else { continue }
            needingNoParameter.append(FeedState(key: resolved, isEditable: definition.isEditable))
        }
        // A table has another order at each start, and pages of feeds are by key.
        needingNoParameter.sort { $0.key < $1.key }
    }

    /// What is declared of a feed; nil: nothing is.
    subscript(name: String) -> FeedDefinition? { byName[name] }

    /// The key with the declared parameters filled in, or why it names no feed.
    func resolve(_ key: FeedKey) -> Result<FeedKey, RefusedRequest> {
        guard let definition = byName[key.name], key.namespace.isEmpty else {
            let known = byName.isEmpty ? "there is none" : "there are: " + byName.keys.sorted().joined(separator: ", ")
            return .failure(
                RefusedRequest(
                    .unknownFeed, "no feed \"\(key.name)\" is configured; \(known)",
                    arguments: RefusedRequest.arguments(setting: "feeds", of: key)))
        }
        for parameter in key.parameters where !definition.parameters.contains(where: { $0.name == parameter.name }) {
            let known = definition.parameters.map(\.name).joined(separator: ", ")
            let text = "feed \(key.name) has no parameter \"\(parameter.name)\"; it has: \(known.isEmpty ? "none" : known)"
            let arguments = [Failure.parameterArgument, parameter.name, "feed", key.text]
            return .failure(RefusedRequest(.invalidData, text, arguments: arguments))
        }
        // They travel with each grant, and a grant that its worker cannot read would run nowhere.
        guard definition.settings.count <= settingsLimit else {
            let text =
                "the settings of feed \(key.name) take \(definition.settings.count) bytes (limit \(settingsLimit))"
            return .failure(
                RefusedRequest(
                    .tooLarge, text + ": make its part of gantry.yaml smaller",
                    arguments: RefusedRequest.arguments(setting: "feed", of: key)))
        }
        var parameters: [FeedKey.Parameter] = []
        for declared in definition.parameters {
            // What is required cannot be nothing: an empty text is no value of it.
            let isMissing: (String) -> Bool = { declared.isRequired && $0.isEmpty }
            if let value = key.value(of: declared.name) ?? declared.defaultValue, !isMissing(value) {
                parameters.append(FeedKey.Parameter(name: declared.name, value: value))
            } else if declared.isRequired {
                let value = "\(declared.name)=VALUE"
                let text = "feed \(key.name) needs its parameter \(declared.name): --param \(value), or the key \(key.name)?\(value)"
                let arguments = [Failure.parameterArgument, declared.name, Failure.lackingArgument, "true", "feed", key.text]
                return .failure(RefusedRequest(.invalidData, text, arguments: arguments))
            }
        }
        // Defaults may make a key longer than the one that was asked for.
        guard let resolved = FeedKey(name: key.name, parameters: parameters) else {
            return .failure(RefusedRequest(.tooLarge, "the parameters of \(key.name) are over \(FeedKey.byteCountLimit) bytes (limit)"))
        }
        return .success(resolved)
    }

    /// The topic that changes are published under: a feed's with the defaults of its parameters filled in.
    /// - Throws: why its key names no feed.
    func canonical(_ topic: Topic) throws(RefusedRequest) -> Topic {
        switch topic {
        case .feed(let key): .feed(try resolve(key).get())
        case .view(let key, let name): .view(try resolve(key).get(), name)
        case .job, .ofFront: topic
        }
    }
}

/// Thrown where a request cannot be taken.
struct RefusedRequest: Error {
    let failure: Failure

    /// - Parameter arguments: names and values in turns.
    init(_ code: FailureCode, _ text: String, arguments: [String] = []) { failure = Failure(code: code, text: text, arguments: arguments) }

    /// The arguments of a request that a change of the feed's configuration helps.
    static func arguments(setting: String, of feed: FeedKey) -> [String] { [Failure.settingArgument, setting, "feed", feed.text] }
}
