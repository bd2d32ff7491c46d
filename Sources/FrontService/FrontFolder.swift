//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// The data folder of a front: what must be true of it before a front works there.
public enum FrontFolder {
    /// The folders in it.
    private static let parts = ["run", "journal", "objects"]

    /// Makes the folder and those in it, each of this user alone.
    static func prepare(_ path: String) throws(SystemError) {
        // The data folder may be one that others may look into; what lies in it is for this user alone.
        _ = try DirectoryDescriptor(ownedAt: path, tightens: false)
        for part in parts { _ = try DirectoryDescriptor(ownedAt: "\(path)/\(part)") }
    }

    /// Looks at a folder that is there, and changes nothing.
    /// - Throws: what a front that starts there would throw.
    public static func check(_ path: String) throws(FrontServiceError) {
        do throws(SystemError) {
            let folder = try DirectoryDescriptor(path: path)
            try folder.checkOwned(mayBeTightened: false)
            for part in parts where try folder.status(of: part) != nil {
                try DirectoryDescriptor(path: "\(path)/\(part)").checkOwned(mayBeTightened: true)
            }
        } catch {
            throw unusable(error)
        }
    }

    /// What is said of a folder that cannot be used.
    static func unusable(_ error: SystemError) -> FrontServiceError {
        FrontServiceError(.cannotWrite, "the data folder cannot be used: \(error)")
    }
}
