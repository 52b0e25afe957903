import Foundation
import PatchbayCore
import PatchbayTestKit
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("Output files")
struct OutputFileTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test("a file gets its name once it is complete, and an abandoned one leaves nothing")
    func wholeOrNothing() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/users.csv"
            do {
                let file = try OutputFile(path)
                try file.stream.write("half")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
            do {
                let file = try OutputFile(path)
                try file.stream.write("whole")
                #expect(!FileManager.default.fileExists(atPath: path))
                try file.finish()
            }
            #expect(try text(path) == "whole")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["users.csv"])
        }
    }

    @Test("if two write the same file at once, the second is refused and the first is not disturbed")
    func twoAtOnce() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/users.csv"
            do {
                let first = try OutputFile(path)
                try first.stream.write("the first")
                let error = #expect(throws: PatchbayError.self) { _ = try OutputFile(path) }
                #expect(error?.code == .conflict)
                #expect(
                    error?.message == "the file \"\(path).unfinished\" already exists: another command "
                        + "is writing it, or was killed; wait, remove it or choose another name")
                try first.finish()
            }
            #expect(try text(path) == "the first")
        }
    }

    @Test("only its owner may read a file")
    func mode() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/users.csv"
            let file = try OutputFile(path)
            try file.finish()
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("a log is not written through a link, and opening a pipe without a reader fails at once")
    func log() async throws {
        try await TemporaryDirectory.with { directory in
            let letter = try directory.write("dear reader", to: "letter")
            let link = directory.path + "/link", pipe = directory.path + "/pipe"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: letter)
            let second = directory.path + "/second"
            try FileManager.default.linkItem(atPath: letter, toPath: second)
            unsafe #expect(mkfifo(pipe, 0o600) == 0)
            for path in [link, second, pipe, directory.path] {
                #expect(throws: PatchbayError.self) { try AppendedFile(path).append("a line") }
            }
            #expect(try text(letter) == "dear reader")
            try AppendedFile(directory.path + "/log").append("a line")
            #expect(try text(directory.path + "/log") == "a line\n")
        }
    }

    @Test("a link in the place of the output file is not followed")
    func link() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/users.csv"
            let letter = try directory.write("dear reader", to: "letter")
            try FileManager.default.createSymbolicLink(
                atPath: path + ".unfinished", withDestinationPath: letter)
            let error = #expect(throws: PatchbayError.self) { _ = try OutputFile(path) }
            #expect(error?.code == .conflict)
            #expect(try text(letter) == "dear reader")
        }
    }
}
