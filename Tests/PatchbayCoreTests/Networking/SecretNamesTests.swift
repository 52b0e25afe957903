import PatchbayCore
import Testing

@Suite("Names of secrets") struct SecretNamesTests {
    @Test(
        "a value that may be a secret is recognised by its name",
        arguments: [
            ("access_token", true), ("API-Key", true), ("auth", true), ("pat", true), ("path", false),
            ("passcode", true), ("X-Amz-Signature", true),
            ("client_id", true), ("PIN", true), ("sid", true), ("appid", true), ("pass", true), ("otp", true),
            ("author", false), ("side", false), ("passenger", false), ("since", false), ("per_page", false),
        ])
    func mayBeSecret(_ name: String, _ expected: Bool) {
        #expect(SecretNames.mayBeSecret(parameter: name) == expected)
    }

    @Test("every name of a secret is also one that may be a secret")
    func allMayBe() {
        for name in SecretNames.parameters {
            #expect(SecretNames.mayBeSecret(parameter: name), "\(name)")
        }
    }
}
