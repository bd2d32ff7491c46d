//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension Failure {
    /// The argument that names what a change of the configuration helps; the argument `feed` is beside it.
    package static let settingArgument = "setting"

    /// How a change of the configuration gets into effect: a running front has read it at its start. The one place that says so.
    package static func configurationChange(for feed: FeedKey) -> String { "\(configurationChange), then \(refresh(feed))" }

    /// The same without what to do then.
    package static let configurationChange = "change \(configurationFile), \(newStart)"

    /// What lets a front read its configuration again.
    package static let newStart = "end `gantry up` and start it again"

    /// How advice names the file that the front reads; whoever knows more of it says so instead.
    package static let configurationFile = "gantry.yaml"

    /// The setting without which nobody can add items to a feed or change them.
    package static let editableSetting = "editable"

    /// The argument that names a parameter which a feed does not have, or lacks.
    package static let parameterArgument = "parameter"

    /// The argument that says of that parameter that the feed needs it.
    package static let lackingArgument = "lacking"

    /// The argument that names an object which turned out damaged.
    package static let damagedArgument = "damagedObject"

    /// The argument that names the job that has a unique key.
    package static let holderArgument = "job"

    /// The argument that names the state of that job, while it is known.
    package static let holderStateArgument = "jobState"

    /// The argument that names the newest job which repeats that one.
    package static let repeatedByArgument = "repeatedBy"

    /// The argument that names a loader which nobody knows.
    package static let loaderArgument = "loader"

    /// The argument that names the known loader which is spelled most like it.
    package static let nearestArgument = "nearest"

    /// The group that nothing is in.
    package static let groupArgument = "group"

    /// Whether it says that a feed's content turned out damaged.
    package var reportsDamage: Bool { argument(Self.damagedArgument) != nil }

    /// What to do after a load or a detail of a feed has failed so; nil where the failure is not one of a source and how it is configured.
    package func nextStepAtSource(of feed: FeedKey) -> String? {
        let change = Self.configurationChange(for: feed)
        switch code {
        case .forbiddenAddress: return change
        case .timedOut, .unreachable: return "\(Self.refresh(feed)); or \(change)"
        case .httpStatus where retryable: return Self.refresh(feed)
        // The values of parameters stand in the address.
        case .httpStatus where !feed.parameters.isEmpty: return "correct the parameters or the source, or \(change)"
        case .invalidData, .tooLarge, .httpStatus, .tooManyRedirects, .secureConnectionFailed: return "correct the source, or \(change)"
        default: return nil
        }
    }

    /// The next step after a refusal that names a setting or a parameter.
    package var nextStepOfRefusal: String? {
        if code == .conflict, let job = argument(Self.holderArgument) {
            if let newest = argument(Self.repeatedByArgument) {
                return "gantry job show \(newest), or one more all the same: gantry job retry \(job) --again"
            }
            switch argument(Self.holderStateArgument).flatMap({ name in JobState.allCases.first { $0.name == name } }) {
            case .waiting, .scheduled, .running: return "gantry job wait \(job), or gantry job cancel \(job)"
            case .cancelling: return "gantry job wait \(job)"
            case .quarantined: return "gantry job retry \(job), or use another key"
            case .succeeded, .failed, .cancelled, .expired, nil: return "gantry job explain \(job), or use another key"
            }
        }
        if code == .unknownLoader, argument(Self.loaderArgument) != nil {
            return "start a worker that offers it, name it under loaders in \(Self.configurationFile), or add --any-loader"
        }
        if code == .unknownItem, argument(Self.groupArgument) != nil {
            return "name a group that stands in \(Self.configurationFile), or \(Self.configurationChange)"
        }
        if let parameter = argument(Self.parameterArgument) {
            let isLacking = argument(Self.lackingArgument) != nil
            return isLacking ? "add --param \(parameter)=VALUE" : "leave --param \(parameter) out, or use one that it has"
        }
        guard let setting = argument(Self.settingArgument), let feed = argument("feed").flatMap({ FeedKey(text: $0) }) else { return nil }
        // Whoever was refused knows what is to be repeated then, and it is no load.
        if setting == Self.editableSetting { return Self.configurationChange }
        return code == .unknownFeed ? "use one of those, or \(Self.configurationChange)" : Self.configurationChange(for: feed)
    }

    /// The value of an argument; nil: it is not there.
    package func argument(_ name: String) -> String? {
        stride(from: 0, to: arguments.count - 1, by: 2).first { arguments[$0] == name }.map { arguments[$0 + 1] }
    }

    private static func refresh(_ feed: FeedKey) -> String { "gantry feed refresh \(feed.shellWord)" }
}

/// Texts in commands that people are advised to type.
package enum ShellWord {
    /// The text as one word of a shell: as it is, or in quotes where a shell would read something else into it.
    package static func of(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "-_./:=@%+,".utf8.contains(byte)
            }
        }
        return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}

extension FeedKey {
    /// The whole key as one word of a shell.
    package var shellWord: String { ShellWord.of(text) }
}
