//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Loading

/// How the example draws a loader of items, wherever they are loaded.
@MainActor
enum ItemsView {
    static func make(of loader: some Loadable<[Item]>) -> some View {
        LoadingView(loader: loader, loadOnAppear: false) { items in
            List(items.prefix(3)) { item in
                Text(item.title)
            }
            Text("\(items.count) items")
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
