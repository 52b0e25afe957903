extension HTMLPage {
    /// Wrong answers, failures and an early end; nil when there are none.
    var alerts: Section? {
        let early = comparison.isComplete ? [] : [alert("The comparison ended early", [])]
        let all =
            early + comparison.differences.map { difference($0) } + comparison.failures.map { failure($0) }
        guard !all.isEmpty else { return nil }
        return section("alerts", "Warnings", nil, all)
    }

    private func difference(_ difference: Difference) -> HTML {
        let title =
            "\(difference.subject) answered differently from \(difference.reference): \(difference.workload), "
            + "\(Quantity.count(difference.rows)) rows"
        let row = difference.key + (difference.field.map { ", field \($0)" } ?? "")
        return alert(
            title,
            [
                ("asked", difference.query), ("row", row),
                ("\(difference.reference) answered", difference.expected),
                ("\(difference.subject) answered", difference.found),
            ])
    }

    private func failure(_ failure: SubjectFailure) -> HTML {
        let place = failure.workload.map { ", \($0)" } ?? ""
        return alert(
            "\(failure.subject) was not measured to the end: \(Quantity.count(failure.rows)) rows\(place)",
            [("reason", failure.message)])
    }

    private func alert(_ title: String, _ facts: [(String, String)]) -> HTML {
        let words = HTML.element("p", [:], .element("strong", [:], HTML(title)))
        return .element("div", ["class": "alert"], [words] + (facts.isEmpty ? [] : [definitions(facts)]))
    }

    func definitions(_ pairs: [(String, String)]) -> HTML {
        .element(
            "dl", [:],
            pairs.flatMap { name, value in
                [HTML.element("dt", [:], HTML(name)), .element("dd", [:], HTML(value))]
            })
    }
}
