import HTTPTypes
import PatchbayCore

/// Counts what each client uses of another responder.
///
/// Calls of clients whose budgets are used up are refused where their operation is known, so that the account names it.
struct AccountingResponder: Responder {
    /// The names of those that are not listed as clients, which no client may have.
    static let owner = "owner", anyone = "anyone"

    private let inner: any Responder
    private let ledger: ClientLedger

    init(_ inner: any Responder, _ ledger: ClientLedger) {
        self.inner = inner
        self.ledger = ledger
    }

    func reply(to request: ServerRequest) -> ServerReply {
        let call = ServedCall(
            request.clientName ?? (request.isTrusted ? Self.owner : Self.anyone), ledger)
        return reply(to: request, call).running(in: call).changed { response in
            let isFailure = response.head.status.code >= 400
            switch response.body {
            case .whole(let bytes): call.answered(bytes: bytes.count, isFailure: isFailure)
            case .stream(let produce):
                call.answered(bytes: 0, isFailure: isFailure)
                response.body = .stream { writer in
                    try await produce(
                        ServerResponse.Writer { bytes in
                            try call.add(streamed: bytes.count)
                            try await writer.write(bytes)
                        })
                }
            }
        }
    }

    private func reply(to request: ServerRequest, _ call: ServedCall) -> ServerReply {
        guard !RequestTarget.isOurs(request.head.path) else {
            return call.running { inner.reply(to: request) }
        }
        call.note(operation: "proxy")
        do {
            try call.requireBytes()
        } catch {
            return .ready(Problem(error, at: ledger.clock.now()).response)
        }
        return call.running { inner.reply(to: request) }
    }
}
