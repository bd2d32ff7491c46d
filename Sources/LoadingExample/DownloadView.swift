//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Loading

/// How the example draws a loader of lines, whatever stack it is.
@MainActor
enum DownloadView {
    static func make<L: Loadable<[String]>>(of loader: L) -> some View {
        LoadingView(loader: loader, loadOnAppear: false) { items in
            List(items) { item in
                Text(item)
            }
        }
        .emptyView {
            Text("Nothing loaded.")
        }
        .errorView { error in
            Text(error.localizedDescription)
            Button("Retry") {
                Task { await loader.load() }
            }
        }
    }
}
