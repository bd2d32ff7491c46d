//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// Prints a line at once: a sweep that is ended, or that ends itself, has then said what it had found.
func output(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
