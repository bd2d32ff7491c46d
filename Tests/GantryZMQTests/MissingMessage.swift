//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A message that had to be there was not. (`#require` cannot hold a value that cannot be copied.)
struct MissingMessage: Error {}
