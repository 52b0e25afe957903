/// Listens for clients, passes their requests to a responder and returns its answers. This is the protocol that a
/// serving plugin implements.
public protocol Serving: Sendable {
    /// Listens and answers until ``stop()`` is called and every request in progress is answered.
    ///
    /// - Parameter listening: called once, when connections are accepted, with the addresses in the form of
    ///   `serve.listen`; a port chosen by the system is filled in.
    /// - Throws: `busy` when another process listens on an address; `permissionDenied`; `invalidConfiguration` when an
    ///   address or a certificate cannot be used, or when an address is open to other machines without protection.
    func run(
        _ responder: any Responder, listening: @escaping @Sendable (_ addresses: [String]) -> Void
    ) async throws

    /// Accepts no more connections and closes idle ones. Requests in progress are answered within
    /// a few seconds. A second call does nothing.
    func stop() async
}
