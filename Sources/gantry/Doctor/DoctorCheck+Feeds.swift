//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FeedSettings
import Loaders
import Model
import Settings

extension DoctorCheck {
    /// What in the configuration lets loads fail, or does nothing.
    static func loads(_ configuration: GantryConfiguration) -> [DoctorCheck] {
        let limits = configuration.http
        var checks: [DoctorCheck] = []
        if limits.connectTimeoutSeconds > limits.totalTimeoutSeconds {
            checks.append(
                DoctorCheck(
                    name: "http limits", state: .warning, detail: "the time to connect is never used up: the whole load has less",
                    nextStep: "let http.timeout.connect be below http.timeout.total"))
        }
        if configuration.feeds.isEmpty {
            checks.append(DoctorCheck(name: "feeds", state: .good, detail: "none is configured: there are jobs, but nothing to load"))
        }
        return checks + configuration.feeds.flatMap { addresses(of: $0, configuration) + parameters(of: $0) }
    }

    /// Addresses that are written out and would be refused by the workers; a name must be looked up first and is left to the load.
    private static func addresses(of feed: ConfiguredFeed, _ configuration: GantryConfiguration) -> [DoctorCheck] {
        let policy = HTTPPolicy(allow: configuration.allow)
        return feed.addresses.filter { policy.refuses(writtenHost: $0.host, port: $0.port) }.map { address in
            DoctorCheck(
                name: "feed \(feed.definition.name)", state: .warning,
                detail: "\(address.text) is not in http.allow, so every \(address.work.rawValue) fails",
                nextStep: "add it: http: { allow: [\"\(address.text)\"] }")
        }
    }

    /// Parameters that the address does not use: each value is a list of its own, and all of them are loaded alike.
    private static func parameters(of feed: ConfiguredFeed) -> [DoctorCheck] {
        guard let source = feed.settings.source else { return [] }
        let used = source.url.names + (feed.settings.detail?.names ?? [])
        return feed.definition.parameters.filter { !used.contains($0.name) }.map { parameter in
            DoctorCheck(
                name: "feed \(feed.definition.name)", state: .warning, detail: "its address does not use the parameter \(parameter.name)",
                nextStep: "write {\(parameter.name)} where its value belongs in url, or leave the parameter out")
        }
    }
}
