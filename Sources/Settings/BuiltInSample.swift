//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The configuration that counts when there is no file: three feeds of the sample origin. Equal to `deploy/gantry.yaml`.
public enum BuiltInSample {
    /// Where the sample origin listens by default.
    public static let origin = "127.0.0.1:\(port)"
    /// Its port.
    public static let port = 7_711

    /// The text with the sample origin at another address.
    ///
    /// - Parameter origin: `host:port`, loopback.
    public static func yaml(origin: String) -> String { yaml.replacing(Self.origin, with: origin) }

    /// The text.
    public static let yaml = """
        # The sample: three feeds of the sample origin, which `gantry up` starts at 127.0.0.1:7711.
        # Without any gantry.yaml, gantry uses exactly this text.
        version: 1

        http:
          allow: ["127.0.0.1:7711"]        # loopback and private addresses are refused unless they are named here
          max-body: 64MiB
          timeout: { connect: 5s, idle: 15s, total: 60s }

        feeds:
          # gantry feed load items --param parameter=sample
          items:
            source: { http: { url: "http://127.0.0.1:7711/items?parameter={parameter}&count={count}", items: "" } }
            parameters:
              parameter: { default: sample, required: true }
              count: { default: "100" }
            item: { id: /id, title: /title, description: /description, createdAt: /createdAt, fields: { value: { path: /value, type: number } } }
            detail: item
            policy: network
            screen: list

          # gantry feed load products --param category=electronics
          products:
            source: { http: { url: "http://127.0.0.1:7711/products?category={category}", items: "" } }
            parameters:
              category: {}
            item:
              id: /id
              title: /title
              description: /description
              icon: /image
              fields:
                price: { path: /price, type: number }
                category: { path: /category, type: string }
                rating: { path: /rating/rate, type: number }
            detail: "http://127.0.0.1:7711/products/{id}"
            policy: network
            screen: gallery

          # gantry feed create todos --item '{"title":"Buy milk"}'
          todos:
            source: { http: { url: "http://127.0.0.1:7711/todos", items: /todos } }
            item:
              id: /id
              title: /todo
              description: /description
              createdAt: /createdAt
              dueAt: /dueAt
              fields:
                completed: { path: /completed, type: boolean }
            detail: item
            policy: network
            screen: split
            editable: true
            load-on-attach: true
            sort: { by: createdAt, order: ascending }

        """
}
