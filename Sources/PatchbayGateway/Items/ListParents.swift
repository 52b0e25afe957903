import PatchbayCore
import PatchbayDomain

/// The rows that lists belong to.
extension Gateway {
    /// The row that has a handle now, fetched if necessary.
    ///
    /// A recording may contain it only in a list of such rows, which is then saved as well.
    ///
    /// - Parameter isRefreshed: whether it is fetched even if it is stored, provided that the source shows it alone.
    func listParent(
        _ handle: String, of resource: Resource, isConditional: Bool, isRefreshed: Bool
    ) async throws -> Item {
        do {
            let details = try details(of: resource)
            return isRefreshed && resource.declaration.show != nil
                ? try await details.refreshed(handle, isConditional: isConditional)
                : try await details.present(handle, isConditional: isConditional)
        } catch let error as PatchbayError where error.isNotRecorded {
            for list in resource.declaration.lists {
                guard let arguments = resource.arguments(of: list, for: handle) else { continue }
                let question = ListQuestion(resource, .list(list.name), arguments: arguments)
                do {
                    _ = try await feed(of: question).refresh(
                        ListExtent(limit: Limits.pageRows), isConditional: true)
                } catch is PatchbayError {
                    // The pages before the failure are saved; the row's own error is the one to report.
                }
                let found = try await store.read { try $0.item(called: handle, of: resource) }
                if let found, found.isCalled(handle) { return found }
            }
            throw error.lacking(resource, handle)
        }
    }
}

extension Resource {
    /// The arguments of a list that may contain the row with a handle: `OWNER` of `OWNER/NAME`. Nil if they cannot be
    /// derived from the handle.
    fileprivate func arguments(of list: ListDeclaration, for handle: String) -> [String]? {
        guard list.template.parent == nil else { return nil }
        switch list.template.arguments.count {
        case 0: return []
        case 1:
            // A handle without parts names the row alone.
            guard let parts = try? parts(ofHandle: handle), parts.count > 1 else { return nil }
            return [parts[0]]
        default: return nil
        }
    }
}

extension PatchbayError {
    /// The error with the reason why the row was needed.
    fileprivate func lacking(_ resource: Resource, _ handle: String) -> PatchbayError {
        var error = PatchbayError(
            code,
            "the list belongs to the \(resource.singular) \(Quotation.quoted(handle)), which the recording contains "
                + "neither alone nor in a list of \(resource.plural): \(message)", details)
        error.isNotRecorded = true
        return error
    }
}
