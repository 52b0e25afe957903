/// Listens for clients, hands their requests to a responder and its answers back. This is the protocol that a serving
/// plugin implements.
public protocol Serving: Sendable {
    /// Listens and answers until ``stop()`` is called and every request that had begun is answered.
    ///
    /// - Parameter listening: called once, when connections are accepted, with the addresses as `serve.listen` writes
    ///   them; a port that was left to the system is filled in.
    /// - Throws: `busy` when another process listens there; `permissionDenied`; `invalidConfiguration` when an address
    ///   or a certificate cannot be used, or when an address is open to other machines without being protected.
    func run(
        _ responder: any Responder, listening: @escaping @Sendable (_ addresses: [String]) -> Void
    ) async throws

    /// Accepts no more connections and ends those that are idle. Requests that had begun are answered, within
    /// ``ServingOptions/stopSeconds``. A second call does nothing.
    func stop() async
}
