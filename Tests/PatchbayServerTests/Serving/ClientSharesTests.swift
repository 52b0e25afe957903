import PatchbayCore
import Testing

@Suite("What clients of a server share")
struct ClientSharesTests {
    /// Takes one after another until it is refused, and returns how often it was allowed.
    private func takeAll(_ shares: inout ClientShares, _ client: ServingClient) -> Int {
        (0...).first { _ in !shares.take(1, for: client) } ?? 0
    }

    @Test(
        "a client over TCP gets three quarters, all of them seven eighths, and the owner the rest",
        arguments: [(4_096, 3_072, 512, 512), (8, 6, 1, 1), (3, 2, 0, 1), (2, 1, 0, 1), (1, 1, 0, 0)])
    func parts(_ whole: Int, _ first: Int, _ second: Int, _ owner: Int) {
        var shares = ClientShares(of: whole)
        let taken = [ServingClient.address("192.0.2.1"), .tokenBearer, .owner].map { takeAll(&shares, $0) }
        #expect(taken == [first, second, owner])
        shares.release(1, from: .address("192.0.2.1"))
        let again = takeAll(&shares, .address("192.0.2.1"))
        #expect(again == 1)
    }

    @Test("the owner may take everything, and nothing over it")
    func owner() {
        var shares = ClientShares(of: 10)
        var taken = [
            shares.take(10, for: .owner), shares.take(1, for: .owner), shares.take(1, for: .tokenBearer),
        ]
        #expect(taken == [true, false, false])
        shares.release(10, from: .owner)
        taken = [shares.take(8, for: .tokenBearer), shares.take(7, for: .tokenBearer)]
        #expect(taken == [false, true])
    }
}
