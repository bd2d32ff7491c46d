//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// The configuration that counts: flags over environment over file over defaults.
package struct EffectiveConfiguration: Hashable, Sendable {
    /// What the command line may say about it.
    package struct Flags: Hashable, Sendable {
        /// The file to read: the value of `--config`.
        package var config: String?
        /// The data folder: the value of `--data`.
        package var data: String?
        /// Whether the front listens at 127.0.0.1:7701-7704 instead of sockets in the data folder: `--tcp`.
        package var tcp = false
        /// What was read already, so that no file is looked for; nil: it is found and read.
        package var read: ConfigurationText?
        /// Where the sample origin listens, `host:port`; for the built-in sample only.
        package var sampleOrigin = BuiltInSample.origin

        /// Flags of which each may be left out.
        package init(config: String? = nil, data: String? = nil, tcp: Bool = false) {
            self.config = config
            self.data = data
            self.tcp = tcp
        }
    }

    /// The text of the file or of the sample.
    package let source: ConfigurationText
    /// What the text says.
    package let configuration: GantryConfiguration
    /// Where the front keeps what it knows.
    package var data: DataFolder
    /// Where the front listens.
    package var endpoints: Endpoints

    /// Finds, reads and joins everything.
    ///
    /// - Throws: `ConfigurationError`: a mistake in the file, a flag that is empty, or a data folder that is too long for sockets.
    package static func load(flags: Flags, environment: Environment) throws(ConfigurationError) -> EffectiveConfiguration {
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
    package var file: String? { source.file }

    /// Whether any feed loads from where the sample origin listens.
    package var namesSampleOrigin: Bool {
        let hosts = ["127.0.0.1", "localhost"]
        return configuration.feeds.flatMap(\.addresses).contains { hosts.contains($0.host) && $0.port == BuiltInSample.port }
    }

    /// What people should be told at start: the sample in use, sockets elsewhere.
    package var notices: [String] {
        let sample = file == nil ? "no gantry.yaml found: using the built-in sample (items, products, todos)" : nil
        return [sample, endpoints.notice].compactMap { $0 }
    }
}

/// Finds and reads the file.
package enum ConfigurationFile {
    /// The places in order, each with who named it: `--config`, `GANTRY_CONFIG`, `./gantry.yaml`,
    /// `~/.config/gantry/gantry.yaml`, `/etc/gantry/gantry.yaml`. The first two must exist when given.
    static func places(flag: String?, environment: Environment) -> [(path: String, isRequired: Bool)] {
        if let flag { return [(environment.absolute(flag), true)] }
        if let variable = environment.value("GANTRY_CONFIG") { return [(environment.absolute(variable), true)] }
        return [
            (environment.absolute("gantry.yaml"), false),
            (environment.absolute("~/.config/gantry/gantry.yaml"), false),
            ("/etc/gantry/gantry.yaml", false),
        ]
    }

    /// Looks whether the file that a flag names is there, without reading it.
    ///
    /// - Throws: `ConfigurationError` when it is missing, or the flag is empty: it comes of a variable that is not set.
    static func check(flag: String?, environment: Environment) throws(ConfigurationError) {
        guard let flag else { return }
        guard !flag.isEmpty else { throw ConfigurationError("--config is empty", nextStep: "give a file with --config, or leave it out") }
        let path = environment.absolute(flag)
        guard FileManager.default.fileExists(atPath: path) else { throw missing(path) }
    }

    private static func missing(_ path: String) -> ConfigurationError {
        ConfigurationError("there is no such file; give another (--config, GANTRY_CONFIG)", path: path, code: .missing)
    }

    /// The first file there is; nil: none, so the built-in sample counts.
    ///
    /// - Throws: `ConfigurationError` when a named file is missing, the flag is empty, or a found one cannot be read.
    package static func read(flag: String?, environment: Environment) throws(ConfigurationError) -> ConfigurationText? {
        try check(flag: flag, environment: environment)
        for place in places(flag: flag, environment: environment) {
            guard FileManager.default.fileExists(atPath: place.path) else {
                guard place.isRequired else { continue }
                throw missing(place.path)
            }
            guard let bytes = FileManager.default.contents(atPath: place.path) else {
                throw ConfigurationError("cannot be read; check that it is a file and that this user may read it", path: place.path)
            }
            guard let text = String(data: bytes, encoding: .utf8) else {
                throw ConfigurationError("is not UTF-8 text", path: place.path)
            }
            return ConfigurationText(file: place.path, text: text)
        }
        return nil
    }
}

/// A configuration as it was read: what the parts of one `up` share, and what a front notes that it was started with.
///
/// In JSON: `{"file": "/etc/gantry/gantry.yaml", "text": "version: 1"}`, without `file` for the built-in sample.
package struct ConfigurationText: Hashable, Sendable, Codable {
    /// The file's absolute path; nil: the built-in sample.
    package var file: String?
    /// What stands in it.
    package var text: String

    package init(file: String?, text: String) { (self.file, self.text) = (file, text) }

    /// What the text says.
    ///
    /// - Throws: `ConfigurationError`: a mistake in it, with the file and the line.
    package func parsed() throws(ConfigurationError) -> GantryConfiguration {
        do {
            return try GantryConfiguration(yaml: text)
        } catch {
            var error = error
            error.path = file
            throw error
        }
    }
}

/// The configuration that counts when there is no file: three feeds of the sample origin. Equal to `deploy/gantry.yaml`.
package enum BuiltInSample {
    /// Where the sample origin listens by default.
    package static let origin = "127.0.0.1:\(port)"
    /// Its port.
    package static let port = 7_711

    /// The text with the sample origin at another address.
    ///
    /// - Parameter origin: `host:port`, loopback.
    package static func yaml(origin: String) -> String { yaml.replacing(Self.origin, with: origin) }

    /// The text.
    package static let yaml = """
        # The sample: three feeds of the sample origin, which `gantry up` starts at 127.0.0.1:7711.
        # Without any gantry.yaml, gantry uses exactly this text.
        version: 1

        http:
          allow: ["127.0.0.1:7711"]        # loopback and private addresses are refused unless they are named here
          max-body: 64MiB
          timeout: { connect: 5s, idle: 15s, total: 60s }

        feeds:
          # gantry feed load items --param parameter=sample
          items:
            source: { http: { url: "http://127.0.0.1:7711/items?parameter={parameter}&count={count}", items: "" } }
            parameters:
              parameter: { default: sample, required: true }
              count: { default: "100" }
            item: { id: /id, title: /title, description: /description, createdAt: /createdAt, fields: { value: { path: /value, type: number } } }
            detail: item
            policy: network
            screen: list

          # gantry feed load products --param category=electronics
          products:
            source: { http: { url: "http://127.0.0.1:7711/products?category={category}", items: "" } }
            parameters:
              category: {}
            item:
              id: /id
              title: /title
              description: /description
              icon: /image
              fields:
                price: { path: /price, type: number }
                category: { path: /category, type: string }
                rating: { path: /rating/rate, type: number }
            detail: "http://127.0.0.1:7711/products/{id}"
            policy: network
            screen: gallery

          # gantry feed create todos --item '{"title":"Buy milk"}'
          todos:
            source: { http: { url: "http://127.0.0.1:7711/todos", items: /todos } }
            item:
              id: /id
              title: /todo
              description: /description
              createdAt: /createdAt
              dueAt: /dueAt
              fields:
                completed: { path: /completed, type: boolean }
            detail: item
            policy: network
            screen: split
            editable: true
            load-on-attach: true
            sort: { by: createdAt, order: ascending }

        """
}
