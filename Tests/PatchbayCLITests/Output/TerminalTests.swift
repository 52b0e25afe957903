import PatchbaySystem
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("What a terminal can show")
struct TerminalTests {
    private func terminal(
        _ columns: Int?, isTerminal: Bool = true, _ variables: [String: String] = [:]
    ) -> Terminal {
        Terminal(isTerminal: isTerminal, columns: columns) { variables[$0] }
    }

    @Test("the width is the one that the user set, else the terminal's, else 80")
    func width() {
        #expect(terminal(120).width == 120)
        #expect(terminal(nil).width == 80)
        #expect(terminal(120, ["COLUMNS": "40"]).width == 40)
        #expect(terminal(120, ["COLUMNS": "wide"]).width == 120)
        #expect(terminal(120, ["COLUMNS": "0"]).width == 120)
    }

    @Test("a file or a pipe has no width and no colours")
    func notATerminal() {
        let file = terminal(nil, isTerminal: false, ["COLUMNS": "40", "TERM": "xterm"])
        #expect(file.width == nil && !file.allowsColour)
    }

    @Test("colours are off with NO_COLOR and on a dumb terminal")
    func colours() {
        #expect(terminal(80, ["TERM": "xterm-256color"]).allowsColour)
        #expect(terminal(80, ["TERM": "xterm", "NO_COLOR": ""]).allowsColour)
        #expect(!terminal(80, ["TERM": "xterm", "NO_COLOR": "1"]).allowsColour)
        #expect(!terminal(80, ["TERM": "dumb"]).allowsColour)
        #expect(terminal(80, ["TERM": "xterm", "NO_COLOR": "1"]).allowsRedrawing)
        #expect(!terminal(80, ["TERM": "dumb"]).allowsRedrawing)
    }

    @Test(
        "colours can be forced into pipes, unless NO_COLOR is set",
        arguments: ["FORCE_COLOR", "CLICOLOR_FORCE"])
    func forced(_ name: String) {
        #expect(terminal(nil, isTerminal: false, [name: "1"]).allowsColour)
        #expect(!terminal(nil, isTerminal: false, [name: "1"]).allowsRedrawing)
        for value in ["", "0"] { #expect(!terminal(nil, isTerminal: false, [name: value]).allowsColour) }
        #expect(!terminal(nil, isTerminal: false, [name: "1", "NO_COLOR": "1"]).allowsColour)
    }

    @Test("--color overrides every variable")
    func chosen() {
        for isTerminal in [true, false] {
            for variables in [["NO_COLOR": "1"], ["TERM": "dumb"], ["CLICOLOR_FORCE": "1"]] {
                let shown = { colour in
                    Terminal(
                        isTerminal: isTerminal, columns: nil, environment: { variables[$0] }, colour: colour)
                }
                #expect(shown(.always).allowsColour && !shown(.never).allowsColour)
            }
        }
    }

    @Test("a closed stream is not a terminal")
    func system() {
        let closed = Terminal(StandardStream(descriptor: -1))
        #expect(!closed.isTerminal && closed.width == nil && !closed.allowsColour)
    }

    @Test("a terminal and its width are recognized")
    func pseudoTerminal() throws {
        let descriptor = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var size = winsize(ws_row: 24, ws_col: 57, ws_xpixel: 0, ws_ypixel: 0)
        #expect(Descriptor.columns(descriptor) == nil)
        unsafe #expect(ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0)
        #expect(Descriptor.isTerminal(descriptor))
        #expect(Descriptor.columns(descriptor) == 57)
    }
}
