//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The configuration that counts: flags over environment over file over defaults.
public struct EffectiveConfiguration: Hashable, Sendable {
    /// What the command line may say about it.
    public struct Flags: Hashable, Sendable {
        /// The file to read: the value of `--config`.
        public var config: String?
        /// The data folder: the value of `--data`.
        public var data: String?
        /// Whether the front listens at 127.0.0.1:7701-7704 instead of sockets in the data folder: `--tcp`.
        public var tcp = false
        /// Where the sample origin listens, `host:port`; for the built-in sample only.
        public var sampleOrigin = BuiltInSample.origin

        /// Flags of which each may be left out.
        public init(config: String? = nil, data: String? = nil, tcp: Bool = false) {
            self.config = config
            self.data = data
            self.tcp = tcp
        }
    }

    /// The file it was read from; nil: the built-in sample.
    public var file: String?
    /// The text of the file or of the sample.
    public private(set) var text: String
    /// What the text says.
    public private(set) var configuration: GantryConfiguration
    /// Where the front keeps what it knows.
    public var data: DataFolder
    /// Where the front listens.
    public var endpoints: Endpoints

    /// Finds, reads and joins everything.
    ///
    /// - Throws: `ConfigurationError`: a mistake in the file, a flag that is empty, or a data folder that is too long for sockets.
    public static func load(flags: Flags, environment: Environment) throws(ConfigurationError) -> EffectiveConfiguration {
        let found = try ConfigurationFile.load(flag: flags.config, environment: environment)
        let text = found?.text ?? BuiltInSample.yaml(origin: flags.sampleOrigin)
        let configuration = if let found { found.configuration } else { try GantryConfiguration(yaml: text) }
        let folder = found.map { String($0.path.prefix(upTo: $0.path.lastIndex(of: "/") ?? $0.path.startIndex)) }
        let data = try DataFolder(flag: flags.data, file: configuration.data, fileFolder: folder, environment: environment)
        return EffectiveConfiguration(
            file: found?.path, text: text, configuration: configuration, data: data,
            endpoints: flags.tcp ? .tcp() : try .ipc(data, environment: environment))
    }

    /// Whether anything in it may need the sample origin: it is the sample itself, or names the origin's address.
    public var namesSampleOrigin: Bool {
        file == nil || [BuiltInSample.origin, "localhost:\(BuiltInSample.port)"].contains { text.contains($0) }
    }

    /// Takes another text for the file's: what it said when a front that still runs was started.
    ///
    /// - Throws: `ConfigurationError`: a mistake in the text; nothing has changed then.
    public mutating func replace(text: String) throws(ConfigurationError) {
        configuration = try GantryConfiguration(yaml: text)
        self.text = text
    }

    /// What people should be told at start: the sample in use, sockets elsewhere.
    public var notices: [String] {
        let sample = file == nil ? "no gantry.yaml found: using the built-in sample (items, products, todos)" : nil
        return [sample, endpoints.notice].compactMap { $0 }
    }
}
