import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@Suite("The questions of Docs/AskingQuestions.md", .mayBlock, .timeLimit(.minutes(20)))
struct QuestionTests {
    @Test("are answered from the bundled recording as the page shows", arguments: StoragePlaces.usual)
    func answers(_ storage: String) throws {
        let folder = try TemporaryDirectory()
        let command = Command(in: folder.path), places = StoragePlaces()
        let flags = places.flags(storage, at: folder.path + "/store")
        func run(_ words: [String]) throws -> Command.Outcome { try command.run(words + flags) }
        let owners = [
            "Marlow-Quern", "Ottoline-Brack", "Quernwick-Ferries", "Escapement-Ada", "iskra-tumannaya",
        ]
        #expect(try run(["sync", "users", "--details"]).status == 0)
        for owner in owners { #expect(try run(["sync", "repos", owner]).status == 0) }
        #expect(try run(["sync", "commits"]).status == 0)
        #expect(try run(["edit", "users", "Marlow-Quern", "name=Marlow of the ferries"]).status == 0)

        let page = Article("Docs/AskingQuestions.md")
        let text = try String(contentsOfFile: Checkout.path("Docs/AskingQuestions.md"), encoding: .utf8)
        let questions = text.components(separatedBy: "```sql\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
        #expect(questions.count == 20)
        for (number, sql) in questions.enumerated() {
            let outcome = try run(["query", sql])
            #expect(outcome.status == 0, "\(sql): \(outcome.errors)")
            let answer = String(outcome.output.dropLast())
            #expect(
                try page.holds(answer, as: "question-\(number + 1)"), "\(sql) is answered with\n\(answer)")
        }
    }
}
