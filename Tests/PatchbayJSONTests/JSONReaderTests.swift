import Testing
@testable import PatchbayJSON
