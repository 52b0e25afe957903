import PatchbayDomain
import Synchronization

/// A search that answers nothing until the test lets it, or the question is cancelled.
final class WaitingSearchSource: UserSearchSource {
    private let (asked, asking) = AsyncStream.makeStream(of: String.self)
    private let (cancelled, cancelling) = AsyncStream.makeStream(of: String.self)
    private let (answers, answering) = AsyncStream.makeStream(of: Void.self)

    /// Waits until a text is asked for; those before it do not count.
    func isAsked(for text: String) async { for await asked in asked where asked == text { return } }

    func isCancelled(_ text: String) async { for await ended in cancelled where ended == text { return } }

    /// Answers the question that waits, and all that come: there is nobody.
    func answer() { answering.finish() }

    func searchUsers(
        _ page: PageRequest<String>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<SearchPage<User>> {
        guard case .first(let text) = page else { throw CancellationError() }
        asking.yield(text)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let forwarding = Task {
            for await _ in answers {}
            end.finish()
        }
        await withTaskCancellationHandler {
            for await _ in ends {}
        } onCancel: {
            forwarding.cancel()
            end.finish()
        }
        guard !Task.isCancelled else {
            cancelling.yield(text)
            throw CancellationError()
        }
        return .changed(SearchPage(Page([]), total: 0), Validator())
    }
}
