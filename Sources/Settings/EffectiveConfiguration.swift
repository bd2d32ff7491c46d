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
        /// What was read already, so that no file is looked for; nil: it is found and read.
        public var read: ConfigurationText?
        /// Where the sample origin listens, `host:port`; for the built-in sample only.
        public var sampleOrigin = BuiltInSample.origin

        /// Flags of which each may be left out.
        public init(config: String? = nil, data: String? = nil, tcp: Bool = false) {
            self.config = config
            self.data = data
            self.tcp = tcp
        }
    }

    /// The text of the file or of the sample.
    public let source: ConfigurationText
    /// What the text says.
    public let configuration: GantryConfiguration
    /// Where the front keeps what it knows.
    public var data: DataFolder
    /// Where the front listens.
    public var endpoints: Endpoints

    /// Finds, reads and joins everything.
    ///
    /// - Throws: `ConfigurationError`: a mistake in the file, a flag that is empty, or a data folder that is too long for sockets.
    public static func load(flags: Flags, environment: Environment) throws(ConfigurationError) -> EffectiveConfiguration {
        let found = if let read = flags.read { read } else { try ConfigurationFile.read(flag: flags.config, environment: environment) }
        var source = found ?? ConfigurationText(file: nil, text: "")
        // Its text depends on where its origin listens, which an origin that chooses its port says only once it runs.
        if source.file == nil { source.text = BuiltInSample.yaml(origin: flags.sampleOrigin) }
        let configuration = try source.parsed()
        let folder = source.file.map { String($0.prefix(upTo: $0.lastIndex(of: "/") ?? $0.startIndex)) }
        let data = try DataFolder(flag: flags.data, file: configuration.data, fileFolder: folder, environment: environment)
        return EffectiveConfiguration(
            source: source, configuration: configuration, data: data,
            endpoints: flags.tcp ? .tcp() : try .ipc(data, environment: environment))
    }

    /// The file it was read from; nil: the built-in sample.
    public var file: String? { source.file }

    /// Whether any feed loads from where the sample origin listens.
    public var namesSampleOrigin: Bool {
        let hosts = ["127.0.0.1", "localhost"]
        return configuration.feeds.flatMap(\.addresses).contains { hosts.contains($0.host) && $0.port == BuiltInSample.port }
    }

    /// What people should be told at start: the sample in use, sockets elsewhere.
    public var notices: [String] {
        let sample = file == nil ? "no gantry.yaml found: using the built-in sample (items, products, todos)" : nil
        return [sample, endpoints.notice].compactMap { $0 }
    }
}
