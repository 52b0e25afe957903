import Patchbay
import PatchbayTerminal

/// The syncs of several sources, run one after another. If one fails, the others are still synced.
struct SyncSeries {
    private let gateways: Gateways
    private let resource: DeclaredResource?
    /// The maximum number of requests of all syncs together; nil for no limit.
    private let limit: Int?
    private let resumption: String

    /// - Parameters:
    ///   - resource: the resource whose list is fetched; nil for all resources.
    ///   - resumption: how to resume the syncs.
    init(_ gateways: Gateways, of resource: DeclaredResource?, limit: Int?, resumption: String) {
        self.resumption = resumption
        self.gateways = gateways
        self.resource = resource
        self.limit = limit
    }

    /// - Throws: the error that ended the sync; with several sources, the exit status of the first error, after it was
    ///   reported.
    func run(_ make: (Gateway, _ maximumRequests: Int?) throws -> Sync) async throws {
        var left = limit, failure: PatchbayError?, isIncomplete = false
        for gateway in gateways.all {
            let prefix = gateways.prefix(gateway)
            guard left != 0 else {
                Message.note("\(prefix)not started: stopped at --max-requests; \(resumption)")
                continue
            }
            do {
                let sync = try make(gateway, left)
                if !Terminal.isQuiet { Message.write(prefix + SyncOutput.line(try await sync.plan())) }
                let (end, progress) = try await SyncRun(
                    gateway: gateway, sync: sync,
                    resource: try resource.map { try gateway.resource($0.declaration.name) }, prefix: prefix,
                    resumption: resumption
                ).ended()
                left = left.map { max(0, $0 - progress.requests) }
                switch end {
                case .complete: break
                case .incomplete: isIncomplete = true
                case .limitReached: left = 0
                case .interrupted: return
                case .failed(let error): throw error
                }
            } catch let error as PatchbayError {
                if gateways.all.count == 1 { throw error }
                Message.write("patchbay: \(prefix)\(error.oneLine)")
                failure = failure ?? error
                // The other syncs would fail with the same storage error.
                if error.endsSeries { break }
            }
        }
        if let failure { throw ExitStatus(failure.code) }
        if isIncomplete { throw ExitStatus.incomplete }
    }
}

extension PatchbayError {
    fileprivate var endsSeries: Bool {
        [.storageFull, .corrupted, .busy, .cancelled, .internalError].contains(code)
    }
}
