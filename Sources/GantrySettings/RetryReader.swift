//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Reads how often jobs of a loader are tried.
struct RetryReader {
    // The keys that are known, which `deploy/CONFIGURATION.md` explains.
    static let keys = ["attempts", "back-off", "longest", "jitter"]

    let loader: String

    /// Reads the keys `retry` and `codes` of a loader.
    /// - Returns: nil where nothing is said.
    /// - Throws: the first mistake found.
    func read(_ fields: [String: ConfigurationNode]) throws(ConfigurationError) -> RetryRule? {
        var usual = RetryRule()
        if let node = fields["retry"] {
            let own = try rule(node, "loader \(loader)", like: "retry: { attempts: 8, back-off: 2s, longest: 5m, jitter: false }")
            usual = RetryRule(attempts: own.attempts, backOff: own.backOff)
        }
        var codes: [CodeRetryRule] = []
        for entry in try fields["codes"]?.entries("codes of loader \(loader)", like: "codes: { unreachable: { attempts: 20 } }") ?? [] {
            let code = FailureCode(rawValue: entry.key)
            if let fault = code.faultOfName { throw ConfigurationError("codes of loader \(loader): \(fault)", line: entry.line) }
            codes.append(try rule(after: code, entry.node, beside: usual.backOff))
        }
        let rule = RetryRule(attempts: usual.attempts, backOff: usual.backOff, codes: codes)
        return rule == RetryRule() ? nil : rule
    }

    private func rule(
        after code: FailureCode, _ node: ConfigurationNode, beside usual: BackOff
    ) throws(ConfigurationError) -> CodeRetryRule {
        if case .scalar(let word) = node.value {
            guard word == "never" else {
                throw ConfigurationError(
                    "code \(code) of loader \(loader) is \"\(word)\": write never, or for example \(code): { attempts: 20 }",
                    line: node.line)
            }
            return .never(after: code)
        }
        let what = "code \(code) of loader \(loader)"
        let example = "\(code): { attempts: 20, back-off: 1m } or \(code): never"
        let rule = try rule(node, what, like: example)
        guard rule.attempts != nil || rule.backOff != BackOff() else {
            throw ConfigurationError("\(what) says nothing: write for example \(example)", line: node.line)
        }
        // What it leaves out is as the loader says, which must not contradict it.
        let own = BackOff(first: rule.backOff.first ?? usual.first, longest: rule.backOff.longest ?? usual.longest)
        if let fault = own.fault {
            let missing = rule.backOff.first == nil ? "back-off" : "longest"
            throw ConfigurationError("\(what), beside what the loader says: \(fault), or give the code its own \(missing)", line: node.line)
        }
        return CodeRetryRule(code, attempts: rule.attempts, backOff: rule.backOff)
    }

    private func rule(
        _ node: ConfigurationNode, _ what: String, like example: String
    ) throws(ConfigurationError) -> (attempts: UInt32?, backOff: BackOff) {
        let fields = try node.fields("retry of \(what)", Self.keys, like: example)
        let attempts = try fields["attempts"].map { node throws(ConfigurationError) in
            UInt32(try node.integer("attempts of \(what)", in: 1...Int(RetryRule.mostAttempts)))
        }
        var backOff = BackOff()
        if let node = fields["back-off"] { backOff.first = .milliseconds(try Quantity.time.count(of: node, "back-off of \(what)")) }
        if let node = fields["longest"] { backOff.longest = .milliseconds(try Quantity.time.count(of: node, "longest of \(what)")) }
        if let node = fields["jitter"] { backOff.hasJitter = try node.truth("jitter of \(what)") }
        if let fault = backOff.fault { throw ConfigurationError("back-off and longest of \(what): \(fault)", line: node.line) }
        return (attempts, backOff)
    }
}
