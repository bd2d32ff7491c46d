//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Settings

extension FrontPlace {
    /// The data folder of the front itself, as far as its sockets tell: one that was named by its folder need not be that of `data`.
    var folder: DataFolder {
        guard let folder = endpoints.folder, folder != data.run, folder.hasSuffix("/run") else { return data }
        return DataFolder(path: String(folder.dropLast("/run".count)), origin: data.origin)
    }
}
