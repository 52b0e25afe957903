extension Race {
    /// Finds the first part of some answers that two subjects answered differently; from a collection on, the first
    /// row that differs in this or a later one.
    func findDifference(in answers: BenchRequest.Answers, _ rival: Rival, _ reference: Rival) async {
        guard case .digests(let expected) = await ask(reference, .digests(of: answers)),
            case .digests(let found) = await ask(rival, .digests(of: answers)),
            // There is no further collection.
            !expected.isEmpty
        else { return }
        guard expected != found else {
            guard case .collection(let number) = answers else { return }
            return await findDifference(in: .collection(number + 1), rival, reference)
        }
        let part = zip(expected, found).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let request = BenchRequest.rows(of: answers, part: part ?? min(expected.count, found.count))
        guard case .rows(let query, let expectedRows) = await ask(reference, request),
            case .rows(_, let foundRows) = await ask(rival, request)
        else { return }
        var difference = Difference(expectedRows, foundRows)
        difference.workload = rival.result.workload
        difference.rows = rival.result.rows
        difference.subject = rival.subject.name
        difference.reference = reference.subject.name
        difference.query = query
        rival.differs = true
        comparison.differences.append(difference)
    }
}
