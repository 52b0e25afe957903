#if Live
public import PatchbayCore

extension Plugin where Product == any Serving {
    /// Serves HTTP/1.1 on Unix domain sockets and TCP, optionally with TLS. The options are those of `serve`.
    public static var http: Plugin<any Serving> {
        Plugin("http", "HTTP/1.1 on Unix domain sockets and TCP, with TLS") { settings in
            HTTPServer(try ServingOptions(settings))
        }
    }
}
#endif
