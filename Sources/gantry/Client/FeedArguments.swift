//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import Model

/// The address of a feed on the command line.
struct FeedArguments: ParsableArguments {
    @Argument(help: "The feed's name, or its whole key such as 'products?category=electronics'.")
    var name: String

    @Option(name: .customLong("param"), help: ArgumentHelp("A parameter; may be given more than once.", valueName: "name=value"))
    var parameters: [String] = []

    /// The address in Unicode NFC, defaults not filled in.
    func key() throws -> FeedKey {
        guard let base = FeedKey(text: name.precomposedStringWithCanonicalMapping) else {
            throw ValidationError("\"\(name)\" is not a valid feed name: names are [a-z][a-z0-9-]{0,62}")
        }
        var all = base.parameters
        for parameter in parameters {
            guard let sign = parameter.firstIndex(of: "=") else { throw ValidationError("write --param name=value, not \"\(parameter)\"") }
            let value = String(parameter[parameter.index(after: sign)...]).precomposedStringWithCanonicalMapping
            all.append(FeedKey.Parameter(name: String(parameter[..<sign]), value: value))
        }
        guard let key = FeedKey(name: base.name, parameters: all, namespace: base.namespace) else {
            throw ValidationError("the parameters of \(base.name) are malformed, given twice, or over \(FeedKey.byteCountLimit) bytes")
        }
        return key
    }
}
