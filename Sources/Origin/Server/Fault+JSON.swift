//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

extension Fault {
    /// Says which key is why JSON could not be read as a fault; nil: it is no object.
    static func complaint(of json: Data) -> String? {
        guard let object = try? JSONSerialization.jsonObject(with: json) as? [String: Any] else { return nil }
        guard object[CodingKeys.path.rawValue] != nil else { return "path is missing: it takes \(CodingKeys.path.takes)" }
        // One at a time: the decoder does not always name the key of a value that it cannot read.
        let wrong = CodingKeys.allCases.first { key in
            guard let value = object[key.rawValue] else { return false }
            let alone = [CodingKeys.path.rawValue: "/"].merging([key.rawValue: value]) { $1 }
            return (try? JSONDecoder().decode(Fault.self, from: JSONSerialization.data(withJSONObject: alone))) == nil
        }
        return wrong.map { "\($0.rawValue) takes \($0.takes)" }
    }
}
