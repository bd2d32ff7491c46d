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
        let text = name.precomposedStringWithCanonicalMapping
        guard let base = FeedKey(text: text) else { throw ValidationError(FeedKeyFault.text(of: text)) }
        var all = base.parameters
        for parameter in parameters {
            guard let sign = parameter.firstIndex(of: "=") else { throw ValidationError("write --param name=value, not \"\(parameter)\"") }
            let value = String(parameter[parameter.index(after: sign)...]).precomposedStringWithCanonicalMapping
            all.append(FeedKey.Parameter(name: String(parameter[..<sign]), value: value))
        }
        guard let key = FeedKey(name: base.name, parameters: all, namespace: base.namespace) else {
            throw ValidationError(FeedKeyFault.text(of: all, of: base.name))
        }
        return key
    }
}
